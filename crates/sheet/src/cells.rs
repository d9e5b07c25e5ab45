/// The cells of one row as text. One allocation serves many rows.
#[derive(Debug, Clone, Default)]
pub struct Cells {
    text: String,
    ends: Vec<usize>,
}

impl Cells {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A missing cell is empty.
    pub fn get(&self, index: usize) -> &str {
        let Some(&end) = self.ends.get(index) else { return "" };
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..end]
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The length of all its text.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// Appends a cell, with empty ones in between.
    pub(crate) fn put(&mut self, index: usize, text: &str) {
        while self.ends.len() < index {
            self.push("");
        }
        self.push(text);
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.chars().all(char::is_whitespace)
    }
}
