//! Documents as PDF: headings, facts, tables, images and the pages of other PDFs, on A4, with a header and a footer on
//! each page. Plain data in, bytes out. The result is PDF/A-2b; only with pages of another PDF in it, which nobody can
//! vouch for, it is plain PDF 1.7.
//!
//! Images and PDFs come from anywhere, so reading them stays within limits however a file was made. What [`drawable`]
//! and [`pages_of`] accept can be drawn; of anything else a caller shows the name.

mod error;
mod flow;
mod foreign;
mod paint;
mod picture;
#[cfg(test)]
mod samples;
mod table;
mod text;

pub use error::PrintError;
pub use foreign::{MOST_PDF_BYTES, MOST_PDF_PAGES, pages_of};
pub use picture::{MOST_JPEG_PIXELS, MOST_PIXELS, drawable};

/// What is printed.
#[derive(Debug, Clone)]
pub struct Document {
    /// The name that viewers show. It is not printed.
    pub title: String,
    /// Stands at the top of every page but the first, as far as no part has a header of its own.
    pub header: Option<String>,
    pub footer: Footer,
    pub created: OffsetStamp,
    pub blocks: Vec<Block>,
}

/// What stands at the foot of every page, beside its number.
#[derive(Debug, Clone, Default)]
pub struct Footer {
    pub company: Option<String>,
    /// Left out if it can't be drawn.
    pub logo: Option<Image>,
    /// When and by whom the document was printed, as it should read.
    pub printed: String,
}

/// A time as a clock with an offset shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetStamp {
    pub year: u16,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    /// Minutes ahead of UTC.
    pub offset: i16,
}

/// A piece of a document.
#[derive(Debug, Clone)]
pub enum Block {
    /// What follows begins on a new page, and this stands at the top of all its pages.
    Part {
        header: String,
    },
    /// Stays with what follows and is listed among the bookmarks. The one that opens the document is larger.
    Heading {
        text: String,
        sub: Option<String>,
    },
    /// Names and their values.
    Facts(Vec<(String, String)>),
    /// The headings are repeated on every page. A row is split only if it is taller than a page.
    Table {
        columns: Vec<Column>,
        rows: Vec<Vec<String>>,
    },
    Paragraph(String),
    Image {
        name: String,
        image: Image,
    },
    /// Each of its pages on a page of its own.
    ForeignPdf {
        name: String,
        bytes: Vec<u8>,
    },
}

/// A column of a table. Its width follows from what stands in it.
#[derive(Debug, Clone)]
pub struct Column {
    pub heading: String,
    pub align: Align,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    #[default]
    Start,
    /// For quantities.
    End,
}

impl Column {
    pub fn new(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), align: Align::Start }
    }

    /// A column of quantities.
    pub fn quantity(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), align: Align::End }
    }
}

#[derive(Debug, Clone)]
pub struct Image {
    pub bytes: Vec<u8>,
    pub kind: ImageKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageKind {
    Png,
    Jpeg,
    /// The first frame is drawn.
    Gif,
    Webp,
}

impl ImageKind {
    /// By the first bytes of a file.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some(ImageKind::Png),
            [0xFF, 0xD8, 0xFF, ..] => Some(ImageKind::Jpeg),
            [b'G', b'I', b'F', b'8', ..] => Some(ImageKind::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(ImageKind::Webp),
            _ => None,
        }
    }
}

/// Prints a document. What it holds is in memory about three times while that lasts, so a caller bounds what it passes;
/// an image takes up to 150 MB more while it is unpacked.
pub fn pdf(document: &Document) -> Result<Vec<u8>, PrintError> {
    pdf_while(document, &|| true)
}

/// Prints a document as long as somebody wants it, and is asked so from row to row.
pub fn pdf_while(document: &Document, is_wanted: &dyn Fn() -> bool) -> Result<Vec<u8>, PrintError> {
    paint::paint(document, is_wanted)
}

#[cfg(test)]
mod tests;
