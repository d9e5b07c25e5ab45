//! Counters generate codes: a template with dates and a tick that restarts with every period.

mod period;
mod template;

use serde_json::json;

pub use jiff::tz::TimeZone;
use period::period_start;
pub use period::{Frequency, next_period_start, zone};

use crate::Timestamp;
use crate::fault::Faults;
use template::{Part, names_period, parse, render};

/// Maximum number of parts of a template.
pub const MOST_PARTS: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counter {
    pub template: Vec<String>,
    pub frequency: Option<Frequency>,
    /// The tick of the next code.
    pub next_tick: i64,
    /// When the tick restarts; `None` without a frequency.
    pub reset_date: Option<Timestamp>,
}

/// Adds the faults of a template by itself.
pub fn check_template<T: AsRef<str>>(template: &[T], faults: &mut Faults) {
    if !(1..=MOST_PARTS).contains(&template.len()) {
        let count = json!(template.len());
        faults.add("value_error", format!("A template has 1 to {MOST_PARTS} parts."), &count);
    }
    let mut parts = Vec::new();
    for (index, part) in template.iter().enumerate() {
        parts.extend(read_part(index, part.as_ref(), faults));
    }
    if parts.len() == template.len() && !parts.iter().any(|part| matches!(part, Part::Tick(_))) {
        let shown: Vec<&str> = template.iter().map(AsRef::as_ref).collect();
        faults.add("value_error", "A template needs a tick, such as #6.", &json!(shown));
    }
}

/// Adds the faults of one part of a template.
pub fn check_part(index: usize, part: &str, faults: &mut Faults) {
    read_part(index, part, faults);
}

fn read_part(index: usize, part: &str, faults: &mut Faults) -> Option<Part> {
    match parse(part) {
        Ok(part) => Some(part),
        Err(why) => {
            faults.within(index, |faults| faults.add("value_error", why, &json!(part)));
            None
        }
    }
}

impl Counter {
    /// Adds the faults of the template and of its period.
    pub fn check(&self, faults: &mut Faults) {
        faults.within("template", |faults| check_template(&self.template, faults));
        let parts: Vec<Part> = self.template.iter().filter_map(|part| parse(part).ok()).collect();
        if let Some(frequency) = self.frequency
            && parts.len() == self.template.len()
            && !names_period(&parts, frequency)
        {
            let why = format!("The template does not name the {}: codes would repeat.", frequency.name());
            faults.within("frequency", |faults| faults.add("value_error", why, &json!(frequency.name())));
        }
    }

    /// Restarts the tick if a period has begun since the last code, however many periods have passed.
    pub fn end_period(&mut self, now: Timestamp) {
        if self.reset_date.is_some_and(|reset_date| now >= reset_date) {
            self.next_tick = 1;
            self.reset_date = None;
        }
    }

    /// Sets the start of the next period; false only at the end of the calendar.
    pub fn begin_period(&mut self, now: Timestamp, zone: &TimeZone) -> bool {
        self.reset_date = self.frequency.and_then(|frequency| next_period_start(frequency, now, zone));
        self.reset_date.is_some() == self.frequency.is_some()
    }

    /// The next code. `None` only at the end of the calendar or of the numbers.
    pub fn draw(&mut self, now: Timestamp, zone: &TimeZone) -> Option<String> {
        self.end_period(now);
        if self.reset_date.is_none() && !self.begin_period(now, zone) {
            return None;
        }
        // A clock that is behind must not generate codes of a period that is over.
        let now = self.period_start(zone).map_or(now, |start| now.max(start));
        let parts: Vec<Part> = self.template.iter().filter_map(|part| parse(part).ok()).collect();
        let local = jiff::Timestamp::from_millisecond(now.millis()).ok()?.to_zoned(zone.clone());
        let code = render(&parts, self.next_tick, &local);
        self.next_tick = self.next_tick.checked_add(1)?;
        Some(code)
    }
}

