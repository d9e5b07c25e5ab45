//! The parts of a counter's template, and the codes they give.

use jiff::Zoned;

use super::Frequency;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// `%Y`, `%m`, …
    Date(char),
    /// `#n`: the tick, padded to this many digits.
    Tick(usize),
    Text(String),
}

const DATES: &str = "YymdjHMSGV";

/// Parses a part of a template, or says why it is invalid.
pub(super) fn parse(part: &str) -> Result<Part, &'static str> {
    let mut characters = part.chars();
    match (characters.next(), characters.as_str()) {
        (None, _) => Err("A part can't be empty."),
        _ if part.chars().any(char::is_control) => Err("A part can't contain control characters."),
        (Some('%'), rest) if rest.starts_with('%') => Ok(Part::Text(rest.to_owned())),
        (Some('#'), rest) if rest.starts_with('#') => Ok(Part::Text(rest.to_owned())),
        (Some('%'), rest) => match (rest.chars().next(), rest.chars().count()) {
            (Some(letter), 1) if DATES.contains(letter) => Ok(Part::Date(letter)),
            _ => Err("After % comes one of Y y m d j H M S G V; %% is a percent sign."),
        },
        (Some('#'), rest) => match rest.parse::<usize>() {
            Ok(digits @ 1..=18) if !rest.starts_with(['0', '+']) => Ok(Part::Tick(digits)),
            _ => Err("After # comes a number of digits from 1 to 18; ## is a number sign."),
        },
        _ => Ok(Part::Text(part.to_owned())),
    }
}

/// Whether the parts distinguish one period from the next, so that a restarted tick gives a new code.
pub(super) fn names_period(parts: &[Part], frequency: Frequency) -> bool {
    let has = |letter: char| parts.contains(&Part::Date(letter));
    let year = has('Y') || has('y');
    let day = year && (has('j') || (has('m') && has('d')));
    match frequency {
        Frequency::Year => year,
        Frequency::Month => year && (has('m') || has('j')),
        Frequency::Week => (has('G') && has('V')) || day,
        Frequency::Day => day,
    }
}

pub(super) fn render(parts: &[Part], tick: i64, now: &Zoned) -> String {
    let pieces = parts.iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        Part::Tick(digits) => format!("{tick:0digits$}"),
        Part::Date(letter) => date(*letter, now),
    });
    pieces.collect()
}

fn date(letter: char, now: &Zoned) -> String {
    let week = now.date().iso_week_date();
    match letter {
        'Y' => format!("{:04}", now.year()),
        'y' => format!("{:02}", now.year().rem_euclid(100)),
        'm' => format!("{:02}", now.month()),
        'd' => format!("{:02}", now.day()),
        'j' => format!("{:03}", now.day_of_year()),
        'H' => format!("{:02}", now.hour()),
        'M' => format!("{:02}", now.minute()),
        'S' => format!("{:02}", now.second()),
        'G' => format!("{:04}", week.year()),
        _ => format!("{:02}", week.week()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read() {
        assert_eq!(parse("%Y"), Ok(Part::Date('Y')));
        assert_eq!(parse("#6"), Ok(Part::Tick(6)));
        assert_eq!(parse("%%Y"), Ok(Part::Text("%Y".to_owned())));
        assert_eq!(parse("##6"), Ok(Part::Text("#6".to_owned())));
        assert_eq!(parse("WO-%"), Ok(Part::Text("WO-%".to_owned())));
        for bad in ["", "%", "%q", "%Ym", "#", "#0", "#19", "#06", "#+6", "#x", "a\nb", "%é"] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn every_letter_has_its_width() {
        let now: Zoned = "2027-01-03T04:05:06+01:00[Europe/Rome]".parse().unwrap();
        let parts: Vec<Part> = DATES.chars().map(Part::Date).collect();
        let rendered: Vec<String> = parts.iter().map(|part| render(std::slice::from_ref(part), 1, &now)).collect();
        assert_eq!(rendered, ["2027", "27", "01", "03", "003", "04", "05", "06", "2026", "53"]);
        assert_eq!(render(&[Part::Tick(3)], 7, &now), "007");
        assert_eq!(render(&[Part::Tick(3)], 12_345, &now), "12345");
    }
}
