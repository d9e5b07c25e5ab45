//! Text set in lines: which font, where lines break, and what stands for characters that the font lacks.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use krilla::color::luma;
use krilla::geom::Point;
use krilla::num::NormalizedF32;
use krilla::paint::{Fill, FillRule};
use krilla::surface::Surface;
use krilla::text::{Font, GlyphId, KrillaGlyph};
use parley::fontique::{Blob, Collection, CollectionOptions, FontInfoOverride, FontWidth, SourceCache};
use parley::{
    Alignment, AlignmentOptions, FontContext, FontFamily, FontWeight, Layout, LayoutContext, LineHeight, OverflowWrap,
    Run, StyleProperty,
};

use crate::{Align, PrintError};

const FAMILY: &str = "Print";

/// The fonts as they are drawn. Their coverage is wide: Latin, Greek, Cyrillic, Arabic, Hebrew, and the signs of
/// drawings.
static REGULAR: LazyLock<Option<Font>> = LazyLock::new(|| Font::new(dejavu::sans_condensed::regular().into(), 0));
static BOLD: LazyLock<Option<Font>> = LazyLock::new(|| Font::new(dejavu::sans_condensed::bold().into(), 0));

/// The fonts as they are measured.
static MEASURED: LazyLock<FontContext> = LazyLock::new(|| {
    let mut collection = Collection::new(CollectionOptions { shared: false, system_fonts: false });
    for (bytes, weight) in
        [(dejavu::sans_condensed::regular(), FontWeight::NORMAL), (dejavu::sans_condensed::bold(), FontWeight::BOLD)]
    {
        let named = FontInfoOverride {
            family_name: Some(FAMILY),
            width: Some(FontWidth::NORMAL),
            weight: Some(weight),
            ..FontInfoOverride::default()
        };
        collection.register_fonts(Blob::new(Arc::new(bytes)), Some(named));
    }
    FontContext { collection, source_cache: SourceCache::default() }
});

/// How a text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Title,
    Heading,
    Sub,
    Name,
    Body,
    Cell,
    CellHeading,
    Margin,
}

impl Style {
    fn size(self) -> f32 {
        match self {
            Style::Title => 19.0,
            Style::Heading => 12.5,
            Style::Sub | Style::Name | Style::Body => 9.0,
            Style::Cell | Style::CellHeading => 8.0,
            Style::Margin => 7.5,
        }
    }

    fn is_bold(self) -> bool {
        matches!(self, Style::Title | Style::Heading | Style::CellHeading)
    }

    fn ink(self) -> luma::Color {
        match self {
            Style::Sub | Style::Name | Style::Margin => luma::Color::new(90),
            _ => luma::Color::new(20),
        }
    }
}

/// Sets texts. Kept for a whole document, because it remembers what it shaped.
pub(crate) struct Setter {
    fonts: FontContext,
    layouts: LayoutContext<()>,
}

impl Setter {
    pub(crate) fn new() -> Self {
        Self { fonts: MEASURED.clone(), layouts: LayoutContext::new() }
    }

    /// A text in lines of this width.
    pub(crate) fn set(&mut self, text: &str, style: Style, width: f32, align: Align) -> Words {
        let mut words = self.shape(legible(text), style);
        words.layout.break_all_lines(Some(width));
        let alignment = if align == Align::End { Alignment::End } else { Alignment::Start };
        words.layout.align(alignment, AlignmentOptions::default());
        words
    }

    /// A text that stays on one line, cut where it doesn't fit.
    pub(crate) fn set_line(&mut self, text: &str, style: Style, width: f32, align: Align) -> Words {
        let text = legible(text).replace('\n', " ");
        let words = self.set(&text, style, width, align);
        let Some(first) = words.layout.get(0).filter(|_| words.lines() > 1) else { return words };
        let kept = words.text[first.text_range()].trim_end();
        let most = kept.chars().count();
        (0..most)
            .rev()
            .map(|length| {
                let cut: String = kept.chars().take(length).collect();
                self.set(&format!("{}…", cut.trim_end()), style, width, align)
            })
            .find(|cut| cut.lines() <= 1)
            .unwrap_or(words)
    }

    /// How wide a text is on one line, and its longest word.
    pub(crate) fn widths(&mut self, text: &str, style: Style) -> (f32, f32) {
        let words = self.shape(legible(text), style);
        let widths = words.layout.calculate_content_widths();
        (widths.max, widths.min)
    }

    fn shape(&mut self, text: String, style: Style) -> Words {
        let layout = self.build(&text, style);
        let missing = missing(&layout, &text);
        if missing.is_empty() {
            return Words { text, layout, style };
        }
        let text = spelled(&text, &missing);
        let layout = self.build(&text, style);
        Words { text, layout, style }
    }

