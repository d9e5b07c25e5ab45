//! Which block stands where on which page. A document is laid out twice, to count its pages and to draw them: so one
//! page is in memory at a time, however long the document is.

use std::ops::Range;
use std::rc::Rc;

use crate::paint::Art;
use crate::table::{self, PADDING};
use crate::text::{Setter, Style, Words};
use crate::{Align, Block, Column, Document, PrintError};

pub(crate) const PAGE_WIDTH: f32 = 595.28;
pub(crate) const PAGE_HEIGHT: f32 = 841.89;
pub(crate) const LEFT: f32 = 51.0;
pub(crate) const WIDTH: f32 = PAGE_WIDTH - 2.0 * LEFT;
const TOP: f32 = 58.0;
const BOTTOM: f32 = PAGE_HEIGHT - 66.0;
const HEIGHT: f32 = BOTTOM - TOP;

const NAMES: f32 = 150.0;
/// Points per pixel: images are printed at 150 dots per inch, if they fit.
const PIXEL: f32 = 72.0 / 150.0;
const TALLEST_IMAGE: f32 = HEIGHT * 0.6;

/// What stands on a page.
#[derive(Default)]
pub(crate) struct Page {
    /// That of the part it belongs to.
    pub(crate) header: Option<Rc<str>>,
    pub(crate) items: Vec<Item>,
    /// Headings and how far down they are.
    pub(crate) headings: Vec<(String, f32)>,
}

pub(crate) enum Item {
    Text { words: Rc<Words>, lines: Range<usize>, x: f32, y: f32 },
    Rule { x: f32, y: f32, width: f32, strong: bool },
    Shade { area: Area },
    Frame { area: Area },
    Picture { block: usize, area: Area },
    ForeignPage { block: usize, page: usize, area: Area },
}

