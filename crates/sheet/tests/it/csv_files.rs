use sheet::ReadError;

use crate::{read_csv, shown, why};

#[test]
fn the_header_shows_the_separator() {
    for text in ["a,b\n1,2;3\n", "\u{feff} A ;b\r\n1;2\r\n", "\"x,y,z\";b\n1;2", "a\r1\r"] {
        let table = read_csv(text).unwrap();
        assert!(table.columns[0] == "a" || table.columns[0] == "x,y,z", "{text:?}");
    }
    assert_eq!(shown(&read_csv("a,b\n1,2;3\n").unwrap()), ["2: 1|2;3"]);
    assert_eq!(shown(&read_csv("A;B;;\n1;2,3;;\n").unwrap()), ["2: 1|2,3||"]);
    assert_eq!(read_csv("A;B;;\n1;2,3;;\n").unwrap().columns, ["a", "b"]);
}

#[test]
fn rows_are_counted_as_a_spreadsheet_does() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["a,b", "1,2", "", "", "\"3\n3\",4", " , ", ",", "5", "", ""].join(end);
        assert_eq!(shown(&read_csv(&text).unwrap()), ["2: 1|2", "5: 3\n3|4", "8: 5"], "{end:?}");
    }
    assert_eq!(shown(&read_csv("a\r\n\r\n\r\n1").unwrap()), ["4: 1"]);
}

#[test]
fn quotes() {
    let table = read_csv("a,b\n\"x\"\"y\",\"1,2\r\n3\"\n5\" pipe,\"\"\n").unwrap();
    assert_eq!(shown(&table), ["2: x\"y|1,2\r\n3", "3: 5\" pipe|"]);
    let open = why(read_csv("a,b\n1,2\n3,\"4\n5,6\n"));
    assert_eq!(open, "unreadable: A quoted cell that begins in row 3 is never closed.");
}

#[test]
fn what_is_no_table() {
    assert_eq!(read_csv("a,b\n").unwrap_err(), ReadError::NoRows);
    assert_eq!(read_csv("a,b\n,\n  \n").unwrap_err(), ReadError::NoRows);
    let no_header = "unreadable: The first row has to name the columns.";
    for text in ["", "\u{feff}", "\n\n", "\n1,2\n", ",,\n1,2\n"] {
        assert_eq!(why(read_csv(text)), no_header, "{text:?}");
    }
    assert_eq!(why(crate::read(sheet::FileKind::Csv, b"a\n\xff\n")), "unreadable: The file is not UTF-8 text.");
    assert_eq!(why(read_csv("a\nb\0\n")), "unreadable: The file contains the NUL character.");
}

#[test]
fn bounds() {
    let rows = "1\n".repeat(200_000);
    assert_eq!(read_csv(&format!("a\n{rows}\n\n")).unwrap().rows.len(), 200_000);
    assert_eq!(read_csv(&format!("a\n{rows}2\n")).unwrap_err(), ReadError::TooManyRows(200_000));
    assert_eq!(why(read_csv(&format!("a\n{}\n", ",".repeat(1000)))), "too large: Row 2 has more than 1000 cells.");
    assert_eq!(
        why(read_csv(&format!("a\n{}\n", "x".repeat(1024 * 1024 + 1)))),
        "too large: Row 2 has a cell of more than 1 MiB."
    );
}
