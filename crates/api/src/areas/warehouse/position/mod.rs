//! Positions: places of the warehouse, of customers and of suppliers, and carriers that move between them.

mod check;
mod export;
mod hierarchy;
mod import;
mod read;
mod wire;
mod write;

pub(super) use read::Step;
pub(super) use wire::{PositionRecord, records as position_records};

use domain::collection::Collection;
use domain::key::PositionKey;
use domain::warehouse::INSIDE;
use schemars::JsonSchema;
use serde::Deserialize;

use super::TAG;
use crate::error::ApiError;
use crate::operation::{Operation, delete, get, patch, post};
use crate::scope;

#[derive(Deserialize, JsonSchema)]
struct PositionPath {
    /// The key of a position.
    position_key: PositionKey,
}

fn not_found() -> ApiError {
    ApiError::missing(Collection::Position)
}

/// The own warehouse, where no other position is named.
pub(super) fn inside() -> PositionKey {
    PositionKey::trusted(INSIDE)
}

const ABSENT: &str = "No such position, or it was deleted.";
const REVISION: &str = "`If-Match` names another revision.";
const TAKEN: &str = "Another position has the code, or the key is taken.";

pub(super) fn operations() -> Vec<Operation> {
    let mut all = records();
    all.extend(tables());
    all
}

fn records() -> Vec<Operation> {
    let read = scope!("inventory:position:read");
    vec![
        get("list_positions", "/position", TAG, "List positions", read::list)
            .scope(read)
            .describe(
                "Lists the positions in one of them, at any depth, by code; without `is_in_position` those of the own \
                 warehouse (`IN`). All filters combine; a repeated one means any of its values.",
            ),
        get("get_position", "/position/{position_key}", TAG, "Read a position", read::one)
            .scope(read)
            .describe(
                "Returns a position, the way to it, and what is directly in it, by code: other positions, products and \
                 serials. Paging and `search` are for the contents.",
            )
            .error(404, ABSENT),
        get("get_position_hierarchy", "/position-hierarchy", TAG, "Read the tree of positions", hierarchy::tree)
            .scope(read)
            .describe("Returns a list of one position, with everything that is in it at every depth.")
            .error(404, ABSENT),
        post("create_position", "/position", TAG, "Create a position", write::create)
            .scope(scope!("inventory:position:create"))
            .describe(
                "Codes are trimmed, and unique among live positions, ignoring case. Without `code`, the counter `positions` \
                 of the configuration entry `system_counters` generates one. A position is at most 99 levels below `IN` or `OUT`.",
            )
            .error(409, TAKEN)
            .error(
                422,
                "The parent does not exist, can't contain positions or is too deep; or no counter generates a code \
                 (`CounterNotDefinedError`, `CounterCodeTaken`).",
            ),
        patch("update_position", "/position/{position_key}", TAG, "Change a position", write::change)
            .scope(scope!("inventory:position:update"))
            .describe(
                "Changes the members that are sent. `parent_position_key` moves the position with everything in it. Of `IN`, \
                 `OUT` and `NULL`, only `code` and `extra` can be changed.",
            )
            .error(400, "It is a reserved position, and members other than `code` and `extra` are sent.")
            .error(404, ABSENT)
            .error(409, TAKEN)
            .error(412, REVISION)
            .error(
                422,
                "The parent does not exist, can't contain positions or is too deep; or the position would be in itself \
                 (`PositionCycleException`).",
            ),
        delete("delete_position", "/position/{position_key}", TAG, "Delete a position", write::remove)
            .scope(scope!("inventory:position:delete"))
            .describe(
                "Deletes a position that holds nothing; its code becomes free. Records that name it keep its key.",
            )
            .error(
                400,
                "It is a reserved position, or it is in use: `child_positions`, `stock_rows` and `counts` say by what.",
            )
            .error(404, ABSENT)
            .error(412, REVISION),
    ]
}

fn tables() -> Vec<Operation> {
    vec![
        get("export_positions", "/position-export", TAG, "Export positions", export::run)
            .scope(scope!("inventory:position:read"))
            .describe(
                "Returns the positions that match the filters as CSV or XLSX, in columns that can be imported again, each \
                 behind the one that it is in; `template` has only the header. Text that a spreadsheet would treat as a \
                 formula gets a leading `'`, which an import removes.",
            )
            .sends(&["Content-Disposition"])
            .error(400, "A text is too long for a cell of XLSX. Use CSV instead."),
        post("import_positions", "/position-import", TAG, "Import positions", import::run)
            .scope(scope!("inventory:position:create"))
            .alone()
            .sends(&["X-Import-Status", "X-Error-Count", "X-Valid-Count", "Content-Disposition"])
            .describe(
                "Takes two steps. First send the file with `dry_run` (true by default). The answer has either all \
                 faults of all rows, as a sheet or, if `Accept` names JSON, as JSON, or a `file_key`. Then send \
                 that key with `dry_run=false`, within 24 hours and in the same session: either all rows are \
                 written, or none. The columns are `code`, `parent_code` (a position that is there, or any row of the file), \
                 `owned`, `available`, `fixed`, `disposable` and `allow_consumption`. `import_mode` is `create` (codes must be \
                 new; an empty cell means the default, an empty `parent_code` means `IN`) or `upsert` (positions that are there \
                 are changed; an empty cell leaves a member as it is, the parent too). A row for a position that is there counts \
                 as an update even if it changes nothing.",
            )
            .error(400, "There is no file, it can't be read, or it lacks the column `code`.")
            .error(
                403,
                "The dry run was made by another user, in another session or in another mode; or the caller lacks \
                 the scope.",
            )
            .error(404, "The file is unknown, has expired, or was already imported.")
            .error(
                413,
                "The file has more than 32 MiB, 200,000 rows, 1,000 columns, 1 MiB in a cell or 20 million cells.",
            )
            .error(422, "Rows are no longer valid (`ImportException`); `errors` lists them. Nothing was written."),
    ]
}