impl Item {
    fn move_by(&mut self, by: f32) {
        match self {
            Item::Text { y, .. } | Item::Rule { y, .. } => *y += by,
            Item::Shade { area }
            | Item::Frame { area }
            | Item::Picture { area, .. }
            | Item::ForeignPage { area, .. } => area.y += by,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

/// Takes the pages as they are finished.
pub(crate) trait Pages {
    fn add(&mut self, page: Page) -> Result<(), PrintError>;
}

/// Counts pages.
#[derive(Default)]
pub(crate) struct Count(pub(crate) usize);

impl Pages for Count {
    fn add(&mut self, _: Page) -> Result<(), PrintError> {
        self.0 += 1;
        Ok(())
    }
}

/// Lays out a document.
pub(crate) fn flow(
    document: &Document,
    art: &[Art],
    is_wanted: &dyn Fn() -> bool,
    pages: &mut dyn Pages,
) -> Result<(), PrintError> {
    let mut flow = Flow { setter: Setter::new(), page: Page::default(), y: TOP, heading: None, is_wanted, pages };
    for (index, block) in document.blocks.iter().enumerate() {
        flow.block(index, block, art.get(index))?;
    }
    flow.pages.add(flow.page)
}

struct Flow<'a> {
    setter: Setter,
    page: Page,
    y: f32,
    /// The headings that what follows has to stay with.
    heading: Option<Heading>,
    is_wanted: &'a dyn Fn() -> bool,
    pages: &'a mut dyn Pages,
}

/// Headings with nothing below them yet.
#[derive(Clone, Copy)]
struct Heading {
    /// The first of their items, the one after their last, and the first among the page's headings.
    first: usize,
    end: usize,
    listed: usize,
    y: f32,
}

/// Cells beside each other, and where each begins.
type Row = Vec<(f32, Rc<Words>)>;

impl Flow<'_> {
    fn block(&mut self, index: usize, block: &Block, art: Option<&Art>) -> Result<(), PrintError> {
        match block {
            Block::Part { header } => self.part(header)?,
            Block::Heading { text, sub } => self.heading(text, sub.as_deref(), index == 0)?,
            Block::Facts(facts) => self.facts(facts)?,
            Block::Table { columns, rows } => self.table(columns, rows)?,
            Block::Paragraph(text) => {
                let words = self.setter.set(text, Style::Body, WIDTH, Align::Start);
                self.row(vec![(LEFT, Rc::new(words))], 1.0, None)?;
                self.y += 4.0;
            }
            Block::Image { name, .. } => {
                if let Some(Art::Picture(picture)) = art {
                    self.image(index, name, picture.size())?;
                }
            }
            Block::ForeignPdf { name, .. } => {
                if let Some(Art::Foreign(foreign)) = art {
                    self.foreign(index, name, &foreign.sizes)?;
                }
            }
        }
        Ok(())
    }

    fn room(&self) -> f32 {
        BOTTOM - self.y
    }

    fn is_at_top(&self) -> bool {
        self.y <= TOP
    }

    fn part(&mut self, header: &str) -> Result<(), PrintError> {
        // A heading above belongs to the part before, even if nothing follows it.
        self.heading = None;
        if !self.is_at_top() {
            self.next_page()?;
        }
        self.page.header = Some(header.into());
        Ok(())
    }

    fn next_page(&mut self) -> Result<(), PrintError> {
        let mut next = Page { header: self.page.header.clone(), ..Page::default() };
        // One that is longer than a page has moved on already.
        let is_here = |heading: &Heading| {
            heading.first < heading.end
                && heading.end == self.page.items.len()
                && heading.listed < self.page.headings.len()
        };
        let alone = self.heading.filter(|heading| is_here(heading) && heading.first > 0);
        self.heading = None;
        let mut y = TOP;
        if let Some(heading) = alone {
            let by = TOP - heading.y;
            next.items = self.page.items.split_off(heading.first);
            next.items.iter_mut().for_each(|item| item.move_by(by));
            next.headings = self.page.headings.split_off(heading.listed);
            next.headings.iter_mut().for_each(|(_, y)| *y += by);
            y = self.y + by;
        }
        self.y = y;
        self.pages.add(std::mem::replace(&mut self.page, next))
    }

    /// Goes to the next page unless this much fits on this one.
    fn need(&mut self, height: f32) -> Result<(), PrintError> {
        if height > self.room() && !self.is_at_top() { self.next_page() } else { Ok(()) }
    }

    fn heading(&mut self, text: &str, sub: Option<&str>, opens: bool) -> Result<(), PrintError> {
        let style = if opens { Style::Title } else { Style::Heading };
        let words = Rc::new(self.setter.set(text, style, WIDTH, Align::Start));
        let sub = sub.map(|sub| Rc::new(self.setter.set(sub, Style::Sub, WIDTH, Align::Start)));
        let height = words.height() + sub.as_ref().map_or(0.0, |sub| sub.height());
        if !self.is_at_top() {
            self.y += 12.0;
        }
        self.need(height)?;
        let first = self.page.items.len();
        let start = Heading { first, end: first, listed: self.page.headings.len(), y: self.y };
        // One under another moves with it.
        let start = self.heading.filter(|above| above.end == first).unwrap_or(start);
        self.page.headings.push((words.text().to_owned(), self.y));
        self.row(vec![(LEFT, words)], 0.0, None)?;
        if let Some(sub) = sub {
            self.row(vec![(LEFT, sub)], 0.0, None)?;
        }
        self.y += 3.0;
        self.page.items.push(Item::Rule { x: LEFT, y: self.y, width: WIDTH, strong: true });
        self.y += 6.0;
        self.heading = Some(Heading { end: self.page.items.len(), ..start });
        Ok(())
    }

    fn facts(&mut self, facts: &[(String, String)]) -> Result<(), PrintError> {
        for (name, value) in facts {
            let name = self.setter.set(name, Style::Name, NAMES - 8.0, Align::Start);
            let value = self.setter.set(value, Style::Body, WIDTH - NAMES, Align::Start);
            self.row(vec![(LEFT, Rc::new(name)), (LEFT + NAMES, Rc::new(value))], 1.5, None)?;
        }
        self.y += 4.0;
        Ok(())
    }

    fn table(&mut self, columns: &[Column], rows: &[Vec<String>]) -> Result<(), PrintError> {
        if columns.is_empty() {
            return Ok(());
        }
        let widths = table::widths(&mut self.setter, columns, rows, WIDTH);
        let headings = self.cells(columns, &widths, Style::CellHeading, |at| columns[at].heading.as_str());
        // The headings stay with the first row.
        let mut first = true;
        for row in rows {
            let row = self.cells(columns, &widths, Style::Cell, |at| row.get(at).map_or("", String::as_str));
            if std::mem::take(&mut first) {
                let both = tallest(&headings) + tallest(&row) + 4.0 * 2.5;
                if both <= HEIGHT {
                    self.need(both)?;
                }
                self.headings(&headings);
            }
            self.row(row, 2.5, Some(&headings))?;
            self.page.items.push(Item::Rule { x: LEFT, y: self.y, width: WIDTH, strong: false });
        }
        if first {
            self.need(tallest(&headings) + 5.0)?;
            self.headings(&headings);
        }
        self.y += 6.0;
        Ok(())
    }

    fn cells<'t>(&mut self, columns: &[Column], widths: &[f32], style: Style, text: impl Fn(usize) -> &'t str) -> Row {
        let mut x = LEFT;
        columns
            .iter()
            .zip(widths)
            .enumerate()
            .map(|(at, (column, width))| {
                let words = self.setter.set(text(at), style, width - 2.0 * PADDING, column.align);
                let cell = (x + PADDING, Rc::new(words));
                x += width;
                cell
            })
            .collect()
    }

