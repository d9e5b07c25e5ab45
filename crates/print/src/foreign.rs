//! Pages of other PDFs. The reader that draws them trusts its input: a few brackets too many or a page that is its own
//! parent end the process. So a file is first read by one that bounds depth and size, and written anew with no more
//! than the pages and what they show: a flat list of pages, no compressed objects, no actions, forms or attachments.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use krilla::Document as Pdf;
use krilla::geom::Size;
use krilla::pdf::PdfDocument;
use lopdf::{Dictionary, Document, LoadOptions, Object, ObjectId, Stream};

use crate::paint::settings;

/// The largest PDF whose pages are drawn.
pub const MOST_PDF_BYTES: usize = 32 << 20;

/// The longest PDF whose pages are drawn.
pub const MOST_PDF_PAGES: usize = 200;

/// To so much may what describes the file unpack, and the drawing instructions of its pages.
const MOST_UNPACKED: usize = 64 << 20;
const MOST_COMPRESSED_PARTS: usize = 512;

/// The widest row of a packed image or table, in bytes. The reader makes room for a whole row before it looks at the
/// data, however small those are.
const MOST_ROW: u64 = 4 << 20;

/// So much blank space or comment stands between a name and its number at most.
const MOST_BLANK: usize = 256;

/// Nobody prints pages of less than a millimetre or of more than seven metres.
const SIDES: std::ops::RangeInclusive<f32> = 3.0..=20_000.0;

/// How many pages a PDF has, if they can be drawn.
pub fn pages_of(pdf: &[u8]) -> Option<usize> {
    // The readers are others' code, and what they stumble over must not take a whole document with it.
    catch_unwind(AssertUnwindSafe(|| try_out(pdf))).ok().flatten()
}

fn try_out(bytes: &[u8]) -> Option<usize> {
    let foreign = Foreign::read(bytes).ok()?;
    let mut pdf = Pdf::new_with(settings(false).ok()?);
    {
        let mut page = pdf.start_page();
        let mut surface = page.surface();
        for page in 0..foreign.sizes.len() {
            surface.draw_pdf_page(&foreign.pdf, Size::from_wh(10.0, 10.0)?, page);
        }
    }
    pdf.finish().ok()?;
    Some(foreign.sizes.len())
}

/// A PDF that was read.
pub(crate) struct Foreign {
    pub(crate) pdf: PdfDocument,
    /// Width and height of each page as it is seen.
    pub(crate) sizes: Vec<(f32, f32)>,
}

impl Foreign {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let (tidy, sizes) = tidy(bytes)?;
        let pdf = krilla::pdf::Pdf::new(tidy).map_err(|error| format!("{error:?}"))?;
        if pdf.pages().len() != sizes.len() {
            return Err("its pages can't be counted".to_owned());
        }
        Ok(Self { pdf: PdfDocument::new(Arc::new(pdf)), sizes })
    }
}

/// A document written anew, and the widths and heights of its pages.
type Tidied = (Vec<u8>, Vec<(f32, f32)>);

/// The same pages as a file that is safe to read, and the size of each.
fn tidy(bytes: &[u8]) -> Result<Tidied, String> {
    if bytes.len() > MOST_PDF_BYTES {
        return Err("it is too large".to_owned());
    }
    let options = LoadOptions { max_decompressed_size: Some(share(bytes)?), ..LoadOptions::default() };
    let source = Document::load_mem_with_options(bytes, options).map_err(|error| error.to_string())?;
    let pages: Vec<ObjectId> = source.page_iter().take(MOST_PDF_PAGES + 1).collect();
    if pages.is_empty() || pages.len() > MOST_PDF_PAGES {
        return Err(format!("it has no pages or more than {MOST_PDF_PAGES}"));
    }
    Excerpt::of(&source, &pages)
}

