use std::io::Write;

use super::Cell;
use crate::{WriteError, guard};

/// One row according to RFC 4180. Semicolons are quoted as well, so that programs which guess the separator are not misled.
pub(super) fn row(to: &mut impl Write, cells: &[Cell<'_>]) -> Result<(), WriteError> {
    let mut line = String::new();
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        match cell {
            Cell::Empty => {}
            Cell::Text(text) => add_quoted(&guard(text), &mut line),
            Cell::Number(number) => line.push_str(number),
            Cell::Boolean(flag) => line.push_str(if *flag { "true" } else { "false" }),
        }
    }
    line.push_str("\r\n");
    Ok(to.write_all(line.as_bytes())?)
}

fn add_quoted(text: &str, line: &mut String) {
    if !text.contains([',', ';', '"', '\r', '\n', '\u{feff}']) {
        return line.push_str(text);
    }
    line.push('"');
    line.push_str(&text.replace('"', "\"\""));
    line.push('"');
}
