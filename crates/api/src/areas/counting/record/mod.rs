//! What was counted: read, exported, and taken from files.

mod export;
mod import;
mod read;
mod wire;

use super::TAG;
use crate::cx::Cx;
use crate::operation::{Operation, get, post};
use crate::scope;

/// Whether the caller reviews counts, and so sees what stock says.
fn may_apply(cx: &Cx) -> bool {
    cx.caller.rights.contains(scope!("inventory:count:apply"))
}

pub(super) fn operations() -> Vec<Operation> {
    let read = scope!("inventory:count:read");
    vec![
        get("list_count_records", "/inventory/count-record", TAG, "List what was counted", read::list)
            .scope(read)
            .describe(
                "Lists what was counted of products at positions, and what is being counted, by the codes of position and product. \
                 All filters combine. Until a blind session is applied or canceled, only callers with the scope \
                 `inventory:count:apply` see what stock says: `blind_quantities` leaves out `system_qt`, `delta`, `delta_value`, \
                 `system_serial_keys` and `system_serials`, `blind_serials` alone the last two.",
            ),
        get("export_count_records", "/inventory/count-record/export", TAG, "Export what was counted", export::run)
            .scope(read)
            .describe(
                "Returns the records that match the filters as CSV or XLSX, in columns that can be imported again, and what stock said \
                 (`system_qt`, `delta`), `status`, `user_key` and `counted_at`; `template` has only the header. Of traced units \
                 each has a row: those that were counted with 1, those that stock had there and nobody found with 0. Blind sessions \
                 hide here what they hide in lists: for a caller who may not see it, the columns are left out of the export of one \
                 session and are empty in that of several, and units that were not counted have no rows. Text that a spreadsheet would \
                 treat as a formula gets a leading `'`, which an import removes.",
            )
            .sends(&["Content-Disposition"])
            .error(400, "A text is too long for a cell of XLSX. Use CSV instead."),
        imports(),
    ]
}

fn imports() -> Operation {
    post("import_count_records", "/inventory/count-record/import", TAG, "Import what was counted", import::run)
        .scope(scope!("inventory:count:apply"))
        .alone()
        .sends(&["X-Import-Status", "X-Error-Count", "X-Valid-Count", "Content-Disposition"])
        .describe(
            "Adds counts to a completed session, and stores `COUNT_IMPORTED`. Takes two steps. First send the file with `dry_run` \
             (true by default), `count_session_key` and `import_mode`. The answer has either all faults of all rows, as a sheet \
             or, if `Accept` names JSON, as JSON, or a `file_key`. Then send that key with `dry_run=false`, within 24 hours and in \
             the same session: either all rows are taken, or none. The columns are `position_code`, `product_code`, `counted_qt` and, \
             of a product whose units are traced, `serial_code`: each unit has a row, with a quantity of 1 if it was there and 0 if not; an \
             empty `serial_code` with 0 says that none was there. Other rows of the same product at the same position are added up. \
             Each product at a position becomes a record of the caller's, with what stock says at that moment. `update` discards the \
             records of the same products at the same positions, `replace` all records of the session.",
        )
        .error(400, "There is no file, it can't be read, or it lacks one of the columns `position_code`, `product_code` and `counted_qt`.")
        .error(
            403,
            "The dry run was made by another user, in another session, for another counting session or in another mode; or the \
             caller lacks the scope.",
        )
        .error(404, "No such counting session; or the file is unknown, has expired, or was already imported.")
        .error(413, "The file has more than 32 MiB, 200,000 rows, 1,000 columns, 1 MiB in a cell or 20 million cells.")
        .error(
            422,
            "The counting session is not completed (`CountException` with the rule `wrong_state`); or rows are no longer valid \
             (`ImportException`), and `errors` lists them. Nothing was written.",
        )
}