/// How much each compressed part of a file may unpack to, so that all together stay within bounds. What tells how parts
/// are packed is never packed itself, so it is found here, before anything is unpacked.
fn share(bytes: &[u8]) -> Result<usize, String> {
    let mut parts = 0;
    // The largest of all, wherever they stand: no file has rows that are wider than that.
    let (mut columns, mut colors, mut bits) = (1_u64, 1_u64, 8_u64);
    for at in memchr::memchr_iter(b'/', bytes) {
        let (name, rest) = name_at(&bytes[at + 1..]);
        match name.as_slice() {
            b"Encrypt" => return Err("it is encrypted".to_owned()),
            // Packed objects and packed tables of objects.
            b"First" | b"XRef" => parts += 1,
            b"Columns" => columns = columns.max(number_at(rest)),
            b"Colors" => colors = colors.max(number_at(rest)),
            b"BitsPerComponent" => bits = bits.max(number_at(rest)),
            _ => (),
        }
    }
    if columns.saturating_mul(colors).saturating_mul(bits) / 8 > MOST_ROW {
        return Err("a row of it is too wide".to_owned());
    }
    if parts > MOST_COMPRESSED_PARTS {
        return Err("it has too many compressed parts".to_owned());
    }
    Ok(MOST_UNPACKED / parts.max(8))
}

/// The first characters of a name, without escapes, and what follows. The names that matter here are shorter.
fn name_at(bytes: &[u8]) -> (Vec<u8>, &[u8]) {
    const LONGEST: usize = 17;
    let mut name = Vec::with_capacity(LONGEST);
    let mut rest = bytes;
    while name.len() < LONGEST {
        match *rest {
            [b'#', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                let digit = |hex: u8| (hex as char).to_digit(16).unwrap_or(0) as u8;
                name.push((digit(high) << 4) | digit(low));
                rest = &rest[3..];
            }
            [byte, ..] if byte.is_ascii_alphanumeric() => {
                name.push(byte);
                rest = &rest[1..];
            }
            _ => break,
        }
    }
    (name, rest)
}

/// The number that follows a name; 0 if none does. One behind a long comment or with many digits counts as too large.
fn number_at(bytes: &[u8]) -> u64 {
    let mut in_comment = false;
    let mut is_blank = |byte: u8| {
        in_comment = if in_comment { !matches!(byte, b'\r' | b'\n') } else { byte == b'%' };
        in_comment || matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0 | 0x0C)
    };
    let blanks = bytes.iter().take(MOST_BLANK).take_while(|byte| is_blank(**byte)).count();
    if blanks == MOST_BLANK {
        return u64::MAX;
    }
    let rest = &bytes[blanks..];
    let digits = rest.strip_prefix(b"+").unwrap_or(rest).iter().take(MOST_BLANK);
    let digits = digits.take_while(|byte| byte.is_ascii_digit());
    if digits.clone().count() == MOST_BLANK {
        return u64::MAX;
    }
    digits.fold(0, |number: u64, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}

/// Writes pages into a file of their own.
struct Excerpt<'a> {
    source: &'a Document,
    target: Document,
    /// Where what was copied is now.
    moved: BTreeMap<ObjectId, ObjectId>,
    /// What is still to be copied.
    open: Vec<ObjectId>,
    /// How much more drawing instructions may unpack to.
    left: usize,
}