    fn build(&mut self, text: &str, style: Style) -> Layout<()> {
        let mut builder = self.layouts.ranged_builder(&mut self.fonts, text, 1.0, false);
        builder.push_default(StyleProperty::FontFamily(FontFamily::named(FAMILY)));
        builder.push_default(StyleProperty::FontSize(style.size()));
        builder.push_default(StyleProperty::LineHeight(LineHeight::FontSizeRelative(1.3)));
        // Not `Anywhere`: the longest word is then no wider than a letter.
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::BreakWord));
        if style.is_bold() {
            builder.push_default(StyleProperty::FontWeight(FontWeight::BOLD));
        }
        let mut layout = builder.build(text);
        layout.break_all_lines(None);
        layout
    }
}

/// A text in lines.
pub(crate) struct Words {
    text: String,
    layout: Layout<()>,
    style: Style,
}

impl Words {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn lines(&self) -> usize {
        self.layout.len()
    }

    pub(crate) fn height(&self) -> f32 {
        self.height_of(0..self.lines())
    }

    pub(crate) fn height_of(&self, lines: Range<usize>) -> f32 {
        if lines.is_empty() {
            return 0.0;
        }
        let top = self.top(lines.start);
        self.layout.get(lines.end - 1).map_or(0.0, |line| line.metrics().block_max_coord - top)
    }

    /// Where the lines end that fit from here.
    pub(crate) fn fit(&self, from: usize, height: f32) -> usize {
        (from..self.lines()).find(|line| self.height_of(from..line + 1) > height).unwrap_or(self.lines())
    }

    fn top(&self, line: usize) -> f32 {
        self.layout.get(line).map_or(0.0, |line| line.metrics().block_min_coord)
    }

    /// Draws these lines, their upper left corner here.
    pub(crate) fn draw(
        &self,
        surface: &mut Surface<'_>,
        lines: Range<usize>,
        x: f32,
        y: f32,
    ) -> Result<(), PrintError> {
        let font = if self.style.is_bold() { &*BOLD } else { &*REGULAR };
        let font = font.as_ref().ok_or(PrintError::Fonts)?;
        surface.set_stroke(None);
        surface.set_fill(Some(Fill {
            paint: self.style.ink().into(),
            opacity: NormalizedF32::ONE,
            rule: FillRule::NonZero,
        }));
        let top = self.top(lines.start);
        for line in lines.filter_map(|line| self.layout.get(line)) {
            let mut at = x + line.metrics().offset;
            let baseline = y + line.metrics().baseline - top;
            for run in line.runs() {
                let (glyphs, advance) = glyphs(&run, &self.text);
                if !glyphs.is_empty() {
                    let start = Point::from_xy(at, baseline);
                    surface.draw_glyphs(start, &glyphs, font.clone(), &self.text, run.font_size(), false);
                }
                at += advance;
            }
        }
        Ok(())
    }
}

fn glyphs(run: &Run<'_, ()>, text: &str) -> (Vec<KrillaGlyph>, f32) {
    let size = run.font_size();
    let mut advance = 0.0;
    let mut glyphs: Vec<KrillaGlyph> = Vec::new();
    for cluster in run.visual_clusters() {
        let range = cluster.text_range();
        if cluster.is_ligature_continuation() {
            if let Some(glyph) = glyphs.last_mut() {
                let whole = glyph.text_range.start.min(range.start)..glyph.text_range.end.max(range.end);
                if whole.len() <= 2 * MOST_TOGETHER {
                    glyph.text_range = whole;
                }
            }
            continue;
        }
        if is_break(&text[range.clone()]) {
            continue;
        }
        for glyph in cluster.glyphs() {
            let id = GlyphId::new(glyph.id);
            let (x, y) = (glyph.x / size, glyph.y / size);
            glyphs.push(KrillaGlyph::new(id, glyph.advance / size, x, y, 0.0, range.clone(), None));
            advance += glyph.advance;
        }
    }
    (glyphs, advance)
}

fn is_break(cluster: &str) -> bool {
    cluster.chars().all(|character| character == '\n')
}

/// So many bytes are drawn as one at most: a letter with all its marks is shorter, and an archive file can't say what a
/// sign stands for that takes more than it allows.
const MOST_TOGETHER: usize = 64;

/// Where the font has nothing to show, or endless marks stand on one letter.
fn missing(layout: &Layout<()>, text: &str) -> Vec<Range<usize>> {
    let mut missing = Vec::new();
    for line in layout.lines() {
        for run in line.runs() {
            // What is drawn as one, and whether the font lacks it.
            let mut drawn: Vec<(Range<usize>, bool)> = Vec::new();
            for cluster in run.clusters() {
                let range = cluster.text_range();
                match drawn.last_mut().filter(|_| cluster.is_ligature_continuation()) {
                    Some((whole, _)) => *whole = whole.start.min(range.start)..whole.end.max(range.end),
                    None => drawn.push((range, cluster.glyphs().any(|glyph| glyph.id == 0))),
                }
            }
            let is_missing = |(range, lacking): &(Range<usize>, bool)| {
                (*lacking || range.len() > MOST_TOGETHER) && !is_break(&text[range.clone()])
            };
            missing.extend(drawn.into_iter().filter(is_missing).map(|(range, _)| range));
        }
    }
    // Runs come as they are seen, from whichever side.
    missing.sort_by_key(|range| range.start);
    missing
}

