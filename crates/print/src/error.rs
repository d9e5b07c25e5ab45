//! Why nothing was printed.

use krilla::error::KrillaError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum PrintError {
    /// `drawable` and `pages_of` tell beforehand.
    #[error("block {block} can't be drawn: {reason}")]
    NotDrawn { block: usize, reason: String },
    /// Nobody wants it any more.
    #[error("printing was stopped")]
    Stopped,
    #[error("the fonts can't be read")]
    Fonts,
    #[error("the PDF can't be written: {0}")]
    Pdf(String),
}

impl From<KrillaError> for PrintError {
    fn from(error: KrillaError) -> Self {
        let place = match &error {
            KrillaError::Image(_, place, _) | KrillaError::Pdf(_, _, place) => *place,
            _ => None,
        };
        match place.and_then(|place| usize::try_from(place.get() - 1).ok()) {
            Some(block) => PrintError::NotDrawn { block, reason: error.to_string() },
            None => PrintError::Pdf(match &error {
                KrillaError::Validation(faults) => format!("{faults:?}"),
                _ => error.to_string(),
            }),
        }
    }
}
