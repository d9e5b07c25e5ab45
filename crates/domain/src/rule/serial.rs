//! Rules for serials and their links.

use schemars::JsonSchema;
use serde::Serialize;

use super::rules;
use crate::key::{BatchKey, SerialKey};
use crate::named;
use crate::serial::evidence::Missing;

rules! {
    /// Serials can't be created like that.
    SerialNotCreatedError, "See `rule`." {
        rule: NotCreated,
    }

    /// Live serials of the product have some of the codes, or the event has them twice.
    SerialCodeAlreadyPresent, "Use other codes." {
        /// The first 1,000 of them.
        codes: Vec<String>,
        /// How many there are.
        conflict_count: usize,
    }

    /// The serial can't be changed like that.
    SerialNotUpdatedError, "See `rule`." {
        rule: NotUpdated,
    }

    /// Serials can't be released.
    SerialNotReleasedError, "See `rule`, and `serials` where the event is about many." {
        rule: NotReleased,
        /// The first 1,000 that are refused, of an event about many.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        serials: Vec<RefusedSerial<NotReleased>>,
        /// Of `missing_evidence`: the first 1,000 things that are missing.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        missing_evidence: Vec<MissingOfUnit>,
    }

    /// A serial can't be built into a unit, or taken out of it.
    SerialNotLinkedError, "See `rule`." {
        rule: NotLinked,
        /// Of `already_used`: the unit that contains it.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_serial_key: Option<SerialKey>,
        /// Of `already_used`: the batch that contains it.
        #[serde(skip_serializing_if = "Option::is_none")]
        batch_key: Option<BatchKey>,
        /// Of temporary links: the place of the link in the list, counting from 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        /// Of `loop`: from the child down to the parent, and back to the child.
        #[serde(rename = "loop", skip_serializing_if = "Vec::is_empty")]
        round: Vec<SerialKey>,
        /// Of `loop`: their codes.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        loop_codes: Vec<Option<String>>,
    }

    /// The serial can't be deleted.
    SerialNotDeletedError, "See `rule`; a serial that was in use can be scrapped." {
        rule: NotDeleted,
        /// The serial that stands in the way, if it is another.
        #[serde(skip_serializing_if = "Option::is_none")]
        serial_key: Option<SerialKey>,
    }

    /// Serials can't be scrapped.
    SerialNotScrappedError, "See `rule`, and `serials` where the event is about many." {
        rule: NotScrapped,
        /// The first 1,000 that are refused, of an event about many.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        serials: Vec<RefusedSerial<NotScrapped>>,
    }
}

/// Why one of many serials is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "{R}Serial")]
pub struct RefusedSerial<R> {
    pub serial_key: SerialKey,
    pub rule: R,
}

/// What the record of a unit lacks for its release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "UnitMissingEvidence")]
pub struct MissingOfUnit {
    pub serial_key: SerialKey,
    #[serde(flatten)]
    pub missing: Missing,
}

named! {
    /// Why serials can't be created.
    #[schemars(rename = "SerialNotCreatedRule")]
    pub enum NotCreated {
        /// Units of the product are not traced: give it a `traceability_level`.
        ProductNotTraced = "product_not_traced",
        /// It is not a range such as `SN-0007-0042`.
        BadRange = "bad_range",
        /// More than 100,000 at once.
        TooMany = "too_many",
    }
}

named! {
    /// Why a serial can't be changed.
    #[schemars(rename = "SerialNotUpdatedRule")]
    pub enum NotUpdated {
        /// It was scrapped.
        Scrapped = "scrapped",
        /// The event changes nothing.
        NothingToChange = "nothing_to_change",
        /// It has a code, and the site's `allow_serial_code_edit` is off.
        CodeEditNotAllowed = "code_edit_not_allowed",
        /// It was not released, so that can't be taken back.
        NotReleased = "not_released",
        /// It was not scrapped, so that can't be taken back.
        NotScrapped = "not_scrapped",
        /// It is built in or in stock: its release can't be taken back.
        InUse = "in_use",
    }
}

named! {
    /// Why serials can't be released.
    #[schemars(rename = "SerialNotReleasedRule")]
    pub enum NotReleased {
        AlreadyReleased = "already_released",
        Scrapped = "scrapped",
        /// It waits between phases, or an active batch works on it.
        InProduction = "in_production",
        /// Its record lacks evidence, and the site's `block_release_on_missing_evidence` is on.
        MissingEvidence = "missing_evidence",
    }
}

named! {
    /// Why a serial can't be linked.
    #[schemars(rename = "SerialNotLinkedRule")]
    pub enum NotLinked {
        /// The parent is a part of the child.
        Loop = "loop",
        /// Another unit contains it: unlink it first, or send `replace_existing`.
        AlreadyUsed = "already_used",
        /// The child or the parent was scrapped.
        Scrapped = "scrapped",
        /// The batch's order is traced: the units of the batch contain components.
        TracedOrder = "traced_order",
        /// Neither `parent_serial_key` nor `batch_key` is sent.
        NoParent = "no_parent",
        /// What is to be replaced is not a child of this parent.
        NotAChild = "not_a_child",
        /// Only a quantity of 1 can be linked.
        Quantity = "quantity",
        /// `component_key` is not the product of the child.
        Component = "component",
        /// The child waits between phases, or an active batch works on it.
        InProduction = "in_production",
        /// Units would be nested more than 200 levels deep.
        TooDeep = "too_deep",
        /// There is no such active link.
        NoSuchLink = "no_such_link",
    }
}

named! {
    /// Why a serial can't be deleted.
    #[schemars(rename = "SerialNotDeletedRule")]
    pub enum NotDeleted {
        /// The site's `allow_serial_delete` is off.
        NotAllowed = "not_allowed",
        /// Another unit contains it.
        Used = "used",
        /// It is in stock.
        InStock = "in_stock",
        /// An active batch works on it.
        InActiveBatch = "in_active_batch",
        /// It waits between phases.
        InProduction = "in_production",
        /// Other records refer to it: delete it with `soft`.
        HasHistory = "has_history",
    }
}

named! {
    /// Why serials can't be scrapped.
    #[schemars(rename = "SerialNotScrappedRule")]
    pub enum NotScrapped {
        AlreadyScrapped = "already_scrapped",
        /// Another unit contains it: unlink it first.
        Used = "used",
        /// An active batch works on it: scrap it with the batch.
        InActiveBatch = "in_active_batch",
    }
}
