//! Benchmarks of serials: made by the hundred thousand, read and searched among a million.

mod making;
mod reading;
mod units;

use crate::report::Report;
use crate::server::Place;

pub use making::growth;

pub async fn measure(place: &Place, report: &mut Report, wanted: impl Fn(&str) -> bool) {
    if wanted("new_serials") {
        making::measure(place, report).await;
    }
    if wanted("stored_serials") {
        reading::measure(place, report).await;
    }
}
