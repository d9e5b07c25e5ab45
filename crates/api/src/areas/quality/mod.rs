//! Custom fields of quality forms, the lists of choice fields, and the fields of forms.

mod field;
pub(crate) mod form_field;
mod list;

use domain::key::FieldKey;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::{LARGE_BODY, Operation, Tag, delete, get, post, put};
use crate::scope;

const TAG: Tag = Tag::Quality;

#[derive(Deserialize, JsonSchema)]
struct FieldPath {
    /// The key of a custom field.
    field_key: FieldKey,
}

pub fn operations() -> Vec<Operation> {
    const SLUG: &str = "Another field has the same slug, or the key is taken.";
    vec![
        post("create_field", "/field", TAG, "Create a field", field::create)
            .scope(scope!("quality:form:create"))
            .describe(
                "The slug is derived from the name: lower-case letters and digits joined by `_`, without accents and \
                 without anything in parentheses. It is unique among fields.",
            )
            .error(409, SLUG),
        get("list_fields", "/field", TAG, "List fields", field::list)
            .scope(scope!("quality:form:read"))
            .describe("By name; `name` and `key` are exact, and may combine."),
        put("replace_field", "/field/{field_key}", TAG, "Replace a field", field::replace)
            .scope(scope!("quality:form:update"))
            .describe(
                "Replaces the whole record; a label or hint left out becomes null. A field that is no longer a choice \
                 loses its list values.",
            )
            .error(404, "No such field.")
            .error(409, SLUG)
            .error(412, "`If-Match` names another revision."),
        delete("delete_field", "/field/{field_key}", TAG, "Delete a field", field::remove)
            .scope(scope!("quality:form:update"))
            .describe("The field and its list values. Forms may still use it: readers skip such fields.")
            .error(404, "No such field.")
            .error(412, "`If-Match` names another revision."),
        get("list_choice_values", "/list", TAG, "List the values of a choice field", list::read)
            .scope(scope!("quality:form:read"))
            .describe("`search` looks in value and external key. An unknown field has no values."),
        post("store_choice_values", "/list/{field_key}", TAG, "Store values of a choice field", list::store)
            .scope(scope!("quality:form:update"))
            .body_limit(LARGE_BODY)
            .describe(
                "Values with a known `_key` are replaced, all others are inserted. With `reset=true` all earlier values \
                 of the field are removed first.",
            )
            .error(404, "No such field.")
            .error(409, "A `_key` belongs to a value of another field.")
            .error(422, "A `_key` occurs twice, or the field is not a choice (`NotAChoiceField`)."),
        delete("delete_choice_values", "/list/{field_key}", TAG, "Delete values", list::remove)
            .scope(scope!("quality:form:update"))
            .describe("By `value_key` only: the field in the address is ignored, and so are unknown keys."),
    ]
}
