//! Rules for products, quality fields, configuration, files and imports.

use serde_json::Value;

use super::rules;
use crate::form::FieldKind;
use crate::key::FieldKey;

rules! {
    /// The product has no process, and the request needs its phases.
    NoProcessError, "Give the product a process first." {
        product_code: String,
    }

    /// Only custom fields of type `choice` have a list of values.
    NotAChoiceField, "Name a custom field of type `choice`." {
        field_key: FieldKey,
        #[serde(rename = "type")]
        kind: FieldKind,
    }

    /// The configuration entry is not a file.
    NotAFileEntry, "Change it with `PATCH /config`." {
        key: String,
    }

    /// Records are linked to the file.
    MediaInUse, "Remove the links first." {
        /// The records, by `_id`.
        connections: Vec<String>,
    }

    /// Some rows of the file are no longer valid, so nothing was imported.
    ImportException, "Repeat the import with `dry_run=true`, and correct the rows." {
        /// Always `rows`.
        rule: &'static str,
        #[schemars(schema_with = "faulty_rows")]
        errors: Vec<Value>,
    }
}

/// A fault of a row, as a dry run reports it.
#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct FaultyRow {
    /// The row; the header is row 1.
    row: u32,
    /// The name of the column.
    column: String,
    /// What the cell holds.
    value: String,
    /// What is wrong with it.
    message: String,
}

fn faulty_rows(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let one = generator.subschema_for::<FaultyRow>();
    schemars::json_schema!({ "type": "array", "items": one })
}