/// So many characters of a text are spelled; a page of them tells nobody more.
const MOST_SPELLED: usize = 200;

/// A text whose unprintable characters are spelled by their code points, so that nothing is guessed. Of a text with many,
/// the others are marked and counted.
fn spelled(text: &str, missing: &[Range<usize>]) -> String {
    let mut spelled = String::with_capacity(text.len() * 2);
    let mut count = 0;
    for (at, character) in text.char_indices() {
        if missing.binary_search_by(|range| order(range, at)).is_err() {
            spelled.push(character);
            continue;
        }
        count += 1;
        if count <= MOST_SPELLED {
            spelled.push_str(&format!("[U+{:04X}]", u32::from(character)));
        } else {
            spelled.push('\u{FFFD}');
        }
    }
    if count > MOST_SPELLED {
        let more = count - MOST_SPELLED;
        spelled.push_str(&format!(" [{more} more characters that can't be printed are shown as \u{FFFD}]"));
    }
    spelled
}

/// A text of so many characters at most.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

fn order(range: &Range<usize>, at: usize) -> std::cmp::Ordering {
    if range.end <= at {
        std::cmp::Ordering::Less
    } else if range.start > at {
        std::cmp::Ordering::Greater
    } else {
        std::cmp::Ordering::Equal
    }
}

/// A text without characters that can't be seen, or that make others read as something else.
pub(crate) fn legible(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let shown = text.chars().filter(|character| *character != '\u{FEFF}').map(|character| match character {
        '\n' | '\r' | '\u{0B}' | '\u{0C}' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
        '\t' => ' ',
        // Overrides show a code in another order than it has.
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        character if character.is_control() => '\u{FFFD}',
        character => character,
    });
    shown.collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str, width: f32) -> Words {
        Setter::new().set(text, Style::Body, width, Align::Start)
    }

    #[test]
    fn long_words_wrap() {
        let words = set(&"A1B2C3D4".repeat(40), 100.0);
        assert!(words.lines() > 10, "{}", words.lines());
        assert!(words.layout.width() <= 100.0, "{}", words.layout.width());
    }

    #[test]
    fn lines_break_where_the_text_says_so() {
        assert_eq!(set("one\r\ntwo\u{2028}three\n\n", 500.0).lines(), 3);
        assert_eq!(set("", 500.0).text(), "");
    }

    #[test]
    fn what_the_font_lacks_is_spelled() {
        assert_eq!(set("Ω ≤ 5 µm ⌀ ✓ Größe Ж ש ع", 500.0).text(), "Ω ≤ 5 µm ⌀ ✓ Größe Ж ש ع");
        assert_eq!(set("泵 7", 500.0).text(), "[U+6CF5] 7");
        assert_eq!(set("a\u{7}b\u{202E}c\u{FEFF}", 500.0).text(), "a\u{FFFD}b\u{FFFD}c");
    }

    #[test]
    fn endless_marks_and_foreign_scripts_take_a_bounded_place() {
        for text in ["\u{E0041}".repeat(10_000), format!("a{}", "\u{301}".repeat(20_000)), "泵".repeat(10_000)] {
            let words = set(&text, 500.0);
            assert!(words.text().chars().count() <= text.chars().count() + 10 * MOST_SPELLED, "{}", words.text().len());
            assert!(words.text().ends_with("can't be printed are shown as \u{FFFD}]"), "{}", words.text());
            assert!(missing(&words.layout, words.text()).is_empty());
        }
        assert_eq!(set(&"泵".repeat(MOST_SPELLED), 500.0).text(), "[U+6CF5]".repeat(MOST_SPELLED));
    }

    #[test]
    fn long_texts_are_cut_by_characters() {
        assert_eq!((cut("äöü", 3), cut("äöüß", 3)), ("äöü".to_owned(), "äö…".to_owned()));
    }

    #[test]
    fn one_line_is_cut_where_it_does_not_fit() {
        let mut setter = Setter::new();
        let words =
            setter.set_line("Pump VB-06, a very long description\nof the pump", Style::Margin, 80.0, Align::Start);
        assert_eq!(words.lines(), 1);
        assert!(words.text().ends_with('…'), "{}", words.text());
    }

    #[test]
    fn lines_fit_as_far_as_the_height_goes() {
        let words = set("1\n2\n3\n4", 100.0);
        let one = words.height_of(0..1);
        assert_eq!(words.fit(0, one * 2.5), 2);
        assert_eq!(words.fit(2, one * 9.0), 4);
        assert_eq!(words.fit(0, one * 0.5), 0);
    }
}
