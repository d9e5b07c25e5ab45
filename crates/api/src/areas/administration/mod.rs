//! Configuration and service-wide operations.

mod config;
mod config_file;
mod hello;

use crate::operation::{Operation, Tag, get, patch, put};
use crate::scope;

const TAG: Tag = Tag::Administration;

pub fn operations() -> Vec<Operation> {
    vec![
        get("/hello", TAG, "Say hello", hello::hello)
            .public()
            .describe("Answers without a token: a quick way to see that the service is there."),
        get("/config", TAG, "Read the configuration", config::read)
            .public()
            .describe("All entries in one flat object by key. Entries are public: keep no secret in them."),
        patch("/config", TAG, "Change the configuration", config::change)
            .scope(scope!("admin:config:write"))
            .body_limit(1024 * 1024)
            .describe(
                "Sets the entries named in the body. Objects are merged field by field, everything else is replaced, and a \
                 null does nothing. Unknown keys are created. `default_production_position` and \
                 `default_consumption_position` are reset to `IN` whenever they are missing or null: to keep them, send them.",
            ),
        put("/config/{key}/file", TAG, "Set the file of an entry", config_file::put)
            .scope(scope!("admin:config:write"))
            .describe(
                "Stores the part `file` and makes its address the entry's value; the earlier file goes. Without `file` the \
                 stored one is erased and the value becomes null. A missing entry is created. The file is public.",
            )
            .error(412, "`If-Match` names another revision."),
    ]
}
