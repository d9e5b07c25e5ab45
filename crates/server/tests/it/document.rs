//! The OpenAPI document: the checked-in file is the one the binary gives, and it says what the contract wants said.

use std::path::Path;

use testkit::Value;

fn document() -> Value {
    api::openapi::document(api::areas::operations())
}

#[test]
fn the_checked_in_document_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi/openapi.json");
    let stored = std::fs::read_to_string(file).unwrap_or_default();
    assert!(stored == format!("{:#}\n", document()), "openapi/openapi.json is stale: run `make openapi`");
}

/// With `CATALOGUES=write` they are written first.
#[test]
fn the_catalogues_are_current() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for (name, page) in [("events.md", api::catalogue::events()), ("errors.md", api::catalogue::errors())] {
        if std::env::var("CATALOGUES").is_ok_and(|what| what == "write") {
            std::fs::write(docs.join(name), &page).unwrap();
        }
        let stored = std::fs::read_to_string(docs.join(name)).unwrap_or_default();
        assert!(stored == page, "docs/{name} is stale: run `make catalogues`");
    }
}

/// Programs are written from the page: no member is without a meaning, and no object without its members.
#[test]
fn the_catalogue_of_events_leaves_nothing_out() {
    let page = api::catalogue::events();
    let lines: Vec<&str> = page.lines().collect();
    for pair in lines.windows(2) {
        let (line, next) = (pair[0], pair[1]);
        assert!(line.starts_with('|') || line.chars().count() <= 132, "too wide: {line}");
        assert!(!line.ends_with("|  |"), "no meaning: {line}");
        let Some((name, row)) = line.strip_prefix("| `").and_then(|row| row.split_once("` | ")) else { continue };
        let object = row.starts_with("object") || row.starts_with("list of objects");
        let within = [format!("| `{name}."), format!("| `{name}[].")];
        let shown = row.contains("As above.") || within.iter().any(|within| next.starts_with(within.as_str()));
        assert!(shown || !object, "no members: {line}");
    }
}

#[test]
fn every_operation_is_described() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], "0.1.0");
    let scheme = &document["components"]["securitySchemes"]["OAuth2PasswordBearer"];
    assert_eq!(scheme["flows"]["password"]["tokenUrl"], "/api/auth");
    let mut ids = std::collections::HashSet::new();
    for operation in api::areas::operations() {
        let described = &document["paths"][operation.path][operation.method.as_str().to_ascii_lowercase()];
        let id = operation.id;
        assert_eq!(described["operationId"], id);
        assert!(ids.insert(id), "{id} twice");
        assert!(!operation.summary.is_empty() && !operation.description.is_empty(), "{id} needs texts");
        for name in operation.path.split(['{', '}']).skip(1).step_by(2) {
            let parameters = described["parameters"].as_array().expect("parameters");
            let found = parameters.iter().any(|parameter| parameter["name"] == name && parameter["in"] == "path");
            assert!(found, "{id} does not read {name}");
        }
    }
}

fn examples() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi/examples.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// Whether they fit the document, answers included, is checked by Redocly; this is what the service itself says to them.
#[test]
fn every_operation_has_an_example_that_it_takes() {
    let examples = examples();
    let mut seen = 0;
    for operation in api::areas::operations() {
        let example = &examples[operation.id];
        assert!(!example.is_null(), "{} has no example: run `make examples`", operation.id);
        let several = example["requests"].as_object().into_iter().flatten().map(|(_, request)| request);
        let one = Some(&example["request"]).filter(|request| !request.is_null());
        for request in one.into_iter().chain(several) {
            let faults = operation.body_faults(request);
            assert!(faults.is_empty(), "{}: {faults:?}", operation.id);
            seen += 1;
        }
    }
    assert!(seen >= 50, "{seen}");
}

/// Generated programs have a class for each, so a name must not depend on what else there is, nor have two meanings.
#[test]
fn schemas_have_names_of_their_own() {
    let document = document();
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "{name}");
        assert!(name.chars().all(|char| char.is_ascii_alphanumeric()), "{name}");
    }
}

/// What generators of clients refuse or make nothing of.
#[test]
fn schemas_are_what_generators_understand() {
    fn look(value: &Value, at: &str) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| look(value, at)),
            Value::Object(members) => {
                for (name, value) in members {
                    let here = format!("{at}/{name}");
                    if matches!(name.as_str(), "example" | "examples") {
                        continue;
                    }
                    assert!(!(name == "default" && value.is_null()), "{here}");
                    assert!(name != "contentMediaType", "{here}");
                    if name == "properties" {
                        let booleans =
                            value.as_object().into_iter().flatten().filter(|(_, schema)| schema.is_boolean());
                        assert_eq!(booleans.count(), 0, "{here}");
                    }
                    look(value, &here);
                }
            }
            _ => {}
        }
    }
    look(&document(), "");
}

#[test]
fn only_what_is_public_needs_no_token() {
    let document = document();
    for operation in api::areas::operations() {
        let described = &document["paths"][operation.path][operation.method.as_str().to_ascii_lowercase()];
        let none = described["security"].as_array().is_some_and(Vec::is_empty);
        assert_eq!(none, operation.access == api::operation::Access::Public, "{}", operation.id);
    }
}

#[test]
fn headers_that_matter_are_described() {
    let document = document();
    let has = |path: &str, method: &str, header: &str| {
        let described = &document["paths"][path][method];
        let parameters = described["parameters"].as_array().into_iter().flatten();
        let found = parameters.into_iter().any(|one| one["in"] == "header" && one["name"] == header);
        assert!(!found || !described["responses"]["422"].is_null(), "a header can be wrong: {method} {path}");
        found
    };
    assert!(has("/tag/{tag_key}", "patch", "If-Match") && has("/tag/{tag_key}", "patch", "Idempotency-Key"));
    assert!(has("/reset/prod", "delete", "Idempotency-Key") && !has("/reset/prod", "delete", "If-Match"));
    assert!(!has("/auth", "post", "Idempotency-Key"), "answers with secrets are not kept");
    assert!(has("/media/{media_key}", "get", "Range") && !has("/tag", "get", "Range"));
    let bytes = &document["paths"]["/media/{media_key}"]["get"]["responses"];
    assert!(["206", "304", "416"].iter().all(|status| !bytes[*status].is_null()), "{bytes}");
}

#[test]
fn references_lead_somewhere() {
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get("$ref") {
                    found.push(reference.clone());
                }
                members.values().for_each(|value| references(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let document = document();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(!found.is_empty());
    for reference in found {
        let pointer = reference.strip_prefix('#').expect("a local reference");
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

/// What the service writes into an event has more members than what is sent: references of corrections by counts.
#[test]
fn stored_events_are_described_as_they_are_written() {
    let document = document();
    let members = &document["components"]["schemas"]["MovementCompletedPayload"]["properties"];
    assert_eq!(members["references"]["anyOf"][0]["$ref"], "#/components/schemas/MovementReferences");
    let kinds = members["movement_type"]["anyOf"].as_array().map_or(0, Vec::len);
    assert_eq!(kinds, 2, "it may be left out, or null: {members}");
}
