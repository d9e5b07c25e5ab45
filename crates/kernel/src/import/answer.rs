use std::marker::PhantomData;

use axum::http::StatusCode;
use axum::response::Response;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::Importer;
use super::report::{FaultyFile, Report};
use crate::Result;
use crate::error::ApiError;
use crate::openapi::pascal_case;
use crate::reply::{Answer, Bare, Done, Envelope, JSON};

/// The answer to one step of an import.
pub struct Imported<I>(Step, PhantomData<fn() -> I>);

enum Step {
    Tried(Done<Bare<Value>>),
    Faulty(Report),
    Executed(Done<Envelope<Value>>),
}

impl<I> Imported<I> {
    pub(super) fn tried(done: Done<Bare<Value>>) -> Self {
        Self(Step::Tried(done), PhantomData)
    }

    pub(super) fn faulty(report: Report) -> Self {
        Self(Step::Faulty(report), PhantomData)
    }

    pub(super) fn executed(done: Done<Envelope<Value>>) -> Self {
        Self(Step::Executed(done), PhantomData)
    }
}

impl<I: Importer> Answer for Imported<I> {
    /// Faults come as a sheet unless the client asks for JSON.
    const MEDIA_TYPES: &'static [&'static str] = &[JSON, sheet::XLSX];

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let valid = json!({
            "type": "object",
            "description": "The dry run of a file without faults.",
            "required": ["status", "file_key", "filename", "rows_total", "rows_valid", "ignored_columns"],
            "properties": {
                "status": { "type": "string", "const": "valid" },
                "file_key": { "type": "string", "description": "Send it within 24 hours to execute the import." },
                "filename": { "type": "string" },
                "rows_total": { "type": "integer" },
                "rows_valid": { "type": "integer" },
                "ignored_columns": { "type": "array", "items": { "type": "string" } }
            }
        });
        let counts = generator.subschema_for::<I::Counts>();
        let faulty = generator.subschema_for::<FaultyFile>();
        let executed = Envelope::<I::Detail>::schema(generator).to_value();
        let mut named = |name: String, schema: Value| {
            let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
            generator.definitions_mut().insert(name, schema);
            reference
        };
        let tried = named(format!("{}ImportTried", pascal_case(I::TARGET)), json!({ "allOf": [valid, counts] }));
        let executed = named(format!("{}ImportDone", pascal_case(I::TARGET)), executed);
        json_schema!({ "anyOf": [tried, faulty, executed] })
    }

    fn body(&self, status: StatusCode) -> Result<String> {
        match &self.0 {
            Step::Tried(done) => done.body(status),
            Step::Executed(done) => done.body(status),
            Step::Faulty(_) => Err(ApiError::internal("a report is not kept", None)),
        }
    }

    fn into_response(self, status: StatusCode) -> Result<Response> {
        match self.0 {
            Step::Tried(done) => done.into_response(status),
            Step::Executed(done) => done.into_response(status),
            Step::Faulty(report) => report.into_response(status),
        }
    }
}
