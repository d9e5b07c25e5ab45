//! The text of a decimal number, split without passing through binary floats.

/// `whole`.`fraction` × 10^`exponent`; both parts are digits only, and `whole` has at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal<'a> {
    pub(crate) negative: bool,
    pub(crate) whole: &'a str,
    pub(crate) fraction: &'a str,
    pub(crate) exponent: i32,
}

impl<'a> Decimal<'a> {
    /// Reads everything JSON calls a number; `None` for anything else.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], exponent(&rest[at + 1..])?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let readable = !whole.is_empty() && all_digits(whole) && all_digits(fraction);
        readable.then_some(Self { negative, whole, fraction, exponent })
    }
}

fn all_digits(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_digit())
}

/// An exponent beyond the range stays out of range: it still belongs to a number, though not one that can be stored.
fn exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !all_digits(digits) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') { i32::MIN } else { i32::MAX }))
}
