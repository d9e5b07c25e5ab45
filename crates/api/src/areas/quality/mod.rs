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
        post("create_field", "/field", TAG, "Create a custom field", field::create)
            .scope(scope!("quality:form:create"))
            .describe(
                "The slug, which is unique, is derived from the name: lower-case letters and digits joined by \
                 `_`, without accents and without anything in parentheses.",
            )
            .error(409, SLUG),
        get("list_fields", "/field", TAG, "List custom fields", field::list)
            .scope(scope!("quality:form:read"))
            .describe("Lists custom fields by name. Both filters combine."),
        put("replace_field", "/field/{field_key}", TAG, "Replace a custom field", field::replace)
            .scope(scope!("quality:form:update"))
            .describe(
                "Replaces the whole record; a label or hint that is left out becomes null. A field that is no \
                 longer a choice loses its values.",
            )
            .error(404, "No such field.")
            .error(409, SLUG)
            .error(412, "`If-Match` names another revision."),
        delete("delete_field", "/field/{field_key}", TAG, "Delete a custom field", field::remove)
            .scope(scope!("quality:form:update"))
            .describe("Deletes a field and its values. Forms that still use the field are read without it.")
            .error(404, "No such field.")
            .error(412, "`If-Match` names another revision."),
        get("list_choice_values", "/list", TAG, "List the values of a choice field", list::read)
            .scope(scope!("quality:form:read"))
            .describe("Lists the values of a field; an unknown field has none."),
        post("store_choice_values", "/list/{field_key}", TAG, "Store values of a choice field", list::store)
            .scope(scope!("quality:form:update"))
            .body_limit(LARGE_BODY)
            .describe(
                "Replaces values whose `_key` exists and adds all others. With `reset=true`, all previous values \
                 of the field are removed first.",
            )
            .error(404, "No such field.")
            .error(409, "A `_key` belongs to a value of another field.")
            .error(
                422,
                "A `_key` occurs twice, the field is not a choice (`NotAChoiceField`), or the body does not fit.",
            ),
        delete("delete_choice_values", "/list/{field_key}", TAG, "Delete values of a choice field", list::remove)
            .scope(scope!("quality:form:update"))
            .describe("Deletes values by `value_key`. The field in the address and unknown keys are ignored."),
    ]
}
