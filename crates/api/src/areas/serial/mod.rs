//! Serials: units that are traced one by one, what they are made of, and what they are part of.

mod dhr;
mod family;
mod hierarchy;
mod read;
mod search;
mod wire;
mod work;

/// For traces, which show the products of many units too.
pub(crate) use read::names;
/// For issues and tasks, which show the serials that they are linked to.
pub(crate) use wire::{SerialRecord, record as serial_record};
/// For the units of a batch, which are listed alike.
pub(crate) use work::WipSerial;

use domain::collection::Collection;

use crate::error::ApiError;
use crate::operation::{Operation, Tag, get};
use crate::scope;

const TAG: Tag = Tag::Serial;

fn not_found() -> ApiError {
    ApiError::missing(Collection::Serial)
}

const ABSENT: &str = "No such serial.";

pub fn operations() -> Vec<Operation> {
    let read = scope!("serial:read");
    vec![
        get("search_serials", "/serial", TAG, "Search serials", search::search)
            .scope(read)
            .describe(
                "Lists serials with their product and the codes of their order. All filters combine; a repeated one means any of its \
                 values. In searches, `*` is any run of characters, `?` one character, and a backslash takes the next character as it is. \
                 Without `*` at either end a text is found anywhere in a code; `R1*` finds codes that begin with it, `*R1` those that \
                 end with it.",
            ),
        get("get_serial", "/serial/{serial_key}", TAG, "Read a serial", read::one)
            .scope(read)
            .describe("Returns one serial; a deleted one too.")
            .error(404, ABSENT),
        get("get_serials_by_code", "/serial-code", TAG, "Find serials by code", read::by_code)
            .scope(read)
            .describe("Returns the live serials with this code: of one product, or of all of them by the product's code."),
        get("verify_serial_code", "/serial-code/verify-free", TAG, "Check whether a code is free", read::verify_free)
            .scope(read)
            .describe(
                "Returns true if no live serial of the product has the code; without a product, no live serial at all. The serial in \
                 `serial_key` does not count.",
            ),
        get("select_serials", "/serial-selection", TAG, "List serials to choose from", read::selection)
            .scope(read)
            .describe("Lists serials that are neither deleted nor scrapped, by code; those without a code come last."),
        get("list_serial_fields", "/serial-field", TAG, "List the fields of serials", read::fields)
            .scope(read)
            .describe("Returns the configuration entry `serial_fields`, or an empty list."),
        get("list_batch_units", "/serial-batch", TAG, "List the units of a batch", work::of_batch)
            .scope(read)
            .describe("Lists the serials that a batch works or worked on, by code, with what was built into them for their order."),
        get("list_batch_components", "/component-batch", TAG, "List the components of a batch", work::components)
            .scope(read)
            .describe("Lists the serials that were built into a batch of an order that is not traced, by code."),
        get("list_wip_serials", "/wip-serial", TAG, "List units between phases", work::in_progress)
            .scope(read)
            .describe(
                "Lists units that wait in front of a phase, or that a job has booked, by code. The filters combine; without any, the \
                 list is empty. Scrapped units, and those that another job has booked, are never in it.",
            ),
        get("list_serial_parents", "/serial-parents", TAG, "List what a serial is part of", family::parents)
            .scope(read)
            .describe("Lists the units that contain a serial, the outermost first.")
            .error(404, ABSENT),
        get("list_serial_children", "/serial-children", TAG, "List the parts of a serial", family::children)
            .scope(read)
            .describe("Lists what a serial contains directly; replaced and temporary parts too, which are marked.")
            .error(404, ABSENT),
        get("get_serial_hierarchy", "/serial-hierarchy", TAG, "Read the tree of a serial", hierarchy::tree)
            .scope(read)
            .describe(
                "Returns the outermost unit that contains the serial, with everything that is in it at every depth, and with what the \
                 bill of materials expects and is not there. With `as_of`, as it was at that moment.",
            )
            .error(404, "No such serial, or it did not exist at that moment."),
        get("get_device_history_record", "/serial/{serial_key}/dhr", TAG, "Read the Device History Record", dhr::record)
            .scope(read)
            .describe(
                "Returns the Device History Record of a serial, which is also its batch record: as a PDF, as JSON, or as a ZIP archive \
                 of both with all attachments and their digests. It says what evidence is missing. Records of deleted serials are \
                 there too. Times in the PDF and in the name of the file are those of the site's `timezone`.",
            )
            .error(404, ABSENT)
            .error(413, "The record is too large: ask for those of the units inside one by one.")
            .sends(&["Content-Disposition"]),
    ]
}
