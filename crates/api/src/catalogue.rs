//! The catalogues of events and of errors, as pages for people. They are made from the same declarations as the OpenAPI document.

use std::fmt::Write as _;

use domain::rule;
use domain::text::NOT_BLANK;
use journal::catalogue::POSTABLE;
use journal::{ClientEvent, Common, EventType, MadePayload, References, ServerEvent, added_members, made_payloads};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use crate::scope;

const GENERATED: &str = "<!-- Made by `make catalogues` from the declarations in the code. -->";

/// Maximum width of a line of prose, in characters.
const WIDTH: usize = 132;

/// docs/events.md
pub fn events() -> String {
    let mut page = format!(
        "{GENERATED}

# Catalogue of events

Everything that happens on the shop floor is an event of one of these types. Those in the first part are sent with `POST /event`,
or many at a time with `POST /event/bulk`; the service makes those in the second part, and some of the first part as well. How
events are sent and read is described in [production](production.md) and [the journal](journal.md), how a program reads them in
[connect a program](connect.md).

In the tables, a member of an object within another is shown with a dot (`changes.notes`), and a member of the objects in a list
with brackets and a dot (`form_data[].value`). An optional member may be left out. A quantity is an exact decimal: you may send it
as a number or as a text such as `\"0.25\"`, and the service writes it as a number. You may send a time as RFC 3339 text or as a
bare date. A key is a text.

## Members of all events

An event is sent as one flat object: `event_type`, the members of its type, and any of these. When you read it, the members of its
type are in `payload`.

"
    );
    let mut generator = sending();
    let schema = Common::json_schema(&mut generator).to_value();
    members(&schema, &generator, &mut page);
    paragraph(
        "These keys are optional as well, unless the type requires them. They have to agree with what the event concerns: \
         otherwise it is refused (`ReferenceMismatchError`).",
        &mut page,
    );
    let schema = References::json_schema(&mut generator).to_value();
    members(&schema, &generator, &mut page);
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

/// For what is sent.
fn sending() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_deserialize().into_generator()
}

/// For what the service makes.
fn making() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

fn sent(event_type: &EventType, page: &mut String) {
    let mut generator = sending();
    let schema = (event_type.schema)(&mut generator).to_value();
    heading(event_type.name, schema["description"].as_str().unwrap_or_default(), page);
    let own = event_type.scope().map_or_else(String::new, |own| format!(" and `{}`", own.name()));
    paragraph(&format!("Needs `{}`{own}.", scope!("traceability:event:create").name()), page);
    members(&schema, &generator, page);
    let added = added(event_type.name, page);
    also_made(event_type.name, &added, page);
    if !event_type.leads_to().is_empty() {
        paragraph(&format!("Can lead to {}.", links(event_type.leads_to().iter().copied())), page);
    }
}

/// What the service adds to the payload of an event that is sent. Returns the names of the members.
fn added(event_type: &str, page: &mut String) -> Vec<String> {
    let mut names = Vec::new();
    for payload in of_type(added_members(), event_type) {
        let mut generator = making();
        let schema = (payload.schema)(&mut generator).to_value();
        paragraph("The service adds to the payload:", page);
        members(&schema, &generator, page);
        names.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
    }
    names
}

/// When the service makes an event of a type that is also sent, and the payload that it then has.
fn also_made(event_type: &str, added: &[String], page: &mut String) {
    for payload in of_type(made_payloads(), event_type) {
        let mut generator = making();
        let mut schema = (payload.schema)(&mut generator).to_value();
        for name in added {
            // It has its rows already.
            if let Some(member) = schema["properties"].get_mut(name) {
                *member = json!({ KIND: kind(member, &generator), "description": "As above." });
            }
        }
        let meaning = payload.of(event_type).map(|made| made.meaning()).unwrap_or_default();
        let occasion = occasion(payload, event_type);
        paragraph(&format!("The service also makes it {occasion}. {meaning} The payload then is:"), page);
        members(&schema, &generator, page);
    }
}

/// An event of a type that only the service makes.
fn made(event_type: &str, page: &mut String) {
    for payload in of_type(made_payloads(), event_type) {
        let mut generator = making();
        let schema = (payload.schema)(&mut generator).to_value();
        let meaning = payload.of(event_type).map(|made| made.meaning()).unwrap_or_default();
        heading(event_type, &meaning, page);
        paragraph(&format!("Made {}.", occasion(payload, event_type)), page);
        members(&schema, &generator, page);
    }
}

fn of_type(
    payloads: impl Iterator<Item = &'static MadePayload>,
    event_type: &str,
) -> impl Iterator<Item = &'static MadePayload> {
    payloads.filter(move |payload| payload.of(event_type).is_some())
}

/// On which occasions the service makes an event: after others, and when something happens.
fn occasion(payload: &MadePayload, event_type: &str) -> String {
    let sources: Vec<&str> =
        POSTABLE.iter().filter(|source| source.leads_to().contains(&event_type)).map(|source| source.name).collect();
    let after = (!sources.is_empty()).then(|| format!("after {}", links(sources.into_iter())));
    let when = payload.of(event_type).map(|made| made.when).filter(|when| !when.is_empty());
    let when = when.map(|when| format!("when {when}"));
    after.into_iter().chain(when).collect::<Vec<String>>().join(", and ")
}

/// Links to other types on the page.
fn links<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let links: Vec<String> = names.map(|name| format!("[`{name}`](#{})", name.to_ascii_lowercase())).collect();
    links.join(", ")
}

fn heading(name: &str, meaning: &str, page: &mut String) {
    let _ = writeln!(page, "### {name}\n");
    paragraph(meaning, page);
}

