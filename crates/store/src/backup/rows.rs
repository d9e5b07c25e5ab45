//! Rows as lines of JSON, and lists of names that are too long for memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Lines, Seek, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value as Json;

use super::BackupError;
use crate::Value;
use crate::schema::{Column, Kind, Table};

/// One row: `["key",1,true,null,"base64 of bytes"]`.
pub(super) fn write_row(row: Vec<Value>, out: &mut impl Write) -> io::Result<()> {
    let cells: Vec<Json> = row.into_iter().map(to_json).collect();
    serde_json::to_writer(&mut *out, &cells)?;
    out.write_all(b"\n")
}

fn to_json(value: Value) -> Json {
    match value {
        Value::Bool(value) => Json::Bool(value),
        Value::Int(value) => Json::from(value),
        Value::Text(text) => Json::String(text),
        Value::Bytes(bytes) => Json::String(BASE64.encode(bytes)),
        // No column holds a list or a pattern.
        Value::Null | Value::Texts(_) | Value::Ints(_) | Value::Pattern(_) | Value::Part(_) => Json::Null,
    }
}

fn from_json(column: &Column, cell: Json) -> Result<Value, String> {
    let value = match (column.kind, cell) {
        (_, Json::Null) => Some(Value::Null),
        (Kind::Int, Json::Number(number)) => number.as_i64().map(Value::Int),
        (Kind::Bool, Json::Bool(value)) => Some(Value::Bool(value)),
        (Kind::Text, Json::String(text)) => Some(Value::Text(text)),
        (Kind::Bytes, Json::String(text)) => BASE64.decode(text).ok().map(Value::Bytes),
        _ => None,
    };
    value.ok_or_else(|| format!("{} is no {}", column.name, column.kind.name()))
}

/// The rows of a table's member, one line at a time.
pub(super) struct Rows<'a, R> {
    table: &'a Table,
    lines: Lines<R>,
    number: u64,
}

impl<'a, R: BufRead> Rows<'a, R> {
    pub(super) fn new(table: &'a Table, from: R) -> Self {
        Self { table, lines: from.lines(), number: 0 }
    }

    fn row(&self, line: &str) -> Result<Vec<Value>, String> {
        let cells: Vec<Json> = domain::json::read(line.as_bytes()).map_err(|error| error.to_string())?;
        if cells.len() != self.table.columns.len() {
            return Err(format!("{} values for {} columns", cells.len(), self.table.columns.len()));
        }
        self.table.columns.iter().zip(cells).map(|(column, cell)| from_json(column, cell)).collect()
    }
}

impl<R: BufRead> Iterator for Rows<'_, R> {
    type Item = Result<Vec<Value>, BackupError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.lines.next()?;
        self.number += 1;
        let row = line.map_err(|error| error.to_string()).and_then(|line| self.row(&line));
        Some(row.map_err(|reason| BackupError::Refused {
            reason: format!("table {}, line {}: {reason}", self.table.name, self.number),
        }))
    }
}

/// Lines that wait on disk; the file has no name and goes with the process.
pub(super) struct Spool {
    file: BufWriter<File>,
}

impl Spool {
    pub(super) fn new() -> Result<Self, BackupError> {
        Ok(Self { file: BufWriter::new(tempfile::tempfile().map_err(BackupError::Spool)?) })
    }

    pub(super) fn push(&mut self, line: &str) -> Result<(), BackupError> {
        writeln!(self.file, "{line}").map_err(BackupError::Spool)
    }

    /// What was pushed, from the start.
    pub(super) fn read(self) -> Result<impl BufRead, BackupError> {
        let mut file = self.file.into_inner().map_err(|error| BackupError::Spool(error.into_error()))?;
        file.rewind().map_err(BackupError::Spool)?;
        Ok(BufReader::new(file))
    }

    pub(super) fn lines(self) -> Result<impl Iterator<Item = Result<String, BackupError>>, BackupError> {
        Ok(self.read()?.lines().map(|line| line.map_err(BackupError::Spool)))
    }
}
