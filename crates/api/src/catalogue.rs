//! The catalogues of events and of errors, as pages for people. They are made from the same declarations as the OpenAPI document.

use std::fmt::Write as _;

use domain::rule;
use journal::catalogue::POSTABLE;
use journal::{ClientEvent, EventType, MADE, ServerEvent};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::scope;

const GENERATED: &str = "<!-- Made by `make catalogues` from the declarations in the code. -->";

/// docs/events.md
pub fn events() -> String {
    let mut page = format!(
        "{GENERATED}

# Catalogue of events

Everything that happens on the shop floor is an event of one of these types. Those in the first part are sent with `POST /event`, or
many at a time with `POST /event/bulk`; the service makes those in the second part, and some of the first part as well. How events are
sent and read is told in [production](production.md) and [the journal](journal.md), how a program reads them in
[connect a program](connect.md).

Every event may also have the members that all events share: `user_key`, `user_session_key`, `timestamp`, `description`,
`context_type` with `context_key`, and keys that have to agree with what the event concerns (`work_order_key`, `product_key`,
`job_key`, `phase_key`, `batch_key`, `work_session_key`). A quantity is an exact decimal: a number, or a text such as `\"0.25\"`.

"
    );
    page += "## Events that are sent\n\n";
    for event in ClientEvent::ALL {
        if let Some(event_type) = POSTABLE.iter().find(|event_type| event_type.name == event.name()) {
            sent(event_type, &mut page);
        }
    }
    page += "## Events that the service makes\n\n";
    for event in ServerEvent::ALL {
        made(event.name(), &mut page);
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

fn sent(event_type: &EventType, page: &mut String) {
    let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let schema = (event_type.schema)(&mut generator).to_value();
    heading(event_type.name, &schema, page);
    let own = event_type.scope().map_or_else(String::new, |own| format!(" and `{}`", own.name()));
    let _ = writeln!(page, "Needs `{}`{own}.\n", scope!("traceability:event:create").name());
    members(&schema, &generator, page);
    added(event_type.name, &schema, page);
    if !event_type.leads_to().is_empty() {
        let makes: Vec<String> =
            event_type.leads_to().iter().map(|name| format!("[`{name}`](#{})", anchor(name))).collect();
        let _ = writeln!(page, "Can lead to {}.\n", makes.join(", "));
    }
}

/// What the service adds to the payload, or has in those that it makes itself.
fn added(event_type: &str, sent: &Value, page: &mut String) {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    for made in MADE.iter().filter(|made| made.types.contains(&event_type)) {
        let mut schema = (made.schema)(&mut generator).to_value();
        if let Some(members) = schema["properties"].as_object_mut() {
            members.retain(|name, _| sent["properties"].get(name).is_none());
        }
        if schema["properties"].as_object().is_some_and(|members| !members.is_empty()) {
            page.push_str("Added by the service:\n\n");
            members(&schema, &generator, page);
        }
    }
}

fn made(event_type: &str, page: &mut String) {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    for made in MADE.iter().filter(|made| made.types.contains(&event_type)) {
        let schema = (made.schema)(&mut generator).to_value();
        heading(event_type, &schema, page);
        members(&schema, &generator, page);
    }
}

fn anchor(name: &str) -> String {
    name.to_ascii_lowercase()
}

fn heading(name: &str, schema: &Value, page: &mut String) {
    let meaning = schema["description"].as_str().unwrap_or_default();
    let _ = writeln!(page, "### {name}\n\n{meaning}\n");
}

/// A table of the members of an object.
fn members(schema: &Value, generator: &SchemaGenerator, page: &mut String) {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let members: Vec<(&String, &Value)> = schema["properties"].as_object().into_iter().flatten().collect();
    if members.is_empty() {
        return;
    }
    page.push_str("| Member | Type | |\n|---|---|---|\n");
    for (name, member) in members {
        let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
        let meaning = member["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|");
        let _ = writeln!(page, "| `{name}` | {}{optional} | {meaning} |", kind(member, generator));
    }
    page.push('\n');
}

/// What a value is, in a word or two.
fn kind(schema: &Value, generator: &SchemaGenerator) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        let referred = generator.definitions().get(name).cloned().unwrap_or_default();
        return kind(&referred, generator);
    }
    let choices = ["anyOf", "oneOf"].into_iter().find_map(|name| schema[name].as_array());
    if let Some(choices) = choices {
        let constants: Vec<String> = choices.iter().flat_map(constants).collect();
        if !constants.is_empty() {
            return constants.join(", ");
        }
        let kinds: Vec<String> =
            choices.iter().map(|choice| kind(choice, generator)).filter(|kind| kind != "null").collect();
        return kinds.join(" or ");
    }
    let constants = constants(schema);
    if !constants.is_empty() {
        return constants.join(", ");
    }
    if schema["format"] == "decimal" {
        return "quantity".to_owned();
    }
    if schema["format"] == "date-time" {
        return "time".to_owned();
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).filter(|one| *one != "null").collect(),
        _ => Vec::new(),
    };
    match types[..] {
        ["array"] => format!("list of {}", plural(&kind(&schema["items"], generator))),
        ["string"] if schema["pattern"].is_string() => "key".to_owned(),
        ["string"] => "text".to_owned(),
        ["integer"] => "whole number".to_owned(),
        [] => "any value".to_owned(),
        _ => types.join(" or "),
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "quantity" => "quantities".to_owned(),
        "key" | "object" | "text" | "time" | "any value" => format!("{kind}s"),
        other => other.to_owned(),
    }
}

