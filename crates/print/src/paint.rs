//! Pages as PDF.

use std::num::NonZeroU64;

use krilla::color::luma;
use krilla::configure::{Archival, ConfigurationBuilder, PdfVersion};
use krilla::destination::XyzDestination;
use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::metadata::{DateTime, Metadata};
use krilla::num::NormalizedF32;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule, Stroke};
use krilla::surface::Surface;
use krilla::{Document as Pdf, SerializeSettings};

use crate::flow::{Area, Count, Item, LEFT, PAGE_HEIGHT, PAGE_WIDTH, Page, Pages, WIDTH, flow};
use crate::foreign::Foreign;
use crate::picture::{Picture, drawable};
use crate::text::{Setter, Style, cut, legible};
use crate::{Align, Block, Document, OffsetStamp, PrintError};

const HEADER: f32 = 32.0;
const FOOTER: f32 = PAGE_HEIGHT - 50.0;
const LOGO: (f32, f32) = (90.0, 22.0);

/// What a block shows besides text.
pub(crate) enum Art {
    None,
    Picture(Picture),
    Foreign(Foreign),
}

impl Art {
    fn of(block: &Block) -> Result<Self, String> {
        match block {
            Block::Image { image, .. } => Picture::read(image).map(Art::Picture),
            Block::ForeignPdf { bytes, .. } => Foreign::read(bytes).map(Art::Foreign),
            _ => Ok(Art::None),
        }
    }
}

/// Viewers show no more of a name, and an archive file may not have texts of any length.
const LONGEST_NAME: usize = 300;

pub(crate) fn paint(document: &Document, is_wanted: &dyn Fn() -> bool) -> Result<Vec<u8>, PrintError> {
    let mut art = Vec::with_capacity(document.blocks.len());
    for (block, one) in document.blocks.iter().enumerate() {
        if !is_wanted() {
            return Err(PrintError::Stopped);
        }
        art.push(Art::of(one).map_err(|reason| PrintError::NotDrawn { block, reason })?);
    }
    let logo = document.footer.logo.as_ref().filter(|logo| drawable(logo)).and_then(|logo| Picture::read(logo).ok());
    let mut count = Count::default();
    flow(document, &art, is_wanted, &mut count)?;
    let is_foreign = art.iter().any(|art| matches!(art, Art::Foreign(_)));
    let pdf = Pdf::new_with(settings(!is_foreign)?);
    let mut painter = Painter {
        document,
        art: &art,
        logo,
        total: count.0,
        number: 0,
        setter: Setter::new(),
        pdf,
        outline: Outline::new(),
    };
    flow(document, &art, is_wanted, &mut painter)?;
    painter.finish()
}

/// How a PDF is written. `archival` is PDF/A-2b.
pub(crate) fn settings(archival: bool) -> Result<SerializeSettings, PrintError> {
    let configuration = ConfigurationBuilder::new().with_version(PdfVersion::Pdf17);
    let configuration = if archival { configuration.with_archival_validator(Archival::A2_B) } else { configuration };
    let configuration = configuration.finish().map_err(|error| PrintError::Pdf(format!("{error:?}")))?;
    Ok(SerializeSettings { configuration, enable_tagging: false, ..SerializeSettings::default() })
}

struct Painter<'a> {
    document: &'a Document,
    art: &'a [Art],
    logo: Option<Picture>,
    total: usize,
    number: usize,
    setter: Setter,
    pdf: Pdf,
    outline: Outline,
}

impl Pages for Painter<'_> {
    fn add(&mut self, page: Page) -> Result<(), PrintError> {
        for (text, y) in page.headings {
            let place = XyzDestination::new(self.number, Point::from_xy(LEFT, (y - 8.0).max(0.0)));
            self.outline.push_child(OutlineNode::new(cut(&text.replace('\n', " "), LONGEST_NAME), place));
        }
        self.number += 1;
        let size = Size::from_wh(PAGE_WIDTH, PAGE_HEIGHT).ok_or(PrintError::Pdf("no size".to_owned()))?;
        let mut sheet = self.pdf.start_page_with(PageSettings::new(size));
        let mut surface = sheet.surface();
        for item in &page.items {
            draw(&mut surface, item, self.art)?;
        }
        let header = page.header.as_deref().or(self.document.header.as_deref().filter(|_| self.number > 1));
        let margins = Margins { document: self.document, header, number: self.number, total: self.total };
        margins.draw(&mut surface, &mut self.setter, self.logo.as_ref())
    }
}

impl Painter<'_> {
    fn finish(mut self) -> Result<Vec<u8>, PrintError> {
        let Document { title, footer, created, .. } = self.document;
        let metadata = Metadata::new()
            .title(cut(&legible(title), LONGEST_NAME))
            .creator("Tracewright".to_owned())
            .authors(footer.company.iter().map(|company| cut(&legible(company), LONGEST_NAME)).collect())
            .creation_date(stamp(*created));
        self.pdf.set_metadata(metadata);
        self.pdf.set_outline(self.outline);
        Ok(self.pdf.finish()?)
    }
}

