//! How products are made: operations as templates, each product's process of phases and steps, and copies of both.

mod copy;
mod operation;
mod phase;
mod product_process;
mod step;
mod step_media;

pub(crate) use copy::copy_process;
/// For issues, which show what they are about.
pub(crate) use operation::{OperationRecord, operation_records};
pub(crate) use phase::{PhaseRecord, phase_records};
pub(crate) use step::{StepRecord, copied_steps};

use domain::collection::Collection;
use domain::key::{OperationKey, PhaseKey, StepKey};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ApiError;
use crate::operation::{LARGE_BODY, Operation, Tag, delete, get, patch, post, put};
use crate::scope;

const TAG: Tag = Tag::Process;

#[derive(Deserialize, JsonSchema)]
struct OperationPath {
    /// The key of an operation.
    operation_key: OperationKey,
}

#[derive(Deserialize, JsonSchema)]
struct PhasePath {
    /// The key of a phase.
    phase_key: PhaseKey,
}

#[derive(Deserialize, JsonSchema)]
struct StepPath {
    /// The key of a step.
    step_key: StepKey,
}

fn product_not_found() -> ApiError {
    ApiError::missing(Collection::Product)
}

pub fn operations() -> Vec<Operation> {
    [operation_operations(), product_operations(), step_operations()].into_iter().flatten().collect()
}

fn operation_operations() -> Vec<Operation> {
    const FAULTS: &str = "The body does not fit, or names a custom field, a media file or a step that does not exist.";
    vec![
        get("list_operations", "/operation", TAG, "List operations", operation::list)
            .scope(scope!("process:template:read"))
            .describe("Lists operations by name, each with the live products that have a phase of it."),
        post("create_operation", "/operation", TAG, "Create an operation", operation::create)
            .scope(scope!("process:template:create"))
            .body_limit(LARGE_BODY)
            .describe(
                "An operation is a kind of work, such as assembly, with parameters, notes and steps that its phases start from. \
                 Parameters left out come from the configuration entry `default_operation_parameters`.",
            )
            .error(409, "The key is taken, possibly by a deleted operation.")
            .error(422, FAULTS),
        patch("update_operation", "/operation/{operation_key}", TAG, "Change an operation", operation::change)
            .scope(scope!("process:template:update"))
            .body_limit(LARGE_BODY)
            .describe(
                "Changes the members that are sent. Null clears code, description and notes. Parameters and steps \
                 are replaced as a whole: a step with `_key` is overwritten, one without is new, one left out is \
                 removed. Media files that nothing links to any more are deleted. Existing phases stay as they \
                 are.",
            )
            .error(404, "No such operation.")
            .error(412, "`If-Match` names another revision.")
            .error(422, FAULTS),
        delete("delete_operation", "/operation/{operation_key}", TAG, "Delete an operation", operation::remove)
            .scope(scope!("process:template:update"))
            .describe(
                "Deletes an operation that no live product uses, with the media files that nothing else links to.")
            .error(403, "The caller lacks the scope, or products use it; `product_codes` names them.")
            .error(404, "No such operation.")
            .error(412, "`If-Match` names another revision."),
        post("copy_operation", "/operation/{operation_key}/copy", TAG, "Apply an operation to products", copy::operation)
            .scope(scope!("process:template:update"))
            .describe(
                "Gives all phases of this operation in the named products its parameters, its notes and new \
                 copies of its steps. Their old steps are trashed. The answer names these phases.",
            )
            .error(404, "There is no such operation, or no such product."),
    ]
}

fn product_operations() -> Vec<Operation> {
    const TARGETS: &str = "The product itself is among the targets.";
    const ABSENT: &str = "There is no such product; `missing` names the targets that do not exist.";
    vec![
        get("get_process", "/product/{product_key}/process", TAG, "Read a process", product_process::read)
            .scope(scope!("process:template:read"))
            .describe("Returns the phases of a product in order, each with its steps.")
            .error(404, "No such product."),
        put("replace_process", "/product/{product_key}/process", TAG, "Replace a process", product_process::replace)
            .scope(scope!("process:phase:configure"))
            .body_limit(LARGE_BODY)
            .describe(
                "Takes the whole process in order, and answers with it and all its keys. Phases and steps with \
                 `_key` are overwritten, those without are new, and those left out are trashed but stay readable. \
                 A phase without steps gets `step_check` false. Existing work orders keep their copies.",
            )
            .error(404, "No such product.")
            .error(
                409,
                "Phases that were left out have lines of the bill of materials; `phases` names them and counts \
                 the lines.",
            )
            .error(
                422,
                "The body does not fit; a `_key` is not of this process or occurs twice; an alias occurs twice; \
                 or an operation, a custom field or a media file does not exist. All faults are reported at once.",
            ),
        post("copy_process", "/product/{product_key}/process/copy", TAG, "Copy a process", copy::process)
            .scope(scope!("process:template:update"))
            .describe(
                "Replaces the processes of the named products with copies of this one, which have new keys. The \
                 lines of their bills of materials move to the new last phase, as a new version.",
            )
            .error(400, TARGETS)
            .error(404, ABSENT)
            .error(
                409,
                "This process is empty, and targets have bills of materials; `product_codes` names those targets.",
            ),
        post("copy_product_counter", "/product/{product_key}/counter/copy", TAG, "Share a counter", copy::counter)
            .scope(scope!("process:template:update"))
            .describe(
                "The named products get the counter of this product for their serial codes, or none if it has \
                 none.",
            )
            .error(400, TARGETS)
            .error(404, ABSENT),
    ]
}

fn step_operations() -> Vec<Operation> {
    const FILE: &str = "There is no such step, it is trashed, or it has no such file.";
    vec![
        get("list_phases", "/phase", TAG, "Read phases", phase::read)
            .scope(scope!("process:template:read"))
            .describe("Returns phases by key, each once and in the requested order, including trashed ones.")
            .error(404, "One of the phases does not exist."),
        get("get_procedure", "/procedure/{phase_key}", TAG, "Read the steps of a phase", phase::procedure)
            .scope(scope!("process:template:read"))
            .describe("Returns the steps in order, with their media files. A trashed phase has the steps it had last.")
            .error(404, "No such phase."),
        get("list_step_media", "/step/{step_key}/media", TAG, "List the media files of a step", step_media::list)
            .scope(scope!("process:template:read"))
            .describe("Lists the files in order, also those of a trashed step.")
            .error(404, "No such step."),
        post("add_step_media", "/step/{step_key}/media", TAG, "Add a media file to a step", step_media::add)
            .scope(scope!("process:template:update"))
            .describe(
                "Stores a new media file and links the step to it. A file of the step with the same name is \
                 replaced. The answer is the stored name.",
            )
            .error(404, "There is no such step, or it is trashed.")
            .error(413, "The file is larger than the site allows."),
        delete(
            "delete_step_media",
            "/step/{step_key}/media/{filename}",
            TAG,
            "Remove a media file from a step",
            step_media::remove,
        )
        .scope(scope!("process:template:update"))
        .describe(
            "Removes the link to a file by its name. The media file itself is deleted if nothing else links to it.",
        )
        .error(404, FILE),
    ]
}