impl Excerpt<'_> {
    fn of(source: &Document, pages: &[ObjectId]) -> Result<Tidied, String> {
        let target = Document::with_version("1.7");
        let mut excerpt = Excerpt { source, target, moved: BTreeMap::new(), open: Vec::new(), left: MOST_UNPACKED };
        let root = excerpt.target.new_object_id();
        let mut kids = Vec::new();
        let mut sizes = Vec::new();
        for page in pages {
            let (page, size) = excerpt.page(*page, root)?;
            kids.push(Object::Reference(excerpt.target.add_object(page)));
            sizes.push(size);
        }
        while let Some(id) = excerpt.open.pop() {
            let object = excerpt.source.get_object(id).cloned().unwrap_or(Object::Null);
            let object = excerpt.object(object);
            if let Some(to) = excerpt.moved.get(&id) {
                excerpt.target.objects.insert(*to, object);
            }
        }
        let mut tree = named("Pages");
        tree.set("Count", i64::try_from(kids.len()).unwrap_or(0));
        tree.set("Kids", kids);
        excerpt.target.objects.insert(root, Object::Dictionary(tree));
        let mut catalog = named("Catalog");
        catalog.set("Pages", root);
        let catalog = excerpt.target.add_object(catalog);
        excerpt.target.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        excerpt.target.save_to(&mut bytes).map_err(|error| error.to_string())?;
        Ok((bytes, sizes))
    }

    fn page(&mut self, id: ObjectId, root: ObjectId) -> Result<(Dictionary, (f32, f32)), String> {
        let content = self.source.get_page_content_with_limit(id, self.left).map_err(|error| error.to_string())?;
        self.left -= content.len().min(self.left);
        let stream = self.target.add_object(Stream::new(Dictionary::new(), content));
        let media = self.inherited(id, b"MediaBox").and_then(|media| self.sides(media));
        let media = media.unwrap_or([0.0, 0.0, 595.0, 842.0]);
        let crop = self.inherited(id, b"CropBox").and_then(|crop| self.sides(crop)).unwrap_or(media);
        let (width, height) = (crop[2] - crop[0], crop[3] - crop[1]);
        if !SIDES.contains(&width) || !SIDES.contains(&height) {
            return Err(format!("a page of it is {width} by {height} points"));
        }
        let turned = self.inherited(id, b"Rotate").and_then(|turned| turned.as_i64().ok()).unwrap_or(0).rem_euclid(360);
        let mut page = named("Page");
        page.set("Parent", root);
        page.set("Contents", stream);
        page.set("MediaBox", crop.map(Object::Real).to_vec());
        page.set("Rotate", turned);
        if let Some(resources) = self.inherited(id, b"Resources").cloned() {
            let resources = self.object(resources);
            page.set("Resources", resources);
        }
        let group = self.source.get_dictionary(id).and_then(|page| page.get(b"Group")).ok().cloned();
        if let Some(group) = group {
            let group = self.object(group);
            page.set("Group", group);
        }
        Ok((page, if turned % 180 == 90 { (height, width) } else { (width, height) }))
    }

    /// A member of a page, or of the nearest node above that has it.
    fn inherited(&self, page: ObjectId, member: &[u8]) -> Option<&Object> {
        const DEEPEST: usize = 64;
        let mut node = self.source.get_dictionary(page).ok()?;
        for _ in 0..DEEPEST {
            if let Ok(value) = node.get_deref(member, self.source) {
                return Some(value);
            }
            node = node.get_deref(b"Parent", self.source).and_then(Object::as_dict).ok()?;
        }
        None
    }

    /// Left, lower, right and upper side of a box.
    fn sides(&self, value: &Object) -> Option<[f32; 4]> {
        let value = value.as_array().ok()?;
        let side = |at: usize| {
            let (_, side) = self.source.dereference(value.get(at)?).ok()?;
            side.as_float().ok().filter(|side| side.is_finite())
        };
        let (one, two) = ((side(0)?, side(1)?), (side(2)?, side(3)?));
        Some([one.0.min(two.0), one.1.min(two.1), one.0.max(two.0), one.1.max(two.1)])
    }

    /// An object whose references lead into the new file. What it holds is no deeper than the reader allows.
    fn object(&mut self, object: Object) -> Object {
        match object {
            Object::Reference(id) => Object::Reference(self.place(id)),
            Object::Array(items) => Object::Array(items.into_iter().map(|item| self.object(item)).collect()),
            Object::Dictionary(members) => Object::Dictionary(self.members(members)),
            Object::Stream(stream) => Object::Stream(Stream::new(self.members(stream.dict), stream.content)),
            other => other,
        }
    }

    fn members(&mut self, members: Dictionary) -> Dictionary {
        // Neither the way back to the page tree nor what viewers act on.
        const LEFT_OUT: [&[u8]; 7] =
            [b"Parent", b"StructParent", b"StructParents", b"Metadata", b"PieceInfo", b"AA", b"OC"];
        let mut kept = Dictionary::new();
        for (name, value) in members {
            if !LEFT_OUT.contains(&name.as_slice()) {
                let value = self.object(value);
                kept.set(name, value);
            }
        }
        kept
    }

    fn place(&mut self, id: ObjectId) -> ObjectId {
        if let Some(to) = self.moved.get(&id) {
            return *to;
        }
        let to = self.target.new_object_id();
        self.moved.insert(id, to);
        self.open.push(id);
        to
    }
}