    fn headings(&mut self, headings: &Row) {
        // Headings that leave no room for rows are cut.
        let height = (tallest(headings) + 5.0).min(HEIGHT / 2.0);
        let area = Area { x: LEFT, y: self.y, width: WIDTH, height };
        self.page.items.push(Item::Shade { area });
        for (x, words) in headings {
            let lines = 0..words.fit(0, height - 5.0);
            self.page.items.push(Item::Text { words: words.clone(), lines, x: *x, y: self.y + 2.5 });
        }
        self.y += height;
        self.page.items.push(Item::Rule { x: LEFT, y: self.y, width: WIDTH, strong: true });
    }

    /// Puts a row on this page or the next one, and splits it if no page can hold it.
    fn row(&mut self, row: Row, padding: f32, headings: Option<&Row>) -> Result<(), PrintError> {
        if !(self.is_wanted)() {
            return Err(PrintError::Stopped);
        }
        let above = headings.map_or(0.0, |headings| tallest(headings) + 5.0).min(HEIGHT / 2.0);
        let height = tallest(&row) + 2.0 * padding;
        if height > self.room() && height <= HEIGHT - above {
            self.next_page_under(headings)?;
        }
        let mut from = vec![0; row.len()];
        loop {
            let room = self.room() - 2.0 * padding;
            let mut drawn: f32 = 0.0;
            let mut moved = false;
            for ((x, words), from) in row.iter().zip(&mut from) {
                let lines = *from..words.fit(*from, room);
                moved |= !lines.is_empty();
                drawn = drawn.max(words.height_of(lines.clone()));
                *from = lines.end;
                if !lines.is_empty() {
                    self.page.items.push(Item::Text { words: words.clone(), lines, x: *x, y: self.y + padding });
                }
            }
            let done = row.iter().zip(&from).all(|((_, words), from)| *from == words.lines());
            if moved || done {
                self.y += drawn + 2.0 * padding;
            }
            if done {
                return Ok(());
            }
            self.next_page_under(headings)?;
        }
    }

    fn next_page_under(&mut self, headings: Option<&Row>) -> Result<(), PrintError> {
        self.next_page()?;
        if let Some(headings) = headings {
            self.headings(headings);
        }
        Ok(())
    }

    fn image(&mut self, block: usize, name: &str, pixels: (f32, f32)) -> Result<(), PrintError> {
        let caption = self.setter.set_line(name, Style::Name, WIDTH, Align::Start);
        let (width, height) = (pixels.0 * PIXEL, pixels.1 * PIXEL);
        let scale = (WIDTH / width).min(TALLEST_IMAGE / height).min(1.0);
        let (width, height) = (width * scale, height * scale);
        self.need(caption.height() + height + 16.0)?;
        self.row(vec![(LEFT, Rc::new(caption))], 2.0, None)?;
        let area = Area { x: LEFT, y: self.y, width, height };
        self.page.items.push(Item::Picture { block, area });
        self.page.items.push(Item::Frame { area });
        self.y += height + 10.0;
        Ok(())
    }

    fn foreign(&mut self, block: usize, name: &str, sizes: &[(f32, f32)]) -> Result<(), PrintError> {
        for (page, (width, height)) in sizes.iter().enumerate() {
            if !self.is_at_top() {
                self.next_page()?;
            }
            let caption = format!("{name} – {} of {}", page + 1, sizes.len());
            let caption = self.setter.set_line(&caption, Style::Name, WIDTH, Align::Start);
            self.row(vec![(LEFT, Rc::new(caption))], 2.0, None)?;
            self.y += 2.0;
            let scale = (WIDTH / width).min(self.room() / height).min(1.0);
            let (width, height) = (width * scale, height * scale);
            let area = Area { x: LEFT + (WIDTH - width) / 2.0, y: self.y, width, height };
            self.page.items.push(Item::ForeignPage { block, page, area });
            self.page.items.push(Item::Frame { area });
            self.y = BOTTOM;
        }
        Ok(())
    }
}

fn tallest(row: &Row) -> f32 {
    row.iter().map(|(_, words)| words.height()).fold(0.0, f32::max)
}
