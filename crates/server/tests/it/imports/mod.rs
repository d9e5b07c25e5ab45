//! Imports in two steps and exports, of something made up for the purpose.

mod exports;
mod gadgets;
mod steps;

use reqwest::multipart::Form;
use sheet::{Cells, Column, FileKind, ReadError, Rows};
use testkit::{Answer, Method, Person, Site, form};

/// The table in a file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Rows for Table {
    type Error = ReadError;

    fn header(&mut self, columns: &[Column]) -> Result<(), ReadError> {
        self.columns = columns.iter().map(|column| column.written.clone()).collect();
        Ok(())
    }

    fn row(&mut self, _: u32, cells: &Cells) -> Result<(), ReadError> {
        self.rows.push((0..self.columns.len()).map(|column| cells.get(column).to_owned()).collect());
        Ok(())
    }
}

pub(crate) fn table(kind: FileKind, file: &[u8]) -> Table {
    let mut table = Table::default();
    sheet::read(kind, file, &mut table).unwrap();
    table
}

/// Somebody at the address of the made-up operations.
async fn clerk(site: &Site, base: &str) -> Person {
    site.user("clerk", "org:department:write org:department:read").await.at(base)
}

fn dry_run(name: &str, file: &[u8]) -> Form {
    form(&[("place", "here")], &[("file", name, file)])
}

/// A dry run whose answer is JSON whatever comes of it.
async fn try_import(person: &Person, name: &str, file: &[u8]) -> Answer {
    let request = person.request(Method::POST, "/gadget/import").header("accept", "text/csv, application/json;q=0.5");
    person.send(request.multipart(dry_run(name, file))).await
}

async fn execute(person: &Person, key: &str, fields: &[(&'static str, &str)]) -> Answer {
    let fields = [&[("dry_run", "false"), ("file_key", key)], fields].concat();
    person.upload(Method::POST, "/gadget/import", &fields, &[]).await
}

/// The key that a clean dry run gives.
async fn tried(person: &Person, file: &str) -> String {
    let answer = try_import(person, "a.csv", file.as_bytes()).await.expect(200);
    answer.body["file_key"].as_str().unwrap_or_else(|| panic!("{}", answer.text)).to_owned()
}
