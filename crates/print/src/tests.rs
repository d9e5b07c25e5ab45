use proptest::prelude::*;

use crate::samples::{self, of};
use crate::*;

/// The text of each page.
fn pages(document: &Document) -> Vec<String> {
    let bytes = pdf(document).unwrap();
    let read = lopdf::Document::load_mem(&bytes).unwrap();
    let count = u32::try_from(read.get_pages().len()).unwrap();
    (1..=count).map(|page| read.extract_text(&[page]).unwrap().replace('\n', " ")).collect()
}

fn table(rows: Vec<Vec<String>>) -> Block {
    let columns = vec![Column::new("Component"), Column::new("Description"), Column::quantity("Quantity")];
    Block::Table { columns, rows }
}

fn row(number: usize) -> Vec<String> {
    vec![format!("C{number:04}."), "A seal ring made of rubber".to_owned(), number.to_string()]
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn a_document_is_an_archivable_pdf() {
    let document = of(vec![Block::Paragraph("Größe Ω 5 µm ✓".to_owned())]);
    let bytes = pdf(&document).unwrap();
    assert!(bytes.starts_with(b"%PDF-1.7"));
    assert!(holds(&bytes, "<pdfaid:part>2</pdfaid:part>"));
    assert!(holds(&bytes, "2026-03-09T14:05:00+01:00"));
    assert_eq!(bytes, pdf(&document).unwrap(), "the same document is the same file");
    let text = &pages(&document)[0];
    assert!(text.replace(' ', "").contains("GrößeΩ5µm✓"), "{text}");
    assert!(text.contains("Example Ltd") && text.contains("2026-03-09 14:05"), "{text}");
}

#[test]
fn an_empty_document_has_a_page() {
    assert_eq!(pages(&of(Vec::new())).len(), 1);
    assert_eq!(pages(&of(vec![Block::Facts(Vec::new()), table(Vec::new())])).len(), 1);
    assert_eq!(pages(&of(vec![Block::Table { columns: Vec::new(), rows: vec![vec!["lost".to_owned()]] }])).len(), 1);
}

#[test]
fn pages_are_numbered_and_all_but_the_first_have_the_header() {
    let pages = pages(&of(vec![table((0..200).map(row).collect())]));
    assert!(pages.len() > 3, "{}", pages.len());
    for (at, page) in pages.iter().enumerate() {
        assert!(page.contains(&format!("Page {} of {}", at + 1, pages.len())), "{page}");
        assert_eq!(page.contains("VB-06 · SN-1"), at > 0, "{page}");
    }
}

#[test]
fn a_table_repeats_its_headings_and_shows_every_row_once() {
    let pages = pages(&of(vec![table((0..200).map(row).collect())]));
    assert!(pages.iter().all(|page| page.contains("Component")));
    let all = pages.concat();
    for number in 0..200 {
        assert_eq!(all.matches(&format!("C{number:04}.")).count(), 1, "{number}");
    }
}

#[test]
fn a_row_is_split_only_if_no_page_holds_it() {
    let lines = |count: usize| (0..count).map(|line| format!("L{line:03}.")).collect::<Vec<_>>().join("\n");
    let cells = |count| vec!["first".to_owned(), lines(count), String::new()];
    let filler = || (0..30).map(row);
    let moved = pages(&of(vec![table(filler().chain([cells(40)]).collect())]));
    assert_eq!(moved.len(), 2);
    assert!(moved[1].contains("L000.") && moved[1].contains("L039.") && !moved[0].contains("L000."));
    let split = pages(&of(vec![table(filler().chain([cells(200)]).collect())]));
    assert!(split[0].contains("L000."), "what must be split begins at once");
    let all = split.concat();
    for line in 0..200 {
        assert_eq!(all.matches(&format!("L{line:03}.")).count(), 1, "{line}");
    }
}

#[test]
fn a_heading_stays_with_what_follows() {
    let heading = || Block::Heading { text: "Components".to_owned(), sub: Some("Materials used".to_owned()) };
    let image = Image { bytes: samples::png(10, 300), kind: ImageKind::Png };
    for filled in 38..48 {
        let filler = || Block::Facts((0..filled).map(|line| (format!("N{line}"), "value".to_owned())).collect());
        for (shown, follows) in [
            ("C0007.", table(vec![row(7)])),
            ("seal.png", Block::Image { name: "seal.png".to_owned(), image: image.clone() }),
        ] {
            let pages = pages(&of(vec![filler(), heading(), heading(), follows]));
            let page = pages.iter().find(|page| page.contains("Materials used")).unwrap();
            assert!(page.contains(shown) && page.matches("Materials used").count() == 2, "{filled}: {page}");
        }
    }
}

#[test]
fn what_can_not_be_drawn_is_named_by_its_place() {
    let broken = Image { bytes: samples::png(4, 4)[..40].to_vec(), kind: ImageKind::Png };
    let blocks =
        vec![Block::Paragraph("x".to_owned()), Block::Image { name: "a.png".to_owned(), image: broken.clone() }];
    assert!(matches!(pdf(&of(blocks)), Err(PrintError::NotDrawn { block: 1, .. })));
    let foreign = Block::ForeignPdf { name: "a.pdf".to_owned(), bytes: b"%PDF-1.4".to_vec() };
    assert!(matches!(pdf(&of(vec![foreign])), Err(PrintError::NotDrawn { block: 0, .. })));
    let mut document = of(Vec::new());
    document.footer.logo = Some(broken);
    assert!(pdf(&document).is_ok(), "a logo is left out");
}

#[test]
fn images_stand_under_their_names() {
    let image = Image { bytes: samples::png(900, 4000), kind: ImageKind::Png };
    let mut document = of(vec![Block::Image { name: "seal.png".to_owned(), image: image.clone() }]);
    document.footer.logo = Some(image);
    assert!(pages(&document)[0].contains("seal.png"));
}

#[test]
fn pages_of_other_pdfs_stand_between_header_and_footer() {
    let bytes = samples::document(2);
    let foreign = Block::ForeignPdf { name: "certificate.pdf".to_owned(), bytes };
    let document = of(vec![Block::Paragraph("before".to_owned()), foreign, Block::Paragraph("after".to_owned())]);
    let bytes = pdf(&document).unwrap();
    assert!(!holds(&bytes, "pdfaid:part"), "nobody can vouch for a foreign page");
    let pages = pages(&document);
    assert_eq!(pages.len(), 4);
    assert!(pages[1].contains("certificate.pdf – 1 of 2") && pages[1].contains("Page 2 of 4"), "{}", pages[1]);
    assert!(pages[3].contains("after"), "{}", pages[3]);
}

#[test]
fn a_part_begins_on_a_new_page_under_its_own_header() {
    let part = |header: &str| Block::Part { header: header.to_owned() };
    let rows = || table((0..80).map(row).collect());
    let heading = || Block::Heading { text: "Records".to_owned(), sub: None };
    let pages = pages(&of(vec![rows(), heading(), part("A › B"), rows(), part("A › C"), heading()]));
    let first = pages.iter().position(|page| page.contains("A › B")).unwrap();
    assert!(pages[first].contains("C0000.") && !pages[first].contains("Records"), "{}", pages[first]);
    assert!(pages[first - 1].contains("Records"), "what stands before a part stays there");
    let last = pages.len() - 1;
    assert!(pages[first..last].iter().all(|page| page.contains("A › B")) && last > first + 1);
    assert!(pages[last].contains("A › C") && pages[last].contains("Records"), "{}", pages[last]);
    assert!(pages[1..first].iter().all(|page| page.contains("VB-06 · SN-1")));
    assert!(pages[first..].iter().all(|page| !page.contains("VB-06 · SN-1")));
}

#[test]
fn printing_stops_when_nobody_wants_it() {
    let document = of(vec![table((0..200).map(row).collect())]);
    let asked = std::cell::Cell::new(0);
    let is_wanted = || {
        asked.set(asked.get() + 1);
        asked.get() < 50
    };
    assert!(matches!(pdf_while(&document, &is_wanted), Err(PrintError::Stopped)));
    assert_eq!(asked.get(), 50);
}

#[test]
fn texts_of_any_length_can_be_printed() {
    for text in ["\u{E0041}".repeat(10_000), format!("a{}", "\u{301}".repeat(20_000)), "x".repeat(50_000)] {
        let heading = Block::Heading { text: text.clone(), sub: Some(text.clone()) };
        let mut document = of(vec![heading, table(vec![vec![text.clone()]]), Block::Paragraph(text.clone())]);
        document.title = text.clone();
        document.footer.company = Some(text);
        let printed = pdf(&document);
        assert!(printed.is_ok(), "{:?}", printed.err());
    }
}

#[test]
fn columns_of_a_short_row_stay_empty() {
    assert!(pages(&of(vec![table(vec![vec!["C1".to_owned()], row(2), vec![String::new(); 9]])]))[0].contains("C0002."));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever people write, it becomes a valid archive file.
    #[test]
    fn any_text_can_be_printed(texts in prop::collection::vec(any::<String>(), 4), word in "[\\PC]{0,300}") {
        let heading = Block::Heading { text: texts[0].clone(), sub: Some(texts[1].clone()) };
        let facts = Block::Facts(vec![(texts[2].clone(), word.clone())]);
        let mut document = of(vec![heading, facts, table(vec![texts.clone()]), Block::Paragraph(word)]);
        document.title = texts[3].clone();
        document.header = Some(texts[2].clone());
        document.footer.company = Some(texts[1].clone());
        let printed = pdf(&document);
        prop_assert!(printed.is_ok(), "{:?}", printed.err());
    }

    /// However a file is damaged, what is said to be drawable can be drawn.
    #[test]
    fn damaged_files_are_refused_or_drawn(
        pdf in any::<bool>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let page = || samples::page("/MediaBox [0 0 90 90]", "0 0 m 9 9 l S");
        let mut bytes = if pdf { page() } else { samples::png(40, 30) };
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let name = "damaged".to_owned();
        let block = if pdf {
            pages_of(&bytes).map(|_| Block::ForeignPdf { name, bytes })
        } else {
            let image = Image { bytes, kind: ImageKind::Png };
            drawable(&image).then_some(Block::Image { name, image })
        };
        if let Some(block) = block {
            prop_assert!(crate::pdf(&of(vec![block])).is_ok());
        }
    }
}
