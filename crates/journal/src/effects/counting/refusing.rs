//! Why something can't be counted.

use domain::counting::{CountAssignment, CountRecord, CountSession};
use domain::key::{CountRecordKey, PositionKey, ProductKey, id_from_text};
use domain::rule::counting::{CountException, NotCounted};
use domain::warehouse::stock::{Mark, Refusal};

use crate::Error;
use crate::effects::warehouse::refusing::About;

/// The state of something does not allow what is to be done.
fn wrong_state(what: &str, rule: &CountException) -> Error {
    let status = rule.status.unwrap_or_default();
    Error::rule(rule, format!("{what} is {status}, which does not allow this."))
}

pub(crate) fn session_is(session: &CountSession) -> Error {
    wrong_state("The session", &CountException::session_is(session))
}

pub(crate) fn assignment_is(assignment: &CountAssignment) -> Error {
    wrong_state("The assignment", &CountException::assignment_is(assignment))
}

pub(crate) fn record_is(record: &CountRecord) -> Error {
    wrong_state("The count", &CountException::record_is(record))
}

/// A refusal about a product at a position.
pub(crate) fn refused_at(product: &ProductKey, position: &PositionKey, rule: NotCounted) -> Error {
    refuse(CountException {
        product_key: Some(product.clone()),
        position_key: Some(position.clone()),
        ..CountException::of(rule)
    })
}

/// Somebody counts or corrects the product at the position.
pub(crate) fn marked(product: &ProductKey, position: &PositionKey, mark: &Mark) -> Error {
    match mark {
        Mark::Counting(by) => refuse(CountException {
            product_key: Some(product.clone()),
            position_key: Some(position.clone()),
            count_record_key: id_from_text(by).map(CountRecordKey),
            ..CountException::of(NotCounted::AlreadyCounting)
        }),
        Mark::Locked(_) => About::product(product).at(position).refused_by(Refusal::Marked(mark.clone())),
    }
}

pub(crate) fn refuse(rule: CountException) -> Error {
    let message = match rule.rule {
        NotCounted::WrongState => "The session, the assignment or the count is in another state.",
        NotCounted::OtherUser => "It is another user's.",
        NotCounted::AlreadyCounting => "Somebody counts the product at the position.",
        NotCounted::NotInAssignment => "The assignment does not cover the product at the position.",
        NotCounted::PositionNotCountable => "The position was deleted, or holds no stock.",
        NotCounted::QuantityMissing => {
            "Say how much there is in count_qt; of a product whose units are traced, which serials in count_serial_keys."
        }
        NotCounted::QuantityMismatch => "The quantity is not the number of serials.",
        NotCounted::SerialUnknown => {
            "There is no such serial of the product. Serials are named by their keys, not by their codes."
        }
        NotCounted::SerialRepeated => "A serial is named twice.",
        NotCounted::RecordsOpen => "Counts have not ended: complete or cancel them.",
        NotCounted::ChildrenOpen => "Positions in it were not counted.",
        NotCounted::FieldLocked => "Fields of the session can't be changed any more.",
    };
    Error::rule(&rule, message)
}