fn stamp(created: OffsetStamp) -> DateTime {
    let offset = created.offset.unsigned_abs();
    let hours = i8::try_from(offset / 60).unwrap_or(0);
    let minutes = u8::try_from(offset % 60).unwrap_or(0);
    DateTime::new(created.year)
        .month(created.month)
        .day(created.day)
        .hour(created.hour)
        .minute(created.minute)
        .second(created.second)
        .utc_offset_hour(if created.offset < 0 { -hours } else { hours })
        .utc_offset_minute(minutes)
}

fn draw(surface: &mut Surface<'_>, item: &Item, art: &[Art]) -> Result<(), PrintError> {
    match item {
        Item::Text { words, lines, x, y } => words.draw(surface, lines.clone(), *x, *y)?,
        Item::Rule { x, y, width, strong } => rule(surface, *x, *y, *width, if *strong { 120 } else { 215 }),
        Item::Shade { area } => {
            surface.set_stroke(None);
            surface.set_fill(Some(fill(238)));
            outline(surface, *area);
        }
        Item::Frame { area } => {
            surface.set_fill(None);
            surface.set_stroke(Some(stroke(190)));
            outline(surface, *area);
        }
        Item::Picture { block, area } => {
            if let Some(Art::Picture(picture)) = art.get(*block) {
                locate(surface, *block);
                picture.draw(surface, *area);
                surface.reset_location();
            }
        }
        Item::ForeignPage { block, page, area } => {
            if let (Some(Art::Foreign(foreign)), Some(size)) = (art.get(*block), Size::from_wh(area.width, area.height))
            {
                locate(surface, *block);
                surface.push_transform(&Transform::from_translate(area.x, area.y));
                surface.draw_pdf_page(&foreign.pdf, size, *page);
                surface.pop();
                surface.reset_location();
            }
        }
    }
    Ok(())
}

/// Tells errors which block is being drawn.
fn locate(surface: &mut Surface<'_>, block: usize) {
    if let Some(place) = NonZeroU64::new(block as u64 + 1) {
        surface.set_location(place);
    }
}

fn rule(surface: &mut Surface<'_>, x: f32, y: f32, width: f32, grey: u8) {
    let mut path = PathBuilder::new();
    path.move_to(x, y);
    path.line_to(x + width, y);
    surface.set_fill(None);
    surface.set_stroke(Some(stroke(grey)));
    if let Some(path) = path.finish() {
        surface.draw_path(&path);
    }
}

fn outline(surface: &mut Surface<'_>, area: Area) {
    let mut path = PathBuilder::new();
    if let Some(rect) = Rect::from_xywh(area.x, area.y, area.width, area.height) {
        path.push_rect(rect);
    }
    if let Some(path) = path.finish() {
        surface.draw_path(&path);
    }
}

fn fill(grey: u8) -> Fill {
    Fill { paint: luma::Color::new(grey).into(), opacity: NormalizedF32::ONE, rule: FillRule::NonZero }
}

fn stroke(grey: u8) -> Stroke {
    Stroke { paint: luma::Color::new(grey).into(), width: 0.5, ..Stroke::default() }
}

/// What stands above and below every page.
struct Margins<'a> {
    document: &'a Document,
    header: Option<&'a str>,
    number: usize,
    total: usize,
}

impl Margins<'_> {
    fn draw(&self, surface: &mut Surface<'_>, setter: &mut Setter, logo: Option<&Picture>) -> Result<(), PrintError> {
        if let Some(header) = self.header {
            let words = setter.set_line(&cut(header, LONGEST_NAME), Style::Margin, WIDTH, Align::Start);
            words.draw(surface, 0..words.lines(), LEFT, HEADER)?;
            rule(surface, LEFT, HEADER + words.height() + 3.0, WIDTH, 190);
        }
        rule(surface, LEFT, FOOTER, WIDTH, 190);
        let mut left = LEFT;
        if let Some(logo) = logo {
            let (width, height) = logo.size();
            let scale = (LOGO.0 / width).min(LOGO.1 / height);
            let area = Area { x: left, y: FOOTER + 6.0, width: width * scale, height: height * scale };
            logo.draw(surface, area);
            left += area.width + 8.0;
        }
        let footer = &self.document.footer;
        let company = cut(footer.company.as_deref().unwrap_or_default(), LONGEST_NAME);
        let width = WIDTH * 0.45 - (left - LEFT);
        let words = setter.set(&company, Style::Margin, width, Align::Start);
        words.draw(surface, 0..words.lines().min(2), left, FOOTER + 7.0)?;
        let words = setter.set(&footer.printed, Style::Margin, WIDTH * 0.35, Align::Start);
        words.draw(surface, 0..words.lines().min(2), LEFT + WIDTH * 0.47, FOOTER + 7.0)?;
        let page = format!("Page {} of {}", self.number, self.total);
        let words = setter.set_line(&page, Style::Margin, WIDTH * 0.17, Align::End);
        words.draw(surface, 0..words.lines(), LEFT + WIDTH * 0.83, FOOTER + 7.0)
    }
}
