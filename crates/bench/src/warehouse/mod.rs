//! Benchmarks of the warehouse: transfers by many clients, counts, and lists among millions of movements.

mod counting;
mod depot;
mod reading;
mod transfers;

use crate::report::Report;
use crate::server::Place;

/// `whole` is for lists of all movements instead of a tenth.
pub async fn measure(place: &Place, report: &mut Report, wanted: impl Fn(&str) -> bool, whole: bool) {
    if wanted("transfers") {
        transfers::measure(place, report).await;
    }
    if wanted("counting") {
        counting::measure(place, report).await;
    }
    if wanted("stock") || whole {
        reading::measure(place, report, whole).await;
    }
}
