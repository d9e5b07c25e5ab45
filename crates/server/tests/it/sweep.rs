//! What must hold for all operations, those of later areas included.

use api::areas::operations;
use api::operation::{Access, Operation};
use domain::scope::{Rights, Scope};
use reqwest::{Method, RequestBuilder};
use testkit::{Person, Value, on_both_engines};

/// The operation's address with something in the place of its parameters.
fn address(operation: &Operation, filler: &str) -> String {
    let filled = operation.path.split('/').map(|part| if part.starts_with('{') { filler } else { part });
    filled.collect::<Vec<_>>().join("/")
}

fn call(person: &Person, operation: &Operation, filler: &str) -> RequestBuilder {
    let method = Method::from_bytes(operation.method.as_str().as_bytes()).unwrap();
    person.request(method, &address(operation, filler))
}

fn described(operation: &Operation) -> Value {
    let document = api::openapi::document(&operations());
    document["paths"][operation.path][operation.method.as_str().to_ascii_lowercase()].clone()
}

on_both_engines! {
    async fn without_a_token_nothing_but_the_public_ones(site) {
        let nobody = site.visitor("");
        for operation in operations() {
            let status = nobody.send(call(&nobody, &operation, "x")).await.status;
            match operation.access {
                Access::Public => assert_ne!(status, 401, "{}", operation.id()),
                Access::Scope(_) => assert_eq!(status, 401, "{}", operation.id()),
            }
        }
    }

    async fn every_scope_but_the_right_one_is_not_enough(site) {
        for (index, operation) in operations().into_iter().enumerate() {
            let Access::Scope(needed) = operation.access else { continue };
            if Rights::base().contains(needed) {
                continue;
            }
            let others: Vec<&str> = Scope::all().filter(|scope| *scope != needed).map(Scope::name).collect();
            let person = site.user(&format!("all-but-one-{index}"), &others.join(" ")).await;
            let answer = person.send(call(&person, &operation, "x")).await.expect(403);
            assert_eq!(answer.body["detail"]["required_scope"], needed.name());
        }
    }

    async fn malformed_input_is_422_in_the_one_shape(site) {
        let admin = site.admin().await;
        for operation in operations() {
            let id = operation.id();
            let document = described(&operation);
            let body = document["requestBody"]["content"].as_object().and_then(|content| content.keys().next().cloned());
            let with_body = |request: RequestBuilder| match body.as_deref() {
                Some(kind) => request.header("content-type", kind.to_owned()).body("%"),
                None => request,
            };
            if operation.path.contains('{') {
                let answer = admin.send(with_body(call(&admin, &operation, "%20"))).await;
                assert!(answer.faults().iter().any(|fault| fault.contains(" path.")), "{id}: {}", answer.text);
            }
            if body.is_some() {
                let answer = admin.send(with_body(call(&admin, &operation, "x"))).await;
                assert!(answer.faults().iter().any(|fault| fault.contains(" body")), "{id}: {}", answer.text);
                let wrong = call(&admin, &operation, "x").header("content-type", "text/csv").body("a,b");
                admin.send(wrong).await.expect(415);
            }
            let parameters = document["parameters"].as_array().cloned().unwrap_or_default();
            for parameter in parameters.iter().filter(|parameter| parameter["in"] == "query") {
                let kind = parameter["schema"]["type"].to_string();
                if kind.contains("integer") || kind.contains("boolean") {
                    let name = parameter["name"].as_str().unwrap();
                    let answer = admin.send(with_body(call(&admin, &operation, "x")).query(&[(name, "?")])).await;
                    let place = format!(" query.{name}");
                    assert!(answer.faults().iter().any(|fault| fault.ends_with(&place)), "{id}: {}", answer.text);
                }
            }
        }
    }
}

/// Every operation has a test that is about it: file and name.
const TESTS: &[(&str, &str, &str)] = &[
    ("post_auth", "sign_in.rs", "a_session_from_sign_in_to_close"),
    ("post_user_user_key_verify", "passwords.rs", "verifying_a_second_signature"),
    ("get_whoami", "tokens.rs", "every_bad_token_is_refused_alike"),
    ("post_session", "sessions.rs", "a_token_for_somebody_else_is_revoked"),
    ("get_session", "sessions.rs", "the_list_shows_who_is_there"),
    ("delete_session_session_key", "sessions.rs", "closing_a_foreign_one"),
    ("get_scope", "rights.rs", "the_table_of_scopes"),
    ("patch_preferences", "preferences.rs", "merged_member_by_member"),
    ("put_user_user_key_password", "passwords.rs", "changing_ones_own"),
    ("get_hello", "conventions.rs", "every_answer_carries_a_request_id"),
    ("get_config", "first_start.rs", "seeds_are_there"),
    ("patch_config", "config.rs", "config_reset"),
    ("put_config_key_file", "config_file.rs", "a_logo_comes_changes_and_goes"),
];

#[test]
fn every_operation_has_a_named_test() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for operation in operations() {
        let id = operation.id();
        let (_, file, name) =
            TESTS.iter().find(|(named, _, _)| *named == id).unwrap_or_else(|| panic!("{id} has no test"));
        let source = std::fs::read_to_string(folder.join(file)).unwrap();
        assert!(source.contains(&format!("async fn {name}(")), "{file} has no {name}");
    }
}
