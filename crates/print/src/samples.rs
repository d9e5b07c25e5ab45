//! Small files for tests.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

use crate::{Block, Document, Footer, OffsetStamp};

pub(crate) const CREATED: OffsetStamp =
    OffsetStamp { year: 2026, month: 3, day: 9, hour: 14, minute: 5, second: 0, offset: 60 };

/// A document of these blocks.
pub(crate) fn of(blocks: Vec<Block>) -> Document {
    let footer = Footer { company: Some("Example Ltd".to_owned()), logo: None, printed: "2026-03-09 14:05".to_owned() };
    let header = Some("VB-06 · SN-1".to_owned());
    Document { title: "Record".to_owned(), header, footer, created: CREATED, blocks }
}

/// A PDF of so many pages.
pub(crate) fn document(pages: usize) -> Vec<u8> {
    let line = "A line of some length. ".repeat(4);
    let text = (0..pages * 80).map(|_| line.as_str()).collect::<Vec<_>>().join("\n");
    let mut blocks = vec![Block::Paragraph(text)];
    loop {
        let pdf = crate::pdf(&of(blocks.clone())).unwrap();
        let lopdf = lopdf::Document::load_mem(&pdf).unwrap();
        let count = lopdf.get_pages().len();
        if count == pages {
            return pdf;
        }
        let Block::Paragraph(text) = &mut blocks[0] else { unreachable!() };
        let lines = text.lines().count() - 20;
        *text = text.lines().take(lines).collect::<Vec<_>>().join("\n");
    }
}

pub(crate) fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A PDF of these objects, numbered from 1; the first is the catalogue.
pub(crate) fn objects(objects: &[&str]) -> Vec<u8> {
    raw(&objects.iter().map(|object| object.as_bytes().to_vec()).collect::<Vec<_>>())
}

fn raw(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut pdf = b"%PDF-1.7\n".to_vec();
    let mut table = String::from("0000000000 65535 f \n");
    for (at, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", pdf.len()));
        pdf.extend(format!("{} 0 obj\n", at + 1).bytes());
        pdf.extend(object);
        pdf.extend(b"\nendobj\n");
    }
    let (start, size) = (pdf.len(), objects.len() + 1);
    pdf.extend(
        format!("xref\n0 {size}\n{table}trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF").bytes(),
    );
    pdf
}

/// A PDF of one page with these members and these drawing instructions.
pub(crate) fn page(members: &str, content: &str) -> Vec<u8> {
    stream(members, "", content.as_bytes())
}

/// The same with drawing instructions that are packed in some way.
pub(crate) fn stream(members: &str, packed_as: &str, content: &[u8]) -> Vec<u8> {
    let mut stream = format!("<< /Length {} {packed_as} >>\nstream\n", content.len()).into_bytes();
    stream.extend(content);
    stream.extend(b"\nendstream");
    raw(&[
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        format!("<< /Type /Page /Parent 2 0 R /Contents 4 0 R {members} >>").into_bytes(),
        stream,
    ])
}

/// A grey PNG.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8], data: &[u8]| {
        png.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        let body = [kind, data].concat();
        let mut sum = flate2::Crc::new();
        sum.update(&body);
        png.extend(body);
        png.extend(sum.sum().to_be_bytes());
    };
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    chunk(b"IHDR", &[size.as_slice(), &[8, 0, 0, 0, 0]].concat());
    let row = [vec![0], vec![0x77; width as usize]].concat();
    chunk(b"IDAT", &packed(&row.repeat(height as usize)));
    chunk(b"IEND", &[]);
    png
}

/// A black GIF.
pub(crate) fn gif(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, &[0, 0, 0, 255, 255, 255]).unwrap();
    let pixels = vec![0; usize::from(width) * usize::from(height)];
    encoder.write_frame(&gif::Frame::from_indexed_pixels(width, height, pixels, None)).unwrap();
    drop(encoder);
    bytes
}
