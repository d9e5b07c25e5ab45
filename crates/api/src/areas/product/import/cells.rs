use super::super::columns::NAMES;

/// The non-empty cells of a row, stored compactly: a file may have millions of them.
pub(in super::super) struct Cells {
    pub(super) code: String,
    text: String,
    /// The index of a column and the end of its text.
    ends: Vec<(u16, u32)>,
}

impl Cells {
    pub(super) fn new(code: &str) -> Self {
        Self { code: code.to_owned(), text: String::new(), ends: Vec::new() }
    }

    pub(super) fn put(&mut self, column: usize, cell: &str) {
        self.text.push_str(cell);
        self.ends.push((column as u16, self.text.len() as u32));
    }

    fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        let starts = [0].into_iter().chain(self.ends.iter().map(|(_, end)| *end as usize));
        self.ends.iter().zip(starts).map(|((column, end), start)| (*column as usize, &self.text[start..*end as usize]))
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(column, _)| NAMES.get(*column) == Some(&name)).map(|(_, cell)| cell)
    }

    /// The cells of custom fields, by the index of their column among such columns.
    pub(super) fn custom(&self) -> impl Iterator<Item = (usize, &str)> {
        self.iter().filter_map(|(column, cell)| Some((column.checked_sub(NAMES.len())?, cell)))
    }
}
