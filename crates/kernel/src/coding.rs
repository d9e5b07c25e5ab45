//! Content codings: the forms in which an answer can be sent, and which of them a client takes.

use axum::http::{HeaderMap, header};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    Brotli,
    Gzip,
}

impl Coding {
    /// All of them, the one that packs best first.
    pub const ALL: [Self; 2] = [Coding::Brotli, Coding::Gzip];

    pub fn name(self) -> &'static str {
        match self {
            Coding::Brotli => "br",
            Coding::Gzip => "gzip",
        }
    }

    /// What the name of a file in this coding has at its end.
    pub fn ending(self) -> &'static str {
        match self {
            Coding::Brotli => ".br",
            Coding::Gzip => ".gz",
        }
    }
}

/// Which of the codings on offer the client likes best, of equal ones the first; `None` for the content as it is. Only what a
/// client names is sent: a wildcard comes from programs that unpack nothing.
pub(crate) fn choose(asked: &HeaderMap, offered: impl Iterator<Item = Coding>) -> Option<Coding> {
    let plain = weight(asked, "identity").unwrap_or(0.0);
    let mut best: Option<(Coding, f32)> = None;
    for coding in offered {
        let liked = weight(asked, coding.name()).unwrap_or(0.0);
        if liked > 0.0 && liked >= plain && best.is_none_or(|(_, most)| liked > most) {
            best = Some((coding, liked));
        }
    }
    best.map(|(coding, _)| coding)
}

/// How much the client likes a coding, from 0 to 1, if it names it.
fn weight(asked: &HeaderMap, coding: &str) -> Option<f32> {
    let named = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    named.flat_map(|value| value.split(',')).find_map(|one| {
        let (name, rest) = one.split_once(';').unwrap_or((one, ""));
        let weight = rest.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse().ok());
        name.trim().eq_ignore_ascii_case(coding).then(|| weight.unwrap_or(1.0))
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn chosen(sent: &'static str, offered: &[Coding]) -> Option<Coding> {
        let asked = [(header::ACCEPT_ENCODING, HeaderValue::from_static(sent))].into_iter().collect();
        choose(&asked, offered.iter().copied())
    }

    #[test]
    fn gzip_only_for_those_who_take_it() {
        for (sent, takes) in
            [("gzip", true), ("br, GZIP;q=0.5", true), ("gzip;q=0", false), ("br", false), ("*", false), ("", false)]
        {
            assert_eq!(chosen(sent, &[Coding::Gzip]).is_some(), takes, "{sent}");
        }
        assert_eq!(choose(&HeaderMap::new(), Coding::ALL.into_iter()), None);
    }

    #[test]
    fn what_a_client_likes_best_wins_and_then_what_packs_best() {
        for (sent, best) in [
            ("gzip, deflate, br, zstd", Some(Coding::Brotli)),
            ("br;q=0.4, gzip;q=0.9", Some(Coding::Gzip)),
            ("gzip;q=1.0, br;q=0", Some(Coding::Gzip)),
            ("gzip;q=0.5, identity;q=0.8", None),
            ("gzip;q=0.5, identity;q=0.5", Some(Coding::Gzip)),
            ("br;q=nan", None),
            ("br ; q=0.1", Some(Coding::Brotli)),
        ] {
            assert_eq!(chosen(sent, &Coding::ALL), best, "{sent}");
        }
    }
}