fn constants(schema: &Value) -> Vec<String> {
    let one = schema.get("const").into_iter();
    let several = schema["enum"].as_array().into_iter().flatten();
    one.chain(several).filter_map(Value::as_str).map(|name| format!("`{name}`")).collect()
}

/// docs/errors.md
pub fn errors() -> String {
    let mut page = format!(
        "{GENERATED}

# Catalogue of errors

Every error is JSON: `{{\"detail\": …}}`. What `detail` is depends on the status. The texts are for people and may change; programs go by
the status, by `error_type` and by the type of a fault.

| Status | `detail` | Meaning | What to do |
|---|---|---|---|
"
    );
    for (status, detail, meaning, remedy) in STATUSES {
        let _ = writeln!(page, "| {status} | {detail} | {meaning} | {remedy} |");
    }
    page += "\n## Rule errors\n\nA 422 whose `detail` is an object: a rule refuses the event or the operation. `error_type` names the rule, `message` \
             tells people\nwhy, and the data in the last column is beside them.\n\n| `error_type` | Meaning | What to do | Data |\n|---|---|---|---|\n";
    for rule in rule::all() {
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let schema = (rule.schema)(&mut generator).to_value();
        let data: Vec<String> =
            schema["properties"].as_object().into_iter().flatten().map(|(name, _)| format!("`{name}`")).collect();
        let _ = writeln!(page, "| `{}` | {} | {} | {} |", rule.name, rule.meaning(), rule.remedy, data.join(", "));
    }
    page
}

/// Status, detail, meaning, what to do.
const STATUSES: [(&str, &str, &str, &str); 14] = [
    (
        "400",
        "text or object",
        "The request can't be read, or a combination of its parts makes no sense.",
        "Correct the request.",
    ),
    (
        "401",
        "object with `code`",
        "`token`: the token is missing, expired or revoked. `credentials`: the username or password is wrong. `owner`: it belongs to another user.",
        "Sign in again, or use a valid token.",
    ),
    (
        "403",
        "object, often with `required_scope`",
        "The caller lacks a right, or nobody may do it any more.",
        "Ask for the scope; a program needs a token that has it.",
    ),
    ("404", "text or object", "There is no such record or address.", "Look the key up; it may have been deleted."),
    ("405", "text", "The address does not take this method.", "See the document for the methods it takes."),
    (
        "409",
        "text or object",
        "It contradicts what is stored, such as a code that is taken, or a record that others use.",
        "Read the record again; take another code, or change what uses it.",
    ),
    (
        "412",
        "text",
        "The record has another revision than `If-Match` says.",
        "Read it again, and decide whether the change still fits.",
    ),
    (
        "413",
        "text",
        "The body, or what would have to be read, is too large.",
        "Send less at a time, or ask for fewer records.",
    ),
    ("415", "text", "The body has the wrong content type.", "Send it as the document says."),
    ("416", "text", "The file has no such range.", "Ask for a range within its size."),
    (
        "422",
        "list of faults, or a rule error",
        "The input does not fit. The list has **all** faults, each with `type`, `loc`, `msg` and `input`; an object is a rule error, see below.",
        "Correct every fault; repeating the same request can't succeed.",
    ),
    ("429", "text", "Too many failed attempts to sign in.", "Wait for `Retry-After` seconds."),
    (
        "500",
        "object with `error_id`",
        "Something unexpected; nothing was changed.",
        "Report it with the `error_id`, by which the log shows the cause.",
    ),
    (
        "503",
        "object",
        "The database can't be reached, the node is going down, or too many large requests are under way.",
        "Try again after `Retry-After` seconds, with the same `Idempotency-Key`.",
    ),
];
