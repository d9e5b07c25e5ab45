//! How wide the columns of a table are.

use crate::Column;
use crate::text::{Setter, Style};

/// Space left and right of what stands in a cell.
pub(crate) const PADDING: f32 = 4.0;

/// So many rows tell how wide columns should be; a long table need not be measured whole.
const MEASURED_ROWS: usize = 100;

/// What a column asks for: the width of its longest text, and of its longest word.
#[derive(Debug, Clone, Copy)]
struct Wish {
    whole: f32,
    word: f32,
}

/// The widths of the columns, which add up to the width of the page.
pub(crate) fn widths(setter: &mut Setter, columns: &[Column], rows: &[Vec<String>], page: f32) -> Vec<f32> {
    let step = rows.len().div_ceil(MEASURED_ROWS).max(1);
    let wishes: Vec<Wish> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let cells = rows.iter().step_by(step).filter_map(|row| row.get(at));
            let texts = std::iter::once((column.heading.as_str(), Style::CellHeading))
                .chain(cells.map(|cell| (cell.as_str(), Style::Cell)));
            let mut wish = Wish { whole: 0.0, word: 0.0 };
            for (text, style) in texts {
                let (whole, word) = setter.widths(text, style);
                wish.whole = wish.whole.max(whole);
                wish.word = wish.word.max(word);
            }
            Wish { whole: wish.whole + 2.0 * PADDING, word: wish.word + 2.0 * PADDING }
        })
        .collect();
    share(&wishes, page)
}

/// Columns that want no more than a fair part of the page get what they want. The others get their longest word, as far
/// as that is fair, and what is left in proportion to what they want.
fn share(wishes: &[Wish], page: f32) -> Vec<f32> {
    let whole: f32 = wishes.iter().map(|wish| wish.whole).sum();
    if whole <= page {
        return wishes.iter().map(|wish| wish.whole * page / whole.max(1.0)).collect();
    }
    let fair = fair(wishes, page);
    let least = |wish: &Wish| if wish.whole <= fair { wish.whole } else { wish.word.min(fair) };
    let more = |wish: &Wish| wish.whole.min(page) - least(wish).min(page);
    let left = page - wishes.iter().map(least).sum::<f32>();
    let wanted: f32 = wishes.iter().map(more).sum::<f32>().max(1.0);
    wishes.iter().map(|wish| least(wish) + left * more(wish) / wanted).collect()
}

/// What each of the wide columns would get if they shared equally what the narrow ones leave.
fn fair(wishes: &[Wish], page: f32) -> f32 {
    let mut wholes: Vec<f32> = wishes.iter().map(|wish| wish.whole).collect();
    wholes.sort_by(f32::total_cmp);
    let mut left = page;
    for (at, whole) in wholes.iter().enumerate() {
        let part = left / (wholes.len() - at) as f32;
        if *whole > part {
            return part;
        }
        left -= whole;
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(wishes: &[(f32, f32)], page: f32) -> Vec<f32> {
        share(&wishes.iter().map(|(whole, word)| Wish { whole: *whole, word: *word }).collect::<Vec<_>>(), page)
    }

    #[test]
    fn columns_fill_the_page() {
        for wishes in
            [vec![(10.0, 10.0)], vec![(100.0, 40.0), (100.0, 50.0)], vec![(9000.0, 900.0), (60.0, 60.0), (400.0, 30.0)]]
        {
            let widths = shared(&wishes, 500.0);
            assert!((widths.iter().sum::<f32>() - 500.0).abs() < 0.1, "{wishes:?}: {widths:?}");
        }
        assert!(shared(&[], 500.0).is_empty());
    }

    #[test]
    fn a_long_text_does_not_squeeze_a_short_one() {
        let widths = shared(&[(60.0, 60.0), (9000.0, 900.0)], 500.0);
        assert!((widths[0] - 60.0).abs() < 0.1, "{widths:?}");
        let widths = shared(&[(60.0, 60.0), (9000.0, 900.0), (180.0, 50.0), (9000.0, 20.0)], 500.0);
        assert!((widths[0] - 60.0).abs() < 0.1 && widths[2] > 50.0 && widths[3] > 20.0, "{widths:?}");
    }
}
