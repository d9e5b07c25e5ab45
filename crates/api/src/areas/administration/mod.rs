//! Configuration, counters, custom data, the audit log and service-wide operations.

mod audit;
mod config;
mod config_file;
mod counter;
mod custom_data;
mod hello;
mod resets;

pub(crate) use counter::{CounterRecord, record as counter_record};

use crate::operation::{Operation, Tag, delete, get, patch, post, put};
use crate::scope;

const TAG: Tag = Tag::Administration;

pub fn operations() -> Vec<Operation> {
    vec![
        get("hello", "/hello", TAG, "Check that the service is up", hello::hello)
            .public()
            .describe("Answers without a token."),
        get("get_config", "/config", TAG, "Read the configuration", config::read).public().describe(
            "Returns all entries in one flat object by key. Entries are public: never store a secret in them.",
        ),
        patch("update_config", "/config", TAG, "Change the configuration", config::change)
            .scope(scope!("admin:config:write"))
            .body_limit(1024 * 1024)
            .describe(
                "Sets the entries named in the body and creates unknown ones. Objects are merged member by \
                 member, everything else is replaced, and null changes nothing. `default_production_position` and \
                 `default_consumption_position` are reset to `IN` whenever they are left out or null: send them \
                 to keep them.",
            ),
        put("set_config_file", "/config/{key}/file", TAG, "Set the file of a configuration entry", config_file::put)
            .scope(scope!("admin:config:write"))
            .describe(
                "Stores the part `file`, makes its address the value of the entry and erases the previous file. \
                 Without `file`, the stored file is erased and the value becomes null. An entry that does not \
                 exist is created. The file is public.",
            )
            .error(412, "`If-Match` names another revision."),
        get("list_custom_data", "/custom-data", TAG, "List custom data", custom_data::list)
            .scope(scope!("admin:custom-data:read"))
            .describe("Lists entries by key."),
        get("get_custom_data", "/custom-data/{key}", TAG, "Read custom data", custom_data::one)
            .scope(scope!("admin:custom-data:read"))
            .describe("Returns one entry.")
            .error(404, "No such entry."),
        put("set_custom_data", "/custom-data/{key}", TAG, "Set custom data", custom_data::put)
            .scope(scope!("admin:custom-data:write"))
            .body_limit(4 * 1024 * 1024)
            .body_unlogged()
            .describe("Creates an entry, or replaces it as a whole; `message` says which.")
            .error(412, "`If-Match` names another revision."),
        delete("delete_custom_data", "/custom-data/{key}", TAG, "Delete custom data", custom_data::remove)
            .scope(scope!("admin:custom-data:write"))
            .describe("Deletes the entry for good. The audit log records the deletion.")
            .error(404, "No such entry.")
            .error(412, "`If-Match` names another revision."),
        get("list_counters", "/counter", TAG, "List counters", counter::list)
            .scope(scope!("traceability:counter:read"))
            .describe("Lists counters by name. Both filters combine."),
        post("create_counter", "/counter", TAG, "Create a counter", counter::create)
            .scope(scope!("traceability:counter:write"))
            .describe(
                "A counter generates codes from its template: dates, a tick and plain text. With a frequency, the \
                 tick restarts with every period, which the template then has to contain. No code is generated \
                 twice, and none is skipped.",
            )
            .error(409, "The key is taken."),
        put("update_counter", "/counter/{counter_key}", TAG, "Change a counter", counter::change)
            .scope(scope!("traceability:counter:write"))
            .describe("Changes the members that are sent; the result is checked as a whole.")
            .error(404, "No such counter.")
            .error(412, "`If-Match` names another revision."),
        delete("delete_counter", "/counter/{counter_key}", TAG, "Delete a counter", counter::remove)
            .scope(scope!("traceability:counter:write"))
            .describe("Deletes a counter that nothing uses any more.")
            .error(404, "No such counter.")
            .error(409, "The counter is in use; `code` says by what.")
            .error(412, "`If-Match` names another revision."),
        get("list_audit_entries", "/audit", TAG, "Read the audit log", audit::list)
            .scope(scope!("audit:log:read"))
            .describe(
                "Lists the entries of the audit log, newest first; all filters combine. Every request to an \
                 operation that can change something leaves one entry, whatever its outcome. Nothing changes or \
                 removes entries.",
            ),
        delete("reset_production", "/reset/prod", TAG, "Remove all production data", resets::production)
            .scope(scope!("admin:operation:reset-prod"))
            .alone()
            .describe(
                "Can't be undone. Removes everything that production and traceability have recorded, with its \
                 files, and leaves one empty site queue. Products, positions, tasks, users, configuration, \
                 counters, the audit log and the seals of removed events stay. Counting sessions that are not over are \
                 canceled.",
            ),
        delete("reset_inventory", "/reset/inventory", TAG, "Remove all inventory data", resets::inventory)
            .scope(scope!("admin:operation:reset-inventory"))
            .alone()
            .describe(
                "Can't be undone. Removes movements, movement lists, the stock of products and counts that were not \
                 completed; positions and applied counting sessions stay, other sessions are canceled.",
            ),
        delete(
            "force_delete_work_order",
            "/force-delete-work-order/{work_order_key}",
            TAG,
            "Delete a work order for good",
            resets::force_delete,
        )
        .scope(scope!("admin:operation:force-delete-work-order"))
        .alone()
        .describe(
            "Can't be undone. Removes an order, even a running one, with its jobs, batches, events, links and files; \
             serials stay. The audit log records the removal, and an entry among the seals says which events were \
             removed.",
        )
        .error(404, "No such work order."),
    ]
}
