//! Files of the plant, made on the spot: pictures as PNG, drawings and test curves as PDF. They hold no fonts, so that every
//! reader and every record can show them.

use std::fmt::Write;

use super::dice::Dice;

/// A file to send.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

type Colour = [u8; 3];

const WIDTH: usize = 96;
const HEIGHT: usize = 64;
const PAPER: Colour = [245, 246, 248];

/// A picture of a part: a body in its colour with a dark hub.
pub(super) fn picture(name: &str, colour: Colour) -> File {
    let mut rows: Vec<u8> = Vec::with_capacity((WIDTH * 3 + 1) * HEIGHT);
    for y in 0..HEIGHT {
        // Each row begins with its filter: none.
        rows.push(0);
        for x in 0..WIDTH {
            rows.extend(dot(x, y, colour));
        }
    }
    let mut header: Vec<u8> = Vec::new();
    header.extend((WIDTH as u32).to_be_bytes());
    header.extend((HEIGHT as u32).to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", header), (b"IDAT", stored(&rows)), (b"IEND", Vec::new())] {
        bytes.extend(chunk(kind, &data));
    }
    File { name: name.to_owned(), bytes }
}

fn dot(x: usize, y: usize, colour: Colour) -> Colour {
    let (across, down) = (x.abs_diff(WIDTH / 2), y.abs_diff(HEIGHT / 2));
    match across * across + down * down {
        0..=64 => [40, 44, 52],
        65..=100 => PAPER,
        _ if across < 36 && down < 20 => colour,
        _ => PAPER,
    }
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut named = kind.to_vec();
    named.extend(data);
    let mut chunk = (data.len() as u32).to_be_bytes().to_vec();
    let sum = crc32(&named);
    chunk.extend(named);
    chunk.extend(sum.to_be_bytes());
    chunk
}

/// Bytes in the frame of zlib, not compressed.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut framed = vec![0x78, 0x01];
    let blocks = bytes.chunks(0xFFFF);
    let last = blocks.len().saturating_sub(1);
    for (place, block) in blocks.enumerate() {
        let length = block.len() as u16;
        framed.push(u8::from(place == last));
        framed.extend(length.to_le_bytes());
        framed.extend((!length).to_le_bytes());
        framed.extend(block);
    }
    framed.extend(adler32(bytes).to_be_bytes());
    framed
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum: u32, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 })
    })
}

fn adler32(bytes: &[u8]) -> u32 {
    let (low, high) = bytes.iter().fold((1_u32, 0_u32), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    (high << 16) | low
}

/// A drawing: a frame with a title block, an outline, a bore and its centre lines.
pub(super) fn drawing(name: &str) -> File {
    let lines = "1 w 40 40 515 762 re S 355 40 200 70 re S 355 75 m 555 75 l S \
                 2 w 150 350 300 200 re S 1 w 260 410 80 80 re S \
                 0.5 w [8 3 2 3] 0 d 120 450 m 480 450 l S 300 320 m 300 580 l S";
    pdf(name, lines)
}

/// The curve of a test: efficiency over load.
pub(super) fn curve(name: &str, dice: &mut Dice) -> File {
    let mut lines = "1 w 80 500 m 80 780 l S 80 500 m 520 500 l S 0.2 0.4 0.7 RG 2 w 80 520 m".to_owned();
    for step in 1..=20_u64 {
        let height = 760 - 4 * (step.abs_diff(14)).pow(2) + dice.between(0, 9);
        let _ = write!(lines, " {} {} l", 80 + step * 21, height.max(520));
    }
    lines.push_str(" S");
    pdf(name, &lines)
}

/// A document of one page with these lines on it.
fn pdf(name: &str, lines: &str) -> File {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> /Contents 4 0 R >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{lines}\nendstream", lines.len() + 1),
        format!("<< /Title ({name}) >>"),
    ];
    let (mut text, mut places) = ("%PDF-1.4\n".to_owned(), String::new());
    for (place, object) in objects.iter().enumerate() {
        let _ = writeln!(places, "{:010} 00000 n ", text.len());
        let _ = write!(text, "{} 0 obj\n{object}\nendobj\n", place + 1);
    }
    let table = text.len();
    let _ = write!(text, "xref\n0 {}\n0000000000 65535 f \n{places}", objects.len() + 1);
    let _ = write!(text, "trailer\n<< /Size {} /Root 1 0 R /Info 5 0 R >>\n", objects.len() + 1);
    let _ = write!(text, "startxref\n{table}\n%%EOF\n");
    File { name: name.to_owned(), bytes: text.into_bytes() }
}

pub(super) fn note(name: &str, text: &str) -> File {
    File { name: name.to_owned(), bytes: text.as_bytes().to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_their_standards() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(adler32(b"Wikipedia"), 0x11E6_0398);
    }

    #[test]
    fn a_document_can_be_read() {
        for file in [drawing("a.pdf"), curve("b.pdf", &mut Dice::new())] {
            let document = lopdf::Document::load_mem(&file.bytes).unwrap();
            assert_eq!(document.get_pages().len(), 1, "{}", file.name);
        }
    }

    #[test]
    fn a_picture_holds_all_its_rows() {
        let file = picture("a.png", [1, 2, 3]);
        assert!(file.bytes.starts_with(b"\x89PNG\r\n\x1a\n") && file.bytes.ends_with(b"IEND\xae\x42\x60\x82"));
        assert!(file.bytes.len() > WIDTH * HEIGHT * 3);
    }
}