impl Counter {
    /// The start of the current period.
    fn period_start(&self, zone: &TimeZone) -> Option<Timestamp> {
        period_start(self.frequency?, Timestamp::from_millis(self.reset_date?.millis() - 1), zone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counter(template: &[&str], frequency: Option<Frequency>, next_tick: i64, reset_date: Option<&str>) -> Counter {
        Counter {
            template: template.iter().map(|&part| part.to_owned()).collect(),
            frequency,
            next_tick,
            reset_date: reset_date.map(|date| Timestamp::parse(date).unwrap()),
        }
    }

    fn faults(template: &[&str], frequency: Option<Frequency>) -> usize {
        let mut faults = Faults::at("body");
        counter(template, frequency, 1, None).check(&mut faults);
        faults.into_vec().len()
    }

    #[test]
    fn a_new_period_starts_at_one_however_many_went_by() {
        let mut drawn = counter(&["%y", "#6"], Some(Frequency::Year), 41, Some("2027-01-01"));
        let utc = zone("UTC").unwrap();
        let mut draw = |now: &str| drawn.draw(Timestamp::parse(now).unwrap(), &utc).unwrap();
        assert_eq!(draw("2026-12-31T23:59:00Z"), "26000041");
        assert_eq!(draw("2027-01-01T00:00:00Z"), "27000001");
        assert_eq!(draw("2027-06-01T00:00:00Z"), "27000002");
        assert_eq!(draw("2029-02-01T00:00:00Z"), "29000001");
        assert_eq!(drawn.reset_date, Some(Timestamp::parse("2030-01-01").unwrap()));
    }

    #[test]
    fn a_clock_that_is_behind_stays_in_the_period() {
        let mut drawn = counter(&["%y", "#6"], Some(Frequency::Year), 5, Some("2028-01-01"));
        let late = Timestamp::parse("2026-12-31T23:59:59Z").unwrap();
        assert_eq!(drawn.draw(late, &zone("UTC").unwrap()).unwrap(), "27000005");
    }

    #[test]
    fn a_period_must_be_named() {
        assert_eq!(faults(&["%y", "#6"], Some(Frequency::Year)), 0);
        assert_eq!(faults(&["WO", "#6"], None), 0);
        assert_eq!(faults(&["WO", "#6"], Some(Frequency::Month)), 1);
        assert_eq!(faults(&["%Y", "%V", "#4"], Some(Frequency::Week)), 1);
        assert_eq!(faults(&["%G", "%V", "#4"], Some(Frequency::Week)), 0);
        assert_eq!(faults(&["%Y", "%j", "#4"], Some(Frequency::Week)), 0);
        assert_eq!(faults(&["%Y", "%m", "#4"], Some(Frequency::Day)), 1);
        assert_eq!(faults(&["%m", "#4"], Some(Frequency::Month)), 1);
    }

    #[test]
    fn all_faults_of_a_template_are_found() {
        assert_eq!(faults(&[], None), 2);
        assert_eq!(faults(&["WO"], None), 1);
        assert_eq!(faults(&["%q", "#", ""], None), 3);
        assert_eq!(faults(&["#1"; 21], None), 1);
    }

    proptest! {
        /// Whatever the clock does between codes, as long as it does not go back, no code is repeated.
        #[test]
        fn codes_never_repeat(kind in 0usize..4, steps in prop::collection::vec(0i64..200_000_000, 1..80)) {
            let frequency = Frequency::ALL[kind];
            let template: &[&str] = match frequency {
                Frequency::Year => &["%y", "#2"],
                Frequency::Month => &["%Y", "%m", "-", "#1"],
                Frequency::Week => &["%G", "W", "%V", "/", "#3"],
                Frequency::Day => &["%Y", "%j", "#4"],
            };
            let rome = zone("Europe/Rome").unwrap();
            let mut now = 1_790_000_000_000;
            let mut drawn = counter(template, Some(frequency), 1, None);
            drawn.reset_date = next_period_start(frequency, Timestamp::from_millis(now), &rome);
            let mut codes = std::collections::HashSet::new();
            for step in steps {
                now += step;
                let code = drawn.draw(Timestamp::from_millis(now), &rome).unwrap();
                prop_assert!(codes.insert(code.clone()), "{} twice", code);
            }
        }
    }
}
