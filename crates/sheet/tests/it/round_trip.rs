use proptest::prelude::*;
use sheet::{Cell, FileKind, Look, WriteError, Writer, unguard};

use crate::{Table, read};

fn write(kind: FileKind, header: &[&str], rows: &[Vec<Cell<'_>>]) -> Vec<u8> {
    let mut writer = Writer::new(kind, Vec::new()).unwrap();
    writer.header(header.iter().copied()).unwrap();
    for (index, row) in rows.iter().enumerate() {
        writer.row(if index % 3 == 0 { Look::Bad } else { Look::Plain }, row).unwrap();
    }
    writer.finish().unwrap()
}

/// Anything but NUL, and often characters that have a meaning in one of the formats.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "(?s)[^\\x00]{0,12}",
        "[=+@'\",;\\r\\n\\t -]{0,8}",
        "[_x005FfD<&>\\x01\\x1f\u{fffe}\u{ffff}]{0,20}",
        "_x[0-9a-fA-F]{4}_",
        "[0-9]{1,5}",
    ]
}

fn cell() -> impl Strategy<Value = Cell<'static>> {
    prop_oneof![
        4 => text().prop_map(Cell::text),
        1 => Just(Cell::Empty),
        1 => any::<bool>().prop_map(Cell::Boolean),
        1 => (any::<i64>(), 0..7_u32).prop_map(|(digits, point)| Cell::number(decimal(digits, point))),
    ]
}

/// A decimal in its shortest form, of up to 19 digits.
fn decimal(digits: i64, point: u32) -> String {
    let (sign, digits) = (if digits < 0 { "-" } else { "" }, digits.unsigned_abs());
    let one = 10_u64.pow(point);
    let fraction = format!("{:0width$}", digits % one, width = point as usize);
    let fraction = if point == 0 { "" } else { fraction.trim_end_matches('0') };
    let dot = if fraction.is_empty() { "" } else { "." };
    let sign = if digits == 0 { "" } else { sign };
    format!("{sign}{}{dot}{fraction}", digits / one)
}

fn expected(rows: &[Vec<Cell<'_>>]) -> Vec<(u32, Vec<String>)> {
    let shown = |cell: &Cell<'_>| match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => text.to_string(),
        Cell::Number(number) => number.clone(),
        Cell::Boolean(flag) => flag.to_string(),
    };
    let rows = rows.iter().zip(2..).map(|(row, number)| (number, row.iter().map(shown).collect::<Vec<String>>()));
    rows.filter(|(_, row)| row.iter().any(|cell| !cell.trim().is_empty())).collect()
}

/// Rows as importers see them: without the guard, and missing cells empty.
fn taken(table: Table, width: usize) -> Vec<(u32, Vec<String>)> {
    let row = |mut cells: Vec<String>| {
        cells.resize(width, String::new());
        cells.iter().map(|cell| unguard(cell).to_owned()).collect()
    };
    table.rows.into_iter().map(|(number, cells)| (number, row(cells))).collect()
}

proptest! {
    #[test]
    fn what_is_written_is_read(rows in prop::collection::vec(prop::collection::vec(cell(), 4), 1..8)) {
        let mut rows = rows;
        rows.push(vec![Cell::text("last"), Cell::Empty, Cell::Empty, Cell::Empty]);
        let header = ["code", "a;b;c;d;e", "a \"name\"", "meta:x,y"];
        for kind in [FileKind::Csv, FileKind::Xlsx] {
            let table = read(kind, &write(kind, &header, &rows)).unwrap();
            prop_assert_eq!(&table.columns, &header);
            prop_assert_eq!(taken(table, 4), expected(&rows));
        }
    }
}

#[test]
fn csv_as_it_looks() {
    let rows =
        [vec![Cell::text("=1+1"), Cell::number("-5"), Cell::text("a;b\n\"c\""), Cell::Boolean(true), Cell::Empty]];
    let file = write(FileKind::Csv, &["a", "b", "c", "d", "e"], &rows);
    assert_eq!(String::from_utf8(file).unwrap(), "a,b,c,d,e\r\n'=1+1,-5,\"a;b\n\"\"c\"\"\",true,\r\n");
}

#[test]
fn a_sheet_has_limits_of_its_own() {
    let mut writer = Writer::new(FileKind::Xlsx, std::io::sink()).unwrap();
    let longest = "\u{1f600}".repeat(16_383);
    writer.row(Look::Plain, &[Cell::text(longest.as_str())]).unwrap();
    let refused = writer.row(Look::Plain, &[Cell::text(longest + "ab")]);
    assert!(matches!(refused, Err(WriteError::LongCell { row: 2 })));
    let wide = vec![Cell::Empty; 16_385];
    assert!(matches!(writer.row(Look::Plain, &wide), Err(WriteError::LargeSheet)));
    let mut csv = Writer::new(FileKind::Csv, std::io::sink()).unwrap();
    csv.row(Look::Plain, &[Cell::text("x".repeat(40_000))]).unwrap();
}

/// A disk that is full.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let write = |kind| {
        let mut writer = Writer::new(kind, Full)?;
        for _ in 0..100_000 {
            writer.row(Look::Plain, &[Cell::text("text")])?;
        }
        writer.finish().map(|_| ())
    };
    for kind in [FileKind::Csv, FileKind::Xlsx] {
        assert!(matches!(write(kind), Err(WriteError::Io(_))), "{kind:?}");
    }
}
