//! Benchmarks of serials: made by the hundred thousand, read, searched, traced and recalled among a million, and the record
//! of one.

mod genealogy;
mod making;
mod reading;
mod record;
mod units;

use crate::report::Report;
use crate::server::Place;

use genealogy::Asked;
pub use making::growth;

/// `whole` is for traces and recalls among all serials instead of a tenth.
pub async fn measure(place: &Place, report: &mut Report, wanted: impl Fn(&str) -> bool, whole: bool) {
    if wanted("new_serials") {
        making::measure(place, report).await;
    }
    if wanted("stored_serials") {
        reading::measure(place, report).await;
    }
    let asked = Asked { recall: whole || wanted("recall"), trace: whole || wanted("trace") };
    if asked.recall || asked.trace {
        genealogy::measure(place, report, asked, whole).await;
    }
    if wanted("record") {
        record::measure(place, report).await;
    }
}
