//! Files that try to exhaust memory or break the reader.

use std::io::{Cursor, Write};

use proptest::prelude::*;
use sheet::{Cell, FileKind, Look, ReadError, Writer};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::{RELATIONS, WORKBOOK, read, read_rows, why, workbook, zipped};

const HEADER: &str = r#"<row r="1"><c r="A1"><v>1</v></c></row>"#;

/// A workbook with one part that unpacks to `piece` this many times.
fn bomb(path: &str, begin: &str, piece: &str, times: usize) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut part = |path: &str, text: &str| {
        zip.start_file(path, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    };
    part("xl/workbook.xml", WORKBOOK);
    part("xl/_rels/workbook.xml.rels", RELATIONS);
    if !path.contains("first") {
        part("xl/worksheets/first.xml", &format!("<worksheet><sheetData>{HEADER}</sheetData></worksheet>"));
    }
    part(path, begin);
    let many = piece.repeat(1 + (1 << 20) / piece.len());
    for _ in 0..times * piece.len() / many.len() {
        zip.write_all(many.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn bombs_are_not_unpacked() {
    let large = "too large: The workbook is too large when unpacked.";
    let strings = bomb("xl/sharedStrings.xml", "<sst>", &format!("<si><t>{}</t></si>", "x".repeat(5000)), 30_000);
    assert!(strings.len() < 1 << 20);
    assert_eq!(why(read(FileKind::Xlsx, &strings)), large);
    let styles = bomb("xl/styles.xml", "<styleSheet><cellXfs>", "<xf/>", 4_000_000);
    assert_eq!(why(read(FileKind::Xlsx, &styles)), large);
    let text = bomb("xl/worksheets/first.xml", "<worksheet><sheetData>", "x", 4 << 20);
    assert_eq!(why(read(FileKind::Xlsx, &text)), "too large: The workbook has a text of more than 1 MiB.");
    let tag = bomb("xl/worksheets/first.xml", "<worksheet><sheetData><row ", "a='' ", 1 << 20);
    assert_eq!(why(read(FileKind::Xlsx, &tag)), "too large: The workbook has a text of more than 1 MiB.");
    let deep = bomb("xl/worksheets/first.xml", "<worksheet><sheetData>", "<a>", 1 << 20);
    assert_eq!(
        why(read(FileKind::Xlsx, &deep)),
        "unreadable: The workbook is damaged: its elements are nested too deeply."
    );
}

#[test]
fn one_long_text_named_again_and_again() {
    let long = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(30_000));
    let row = r#"<row><c t="s"><v>0</v></c></row>"#.repeat(10_000);
    let file = read_rows(&format!("{HEADER}{row}"), &[("xl/sharedStrings.xml", &long)]);
    assert_eq!(why(file), "too large: The cells of the file have more than 128 MiB of text.");
}

#[test]
fn one_long_text_in_every_cell_of_a_row() {
    let cells: String = (0..900).map(|_| r#"<c t="s"><v>0</v></c>"#).collect();
    let sheet = format!(r#"<worksheet><sheetData><row r="1">{cells}</row></sheetData></worksheet>"#);
    let pieces =
        |times: usize| format!("<sst><si>{}</si></sst>", format!("<t>{}</t>", "x".repeat(1 << 19)).repeat(times));
    let workbook = |strings: &str| {
        zipped(&[
            ("xl/workbook.xml", WORKBOOK),
            ("xl/_rels/workbook.xml.rels", RELATIONS),
            ("xl/sharedStrings.xml", strings),
            ("xl/worksheets/first.xml", &sheet),
        ])
    };
    let long = "too large: The file has a cell of more than 1 MiB.";
    assert_eq!(why(read(FileKind::Xlsx, &workbook(&pieces(3)))), long);
    let many = "too large: The cells of the file have more than 128 MiB of text.";
    assert_eq!(why(read(FileKind::Xlsx, &workbook(&pieces(1)))), many);
}

#[test]
fn more_rows_and_columns_than_anybody_has() {
    let row = "<row><c><v>1</v></c></row>".repeat(200_001);
    assert_eq!(read_rows(&format!("{HEADER}{row}"), &[]).unwrap_err(), ReadError::TooManyRows(200_000));
    let wide = r#"<row r="1"><c r="ALM1"><v>1</v></c></row>"#;
    assert_eq!(why(read_rows(wide, &[])), "too large: Row 1 has more than 1000 cells.");
    let names: Vec<String> = (0..10_001).map(|index| format!("{index}.xml")).collect();
    let parts: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    assert_eq!(why(read(FileKind::Xlsx, &zipped(&parts))), "too large: The workbook has too many parts.");
}

/// Each of them once took seconds to minutes of one core; a test that hangs has failed.
#[test]
fn small_files_cost_little() {
    let formats: String = (0..20_000).rev().map(|id| format!(r#"<numFmt numFmtId="{id}" formatCode="0"/>"#)).collect();
    let styles = format!(
        "<styleSheet><numFmts>{formats}</numFmts>{}</styleSheet>",
        "<cellXfs><xf numFmtId='14'/></cellXfs>".repeat(20_000)
    );
    let row = r#"<row><c t="str"><v>a</v></c></row><row><c s="7"><v>1</v></c></row>"#;
    let table = read_rows(row, &[("xl/styles.xml", &styles)]).unwrap();
    assert_eq!(table.rows, [(2, vec!["1".to_owned()])], "the file says that format 14 is a plain number");

    let blanks = format!("<sst><si><t>{}</t></si></sst>", " ".repeat(1 << 19));
    let row = r#"<row><c t="s"><v>0</v></c></row>"#.repeat(100_000);
    let file = read_rows(&format!("{HEADER}{row}"), &[("xl/sharedStrings.xml", &blanks)]);
    assert_eq!(why(file), "too large: The cells of the file have more than 128 MiB of text.");

    let rows = bomb("xl/worksheets/first.xml", &format!("<worksheet><sheetData>{HEADER}"), "<row/>", 1_100_000);
    assert_eq!(why(read(FileKind::Xlsx, &rows)), "too large: The sheet has more than 1048576 rows.");
    let far = format!(r#"{HEADER}<row r="1048577"><c><v>1</v></c></row>"#);
    assert_eq!(why(read_rows(&far, &[])), "too large: The sheet has more than 1048576 rows.");

    let mut ends = good_files()[0].clone();
    for _ in 0..100 {
        ends.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0\xff\0\0\0\0\0\0\0\0\0");
    }
    assert_eq!(why(read(FileKind::Xlsx, &ends)), "too large: The workbook has too many parts.");
}

#[test]
fn damaged_workbooks_are_refused_in_a_sentence() {
    let refused = |rows: &str| why(read_rows(rows, &[]));
    for (rows, reason) in [
        (r#"<row r="2"/><row r="2"/>"#, "its rows are out of order"),
        (r#"<row r="x"/>"#, "its rows are out of order"),
        (r#"<row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>"#, "the cells of row 1 are out of order"),
        (r#"<row><c r="1"><v>1</v></c></row>"#, "a cell has no place"),
        (r#"<row><c t="s"><v>5</v></c></row>"#, "row 1 has a text that is not there"),
        (r#"<row><c><v>NaN</v></c></row>"#, "row 1 has a number that is none"),
        (r#"<row><c><v>one</v></c></row>"#, "row 1 has a number that is none"),
        (r#"<row><c t="str"><v>&boom;</v></c></row>"#, "it has an unknown entity boom"),
    ] {
        assert_eq!(refused(rows), format!("unreadable: The workbook is damaged: {reason}."), "{rows}");
    }
    assert!(refused("<row><c></row>").contains("damaged"));
    assert!(refused("<row").contains("damaged"));
    let nul = format!(r#"{HEADER}<row><c t="str"><v>_x0000_</v></c></row>"#);
    assert_eq!(refused(&nul), "unreadable: Row 2 contains the NUL character.");
    let no_archive = "unreadable: The file is no XLSX workbook, or is damaged or protected by a password.";
    for file in [&b""[..], b"PK", b"code,name\n", &[0xd0, 0xcf, 0x11, 0xe0]] {
        assert_eq!(why(read(FileKind::Xlsx, file)), no_archive);
    }
    assert_eq!(
        why(read(FileKind::Xlsx, &zipped(&[("xl/workbook.xml", "<workbook/>")]))),
        "unreadable: The workbook has no sheet."
    );
    assert!(why(read(FileKind::Xlsx, &zipped(&[]))).contains("lacks xl/workbook.xml"));
    let chart = [
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", RELATIONS),
        ("xl/worksheets/first.xml", "<chartsheet/>"),
    ];
    assert_eq!(why(read(FileKind::Xlsx, &zipped(&chart))), "unreadable: The first sheet of the workbook is no table.");
}

fn good_files() -> [Vec<u8>; 2] {
    let mut writer = Writer::new(FileKind::Xlsx, Vec::new()).unwrap();
    writer.header(["a", "b"]).unwrap();
    writer.row(Look::Bad, &[Cell::text("<x>"), Cell::number(5)]).unwrap();
    let strings = [("xl/sharedStrings.xml", "<sst><si><t>a</t></si></sst>")];
    [writer.finish().unwrap(), workbook(r#"<row><c t="s"><v>0</v></c></row><row><c><v>2</v></c></row>"#, &strings)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// However a file is damaged, it is read or refused.
    #[test]
    fn damage_never_panics(which in 0..2_usize, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in any::<Option<prop::sample::Index>>()) {
        let mut file = good_files()[which].clone();
        for (place, byte) in changes {
            let place = place.index(file.len());
            file[place] = byte;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        let _ = read(FileKind::Xlsx, &file);
    }

    #[test]
    fn made_up_sheets_never_panic(rows in "(<row( r=\"[0-9]{0,3}\")?>|</row>|<c( r=\"[A-Z]{0,3}[0-9]{0,2}\")?( t=\"(s|b|n|e|str|inlineStr)\")?( s=\"[0-9]\")?>|</c>|<v>|</v>|<is>|</is>|<t>|</t>|<f/>|[0-9.eE-]{0,6}|&amp;|&#[0-9]{1,7};|_x[0-9]{4}_){0,30}") {
        let _ = read_rows(&rows, &[("xl/sharedStrings.xml", &rows), ("xl/styles.xml", &rows)]);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(?s)[a-c,;\"\\r\\n\\x00 ]{0,40}") {
        let _ = crate::read_csv(&text);
    }
}
