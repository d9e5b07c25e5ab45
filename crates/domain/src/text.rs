//! Text as the contract compares it: ignoring case means simple Unicode case folding.

use unicode_casefold::{Locale, UnicodeCaseFold, Variant};

pub fn fold(text: &str) -> String {
    text.case_fold_with(Variant::Simple, Locale::NonTurkic).collect()
}

pub fn same_ignoring_case(a: &str, b: &str) -> bool {
    fold(a) == fold(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_is_unicode_aware() {
        assert!(same_ignoring_case("ÀDMIN", "àdmin"));
        assert!(same_ignoring_case("ΣΑΣ", "σας"));
        assert!(!same_ignoring_case("ß", "ss"), "simple folding keeps the length");
    }
}