/// Prose in lines that are not too wide, and an empty line.
fn paragraph(text: &str, page: &mut String) {
    let mut used = 0;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if used > 0 && used + 1 + width > WIDTH {
            page.push('\n');
            used = 0;
        } else if used > 0 {
            page.push(' ');
            used += 1;
        }
        page.push_str(word);
        used += width;
    }
    page.push_str("\n\n");
}

/// A table of the members of an object, and of the objects in it.
fn members(schema: &Value, generator: &SchemaGenerator, page: &mut String) {
    if schema["properties"].as_object().is_none_or(|members| members.is_empty()) {
        return;
    }
    page.push_str("| Member | Type | Meaning |\n|---|---|---|\n");
    rows("", schema, generator, &mut Vec::new(), page);
    page.push('\n');
}

/// A row for each member of an object, each followed by the rows of the object that it is or has a list of; `outer` are the objects
/// around it, which are not repeated within themselves.
fn rows<'a>(
    prefix: &str,
    object: &'a Value,
    generator: &'a SchemaGenerator,
    outer: &mut Vec<&'a Value>,
    page: &mut String,
) {
    let required: Vec<&str> = object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    outer.push(object);
    for (name, member) in object["properties"].as_object().into_iter().flatten() {
        let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
        let null = if may_be_null(member) { " or null" } else { "" };
        let (kind, meaning) = (kind(member, generator), meaning(member, generator));
        let _ = writeln!(page, "| `{prefix}{name}` | {kind}{null}{optional} | {meaning} |");
        if let Some((lists, inner)) = object_in(member, generator)
            && !outer.contains(&inner)
        {
            rows(&format!("{prefix}{name}{lists}."), inner, generator, outer, page);
        }
    }
    outer.pop();
}

/// The object that a member is or has a list of, with the brackets of the lists around it.
fn object_in<'a>(member: &'a Value, generator: &'a SchemaGenerator) -> Option<(String, &'a Value)> {
    let schema = plain(member, generator);
    if schema["items"].is_object() {
        let (lists, object) = object_in(&schema["items"], generator)?;
        return Some((format!("[]{lists}"), object));
    }
    schema["properties"].is_object().then(|| (String::new(), schema))
}

/// What a member means, and what each of its values does if it has names for them.
fn meaning(member: &Value, generator: &SchemaGenerator) -> String {
    let mut texts = vec![member["description"].as_str().unwrap_or_default().to_owned()];
    for choice in plain(member, generator)["oneOf"].as_array().into_iter().flatten() {
        if let (Some(name), Some(text)) = (choice["const"].as_str(), choice["description"].as_str()) {
            texts.push(format!("`{name}`: {text}"));
        }
    }
    texts.join(" ").replace('\n', " ").replace('|', "\\|")
}

fn may_be_null(schema: &Value) -> bool {
    let lists = ["type", "enum", "anyOf", "oneOf"].into_iter().filter_map(|name| schema[name].as_array());
    lists.flatten().any(|one| one == "null" || one.is_null() || one["type"] == "null")
}

/// A schema without the reference to it and without null.
fn plain<'a>(schema: &'a Value, generator: &'a SchemaGenerator) -> &'a Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        return generator.definitions().get(name).map_or(schema, |named| plain(named, generator));
    }
    let choices = ["anyOf", "oneOf"].into_iter().find_map(|name| schema[name].as_array());
    let mut others = choices.into_iter().flatten().filter(|choice| choice["type"] != "null");
    match (others.next(), others.next()) {
        (Some(only), None) => plain(only, generator),
        _ => schema,
    }
}

/// In a schema whose rows are left out: what the value is.
const KIND: &str = "x-kind";

/// What a value is, in a word or two.
fn kind(schema: &Value, generator: &SchemaGenerator) -> String {
    let schema = plain(schema, generator);
    if let Some(kind) = schema[KIND].as_str() {
        return kind.to_owned();
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
        ["string"] if schema["pattern"].as_str().is_some_and(|pattern| pattern != NOT_BLANK) => "key".to_owned(),
        ["string"] => match schema["maxLength"].as_u64() {
            Some(most) => format!("text of at most {most} characters"),
            None => "text".to_owned(),
        },
        ["integer"] => "whole number".to_owned(),
        ["object"] if schema["properties"].is_null() => "any object".to_owned(),
        [] => "any value".to_owned(),
        _ => types.join(" or "),
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "quantity" => "quantities".to_owned(),
        "key" | "object" | "any object" | "text" | "time" | "any value" => format!("{kind}s"),
        other => other.to_owned(),
    }
}

fn constants(schema: &Value) -> Vec<String> {
    let one = schema.get("const").into_iter();
    let several = schema["enum"].as_array().into_iter().flatten();
    let shown = |value: &Value| match value {
        Value::String(name) => Some(format!("`{name}`")),
        Value::Bool(value) => Some(format!("`{value}`")),
        _ => None,
    };
    one.chain(several).filter_map(shown).collect()
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
    page += "\n## Faults of the input\n\nA 422 whose `detail` is a list: each entry is one fault, with its `type`, the path to the value in `loc`, a \
             message in `msg` and the\nvalue in `input`. Where a rule refuses one entry of a list, `type` is the name of the rule.\n\n| `type` | Meaning |\n|---|---|\n";
    for (kind, meaning) in domain::fault::KINDS {
        let _ = writeln!(page, "| `{kind}` | {meaning} |");
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
        "Ask for the scope; a program needs a token that has it. If rights were reduced while the request ran, send it again.",
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
