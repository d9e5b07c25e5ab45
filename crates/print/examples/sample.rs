//! Prints a sample to look at: `cargo run -p print --example sample -- sample.pdf [image or PDF …]`.

use print::{Block, Column, Document, Footer, Image, ImageKind, OffsetStamp};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().unwrap_or_else(|| "sample.pdf".to_owned());
    let mut blocks = record();
    for name in arguments {
        let bytes = std::fs::read(&name)?;
        blocks.push(match ImageKind::of(&bytes) {
            Some(kind) => Block::Image { name, image: Image { bytes, kind } },
            None => Block::ForeignPdf { name, bytes },
        });
    }
    let logo = blocks.iter().find_map(|block| match block {
        Block::Image { image, .. } => Some(image.clone()),
        _ => None,
    });
    let footer = Footer {
        company: Some("Example Pumps Ltd".to_owned()),
        logo,
        printed: "Printed 2026-03-09 14:05:00+01:00".to_owned(),
    };
    let document = Document {
        title: "Device History Record SN-2026-00417".to_owned(),
        header: Some("VB-06 Diaphragm pump · SN-2026-00417".to_owned()),
        footer,
        created: OffsetStamp { year: 2026, month: 3, day: 9, hour: 14, minute: 5, second: 0, offset: 60 },
        blocks,
    };
    let started = std::time::Instant::now();
    let bytes = print::pdf(&document)?;
    let took = started.elapsed();
    std::fs::write(target.clone() + ".took", format!("{took:?}, {} bytes", bytes.len()))?;
    Ok(std::fs::write(target, bytes)?)
}

fn fact(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn heading(text: &str, sub: &str) -> Block {
    Block::Heading { text: text.to_owned(), sub: Some(sub.to_owned()) }
}

fn record() -> Vec<Block> {
    let components = (1..=200).map(|number| {
        let description = match number % 5 {
            0 => "Housing, die-cast aluminium AlSi9Cu3(Fe), anodised, four threaded holes M5 × 12 and a sealing groove",
            1 => "Dichtungssatz NBR 70 Größe Ø 32",
            2 => "Μεμβράνη EPDM",
            3 => "Уплотнительное кольцо",
            _ => "Screw",
        };
        vec![format!("P-{:05}", number * 37), description.to_owned(), format!("C-{number:06}"), number.to_string()]
    });
    let columns = ["Product code", "Description", "Serial code"].map(Column::new);
    let columns = columns.into_iter().chain([Column::quantity("Quantity")]).collect();
    let results = [
        ("Leak rate", "0.8 mbar·l/s ≤ 1.0 ✓", "2026-03-09 13:40:12+01:00", "Anna Rossi"),
        ("Torque of the cover", "4.2 Nm", "2026-03-09 13:12:45+01:00", "Anna Rossi"),
        (
            "Remark",
            "First run was noisy; the valve plate was turned by 180° and the run repeated. לא נמצאו פגמים",
            "2026-03-09 13:58:00+01:00",
            "José Núñez",
        ),
        (
            "Digest",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a089f86d081884c7d659a2feaa0c55ad015",
            "2026-03-09 13:59:00+01:00",
            "Łukasz Żak",
        ),
    ];
    let results = results.map(|(field, value, at, by)| [field, value, at, by].map(str::to_owned).to_vec()).to_vec();
    vec![
        heading("Device History Record", "Batch record (ISO 13485, 7.5.1)"),
        heading("Identification", "Identification of the batch"),
        Block::Facts(vec![
            fact("Serial code", "SN-2026-00417"),
            fact("Product", "VB-06 Diaphragm pump, 24 V"),
            fact("Work order", "WO-1182"),
            fact("State", "released"),
            fact("Released", "2026-03-09 14:01:22+01:00 by Anna Rossi"),
        ]),
        heading("Missing evidence", "Open points"),
        Block::Paragraph("none".to_owned()),
        heading("Acceptance records", "Records of conformity"),
        Block::Table { columns: ["Field", "Value", "Last update", "User"].map(Column::new).into(), rows: results },
        heading("Components", "Materials and components used"),
        Block::Table { columns, rows: components.collect() },
        heading("Attachments", "Attachments"),
    ]
}