fn named(kind: &str) -> Dictionary {
    let mut dictionary = Dictionary::new();
    dictionary.set("Type", Object::Name(kind.as_bytes().to_vec()));
    dictionary
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn pages_are_counted() {
        assert_eq!(pages_of(&samples::document(3)), Some(3));
        assert_eq!(pages_of(b"%PDF-1.4\n"), None);
        assert_eq!(pages_of(b""), None);
        let whole = samples::document(1);
        assert_eq!(pages_of(&whole[..whole.len() / 3]), None);
    }

    #[test]
    fn pages_turned_or_cropped_have_the_size_that_is_seen() {
        let pdf = samples::page("/MediaBox [0 0 200 100] /CropBox [20 10 120 60] /Rotate 90", "0 0 m");
        assert_eq!(Foreign::read(&pdf).unwrap().sizes, [(50.0, 100.0)]);
        let pdf = samples::page("/MediaBox [0 0 999999 100]", "0 0 m");
        assert_eq!(pages_of(&pdf), None);
    }

    #[test]
    fn a_page_tree_without_end_is_no_danger() {
        let pdf = samples::objects(&["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"]);
        assert_eq!(pages_of(&pdf), None);
    }

    #[test]
    fn depth_without_end_is_no_danger() {
        let deep = format!("/Deep {}{}", "[".repeat(100_000), "]".repeat(100_000));
        let pages = pages_of(&samples::page(&format!("/MediaBox [0 0 9 9] /Resources << {deep} >>"), "0 0 m"));
        assert!(pages.is_none_or(|pages| pages <= 1), "{pages:?}");
    }

    #[test]
    fn more_than_can_be_unpacked_is_refused() {
        let packed = samples::packed(&vec![b' '; MOST_UNPACKED + 1]);
        assert!(packed.len() < 1 << 20);
        let pdf = samples::stream("/MediaBox [0 0 9 9]", "/Filter /FlateDecode", &packed);
        assert_eq!(pages_of(&pdf), None);
    }

    #[test]
    fn encrypted_files_are_refused_however_they_spell_it() {
        assert!(share(b"trailer << /Encrypt 5 0 R >>").is_err());
        assert!(share(b"trailer << /En#63rypt 5 0 R >>").is_err());
        assert_eq!(share(b"<< /EncryptMetadata false >>").unwrap(), MOST_UNPACKED / 8);
        assert!(share(&b"/Fir#73t 1 ".repeat(MOST_COMPRESSED_PARTS + 1)).is_err());
    }

    #[test]
    fn rows_of_any_width_are_refused_before_they_are_unpacked() {
        let packed_as = "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 1073741824 >>";
        let packed = samples::packed(b"\x020 0 m");
        let content = samples::stream("/MediaBox [0 0 9 9]", packed_as, &packed);
        let objects =
            samples::stream("/MediaBox [0 0 9 9]", &format!("/Type /ObjStm /N 1 /First 4 {packed_as}"), &packed);
        let mut table = format!(
            "%PDF-1.7\n1 0 obj\n<< /Type /XRef /Size 2 /W [1 2 1] /Root 1 0 R /Length {} {packed_as} >>\nstream\n",
            packed.len()
        )
        .into_bytes();
        table.extend(&packed);
        table.extend(b"\nendstream\nendobj\nstartxref\n9\n%%EOF");
        for pdf in [content, objects, table] {
            assert_eq!(tidy(&pdf).err().as_deref(), Some("a row of it is too wide"));
            assert_eq!(pages_of(&pdf), None);
        }
    }

    #[test]
    fn the_width_of_a_row_is_found_however_it_is_spelled() {
        for wide in [
            "/Columns 1073741824",
            "/Col#75mns+1073741824",
            "/Columns % a comment\n\t1073741824",
            "/Columns 99999999999999999999999",
            "/Columns 9999 /Colors 9999",
            "/Columns 999 /Colors 999 /BitsPerComponent 999",
        ] {
            assert_eq!(share(wide.as_bytes()).err().as_deref(), Some("a row of it is too wide"), "{wide}");
        }
        let hidden = format!("/Columns %{}\n9", "x".repeat(MOST_BLANK));
        let padded = format!("/Columns {}1073741824", "0".repeat(MOST_BLANK));
        assert!(share(hidden.as_bytes()).is_err() && share(padded.as_bytes()).is_err());
        for fine in
            ["/Columns 20000 /Colors 4 /BitsPerComponent 16", "/Columns", "/Columns 7 0 R", "/ColumnsX 1073741824"]
        {
            assert!(share(fine.as_bytes()).is_ok(), "{fine}");
        }
        let packed = samples::packed(b"\x000 0 m ");
        let narrow = "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 6 >>";
        assert_eq!(pages_of(&samples::stream("/MediaBox [0 0 9 9]", narrow, &packed)), Some(1));
    }
}
