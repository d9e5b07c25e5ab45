//! A body that is either JSON, or a form with the same names and a file.

use domain::fault::Faults;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::body::{MULTIPART, is_media_type};
use super::parts::{Input, Json, Part, PlaceOf, Source, read_value};
use super::shape::Shape;
use super::upload::Upload;

/// The file of the form is the part `image`.
pub struct JsonOrUpload<T>(pub Sent<T>);

pub enum Sent<T> {
    Json(T),
    Form(Upload<T>),
}

/// The part of the form that is a file.
pub(crate) const FILE: &str = "image";

impl<T: Input> Part for JsonOrUpload<T> {
    const PLACE: PlaceOf = PlaceOf::JsonOrMultipartBody;
    type Fields = T;

    fn places(generator: &mut SchemaGenerator) -> Vec<(PlaceOf, Schema)> {
        let mut form = T::json_schema(generator);
        form.ensure_object()
            .insert("description".to_owned(), json!("The same fields, objects and lists as JSON text."));
        form.ensure_object().entry("properties").or_insert_with(|| json!({}))[FILE] =
            json!({ "type": "string", "contentMediaType": "application/octet-stream" });
        vec![(PlaceOf::JsonBody, generator.subschema_for::<T>()), (PlaceOf::MultipartBody, form)]
    }

    fn read(source: &Source, shape: &Shape, faults: &mut Vec<domain::Fault>) -> Option<Self> {
        let sent = if is_media_type(&source.content_type, MULTIPART) {
            Sent::Form(Upload::read(source, shape, faults)?)
        } else {
            Sent::Json(Json::read(source, shape, faults)?.0)
        };
        Some(Self(sent))
    }
}

/// Reads the fields of a form as the JSON body they stand for, with all faults at once.
pub(crate) fn read_form<T: Input>(fields: &[(String, String)], faults: &mut Vec<domain::Fault>) -> Option<T> {
    let shape = Shape::of::<T>();
    let mut objections = Faults::at("body");
    let form = shape.read_form(fields, &mut objections);
    faults.extend(objections.into_vec());
    read_value(Value::Object(form), "body", &shape, faults)
}

/// The names of the fields such a form may have.
pub(crate) fn form_fields<T: JsonSchema>() -> Vec<String> {
    Shape::of::<T>().members()
}
