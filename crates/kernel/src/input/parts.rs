//! The parts of a request that handlers name in their signature.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use domain::fault::{Faults, Loc};
use domain::json::Objection;
use parking_lot::Mutex;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use store::Page;

use super::shape::Shape;
use crate::memory::Share;
use crate::trail::Trail;

/// Where a part comes from, for the document and for the checks before the body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceOf {
    Path,
    Query,
    JsonBody,
    FormBody,
    MultipartBody,
    /// Either of the two, as the client prefers.
    JsonOrMultipartBody,
}

impl PlaceOf {
    /// The body's media type; `None` for parts that are not the body.
    pub fn media_type(self) -> Option<&'static str> {
        match self {
            PlaceOf::JsonBody | PlaceOf::JsonOrMultipartBody => Some("application/json"),
            PlaceOf::FormBody => Some("application/x-www-form-urlencoded"),
            PlaceOf::MultipartBody => Some("multipart/form-data"),
            PlaceOf::Path | PlaceOf::Query => None,
        }
    }
}

/// A request whose address matched and whose body has arrived or, for an upload, is arriving.
#[derive(Default)]
pub struct Source {
    pub path: Vec<(String, String)>,
    pub query: Vec<(String, String)>,
    pub content_type: String,
    pub body: Bytes,
    /// Why the body must not be parsed as JSON.
    pub objection: Option<Objection>,
    pub stream: Mutex<Option<Body>>,
    /// Maximum size of an upload in total, in bytes.
    pub upload_limit: u64,
    pub trail: Option<Arc<Trail>>,
    /// When the request came. Without it, rules that depend on the time are not checked.
    pub now: Option<domain::Timestamp>,
    /// The faults of the headers.
    pub faults: Vec<domain::Fault>,
    /// The request's share of the memory for all requests.
    pub share: Arc<Share>,
}

impl Source {
    pub fn note_body(&self, body: &Value, shape: &Shape) {
        if let Some(trail) = &self.trail {
            trail.body(body, |room| shape.summary(body, room));
        }
    }
}

pub trait Part: Sized + Send + 'static {
    const PLACE: PlaceOf;
    /// The type with the schema.
    type Fields: JsonSchema;

    fn shape() -> Shape {
        Shape::of::<Self::Fields>()
    }

    /// For the document: a body is a named schema, everything else becomes single parameters.
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        match Self::PLACE.media_type() {
            Some(_) => generator.subschema_for::<Self::Fields>(),
            None => Self::Fields::json_schema(generator),
        }
    }

    /// Where it is documented: in one place, unless a body may come in two media types.
    fn places(generator: &mut SchemaGenerator) -> Vec<(PlaceOf, Schema)> {
        vec![(Self::PLACE, Self::schema(generator))]
    }

    /// Adds every fault it finds; returns a value only if there is none.
    fn read(source: &Source, shape: &Shape, faults: &mut Vec<domain::Fault>) -> Option<Self>;
}

/// The parameters in the path.
pub struct Path<T>(pub T);
/// The query parameters. Unknown ones are ignored.
pub struct Query<T>(pub T);
/// A JSON body.
pub struct Json<T>(pub T);
/// A JSON body with the record that the address names: its `_key`, if sent, must be the same.
pub struct KeyedJson<T>(pub T);
/// A form-urlencoded body.
pub struct Form<T>(pub T);

pub trait Input: JsonSchema + DeserializeOwned + Send + 'static {}
impl<T: JsonSchema + DeserializeOwned + Send + 'static> Input for T {}

/// Checks a value against its shape, then has serde read it.
pub fn read_value<T: DeserializeOwned>(
    mut value: Value,
    root: &'static str,
    shape: &Shape,
    all: &mut Vec<domain::Fault>,
) -> Option<T> {
    let mut faults = if shape.has_secrets() { Faults::at(root).silent() } else { Faults::at(root) };
    // Before normalising, since faults show what was sent.
    shape.check(&value, &mut faults);
    shape.tidy(&mut value);
    refuse_nul(&value, &mut faults);
    if faults.is_empty() {
        match serde_json::from_value(value) {
            Ok(read) => return Some(read),
            Err(error) => faults.add("value_error", error.to_string(), &Value::Null),
        }
    }
    all.extend(faults.into_vec());
    None
}

fn refuse_nul(value: &Value, faults: &mut Faults) {
    match value {
        Value::String(text) if text.contains('\0') => {
            // Not repeated: it may be a password.
            faults.add("string_nul", "Text can't contain the NUL character.", &Value::Null);
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                faults.within(index, |faults| refuse_nul(value, faults));
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                faults.within(name.as_str(), |faults| {
                    if name.contains('\0') {
                        faults.add("string_nul", "Names can't contain the NUL character.", &Value::from(name.as_str()));
                    }
                    refuse_nul(value, faults);
                });
            }
        }
        _ => {}
    }
}

/// The parameters of the query that a shape knows. One that has a single value can't be sent twice: nobody could tell which one counts.
fn known_fields(fields: &[(String, String)], shape: &Shape, faults: &mut Vec<domain::Fault>) -> Vec<(String, String)> {
    let mut repeated = domain::fault::Faults::at("query");
    let mut known: Vec<(String, String)> = Vec::new();
    for (name, value) in fields.iter().filter(|(name, _)| shape.knows(name)) {
        if !shape.takes_many(name) && known.iter().any(|(other, _)| other == name) {
            repeated.within(name.as_str(), |faults| {
                faults.add("value_error", "Can be sent only once.", &Value::String(value.clone()));
            });
        }
        known.push((name.clone(), value.clone()));
    }
    faults.extend(repeated.into_vec());
    known
}

impl<T: Input> Part for Path<T> {
    const PLACE: PlaceOf = PlaceOf::Path;
    type Fields = T;

    fn read(source: &Source, shape: &Shape, faults: &mut Vec<domain::Fault>) -> Option<Self> {
        let fields = shape.read_fields(&source.path);
        read_value(Value::Object(fields), "path", shape, faults).map(Path)
    }
}

impl<T: Input> Part for Query<T> {
    const PLACE: PlaceOf = PlaceOf::Query;
    type Fields = T;

    fn read(source: &Source, shape: &Shape, faults: &mut Vec<domain::Fault>) -> Option<Self> {
        let fields = shape.read_fields(&known_fields(&source.query, shape, faults));
        read_value(Value::Object(fields), "query", shape, faults).map(Query)
    }
}

impl<T: Input> Part for Json<T> {
    const PLACE: PlaceOf = PlaceOf::JsonBody;
    type Fields = T;

    fn read(source: &Source, shape: &Shape, faults: &mut Vec<domain::Fault>) -> Option<Self> {
        let value = json_body(source, faults)?;
        source.note_body(&value, shape);
        read_value(value, "body", shape, faults).map(Json)
    }
}

impl<T: Input> Part for KeyedJson<T> {
    const PLACE: PlaceOf = PlaceOf::JsonBody;
    type Fields = T;

    fn read(source: &Source, shape: &Shape, faults: &mut Vec<domain::Fault>) -> Option<Self> {
        let value: Value = json_body(source, faults)?;
        source.note_body(&value, shape);
        let named = |sent: &&Value| source.path.iter().any(|(_, key)| sent.as_str() == Some(key));
        let other = value.get(KEY).filter(|sent| sent.is_string() && !named(sent)).cloned();
        let read = read_value(value, "body", shape, faults);
        let loc = ["body".into(), KEY.into()];
        if let Some(sent) = other.filter(|_| faults.iter().all(|fault| fault.loc != loc)) {
            let shown = if shape.has_secrets() { &Value::Null } else { &sent };
            faults.push(domain::Fault::new("value_error", &loc, "Must be the key in the address.", shown));
            return None;
        }
        read.map(Self)
    }
}

const KEY: &str = "_key";

/// The body parsed as JSON.
pub fn json_body<'a, T: Deserialize<'a>>(source: &'a Source, all: &mut Vec<domain::Fault>) -> Option<T> {
    let mut faults = Faults::at("body");
    if source.body.is_empty() {
        faults.add("missing", "A JSON body is required.", &Value::Null);
    } else if let Some(objection) = source.objection {
        faults.add(objection.kind(), format!("{objection}."), &Value::Null);
    } else {
        match serde_json::from_slice(&source.body) {
            Ok(value) => return Some(value),
            Err(error) => faults.within(error.column(), |faults| {
                faults.add("json_invalid", format!("The body is not valid JSON: {error}."), &Value::Null);
            }),
        }
    }
    all.extend(faults.into_vec());
    None
}

/// Whether this is the name of a field. Without an equals sign, or in a JSON body, a password would end up as the name.
fn is_name(name: &str, fields: &[(String, String)]) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    plain && fields.iter().any(|(known, value)| known == name && !value.is_empty())
}

impl<T: Input> Part for Form<T> {
    const PLACE: PlaceOf = PlaceOf::FormBody;
    type Fields = T;

    fn read(source: &Source, shape: &Shape, faults: &mut Vec<domain::Fault>) -> Option<Self> {
        let fields: Vec<(String, String)> = form_urlencoded::parse(&source.body).into_owned().collect();
        let value = Value::Object(shape.read_fields(&fields));
        source.note_body(&value, shape);
        let before = faults.len();
        let read = read_value(value, "body", shape, faults);
        if shape.has_secrets() {
            for unknown in faults[before..].iter_mut().filter(|fault| fault.kind == "extra_forbidden") {
                if !matches!(unknown.loc.get(1), Some(Loc::Name(name)) if is_name(name, &fields)) {
                    unknown.loc.truncate(1);
                    unknown.msg = "A field that was sent is not known.".to_owned();
                }
            }
        }
        read.map(Form)
    }
}

/// The default page of a list that has all rows unless a limit is sent.
pub const ALL: i64 = i64::MAX;

/// `limit`, `offset` and `count` of a list whose default page has `DEFAULT` rows.
pub struct Paging<const DEFAULT: i64>(pub Page);

#[derive(Deserialize, JsonSchema)]
pub struct PagingFields {
    /// Maximum number of rows.
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<i64>,
    /// Number of rows to skip.
    #[schemars(range(min = 0))]
    offset: Option<i64>,
    /// Adds the header `X-Total-Count`: the number of rows without paging.
    count: Option<bool>,
}

impl<const DEFAULT: i64> Part for Paging<DEFAULT> {
    const PLACE: PlaceOf = PlaceOf::Query;
    type Fields = PagingFields;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = PagingFields::json_schema(generator);
        let defaults = [("limit", Value::from(DEFAULT)), ("offset", Value::from(0)), ("count", Value::from(false))];
        if let Some(members) = schema.as_object_mut().and_then(|schema| schema.get_mut("properties")) {
            for (name, default) in defaults {
                members[name]["default"] = default;
            }
            if DEFAULT == ALL {
                members["limit"] = json!({
                    "type": ["integer", "null"], "format": "int64", "minimum": 1, "maximum": 10_000,
                    "description": "Maximum number of rows; all of them when left out."
                });
            }
        }
        schema
    }

    fn read(source: &Source, shape: &Shape, faults: &mut Vec<domain::Fault>) -> Option<Self> {
        let fields: Map<String, Value> = shape.read_fields(&known_fields(&source.query, shape, faults));
        let read: PagingFields = read_value(Value::Object(fields), "query", shape, faults)?;
        Some(Paging(Page {
            limit: read.limit.unwrap_or(DEFAULT),
            offset: read.offset.unwrap_or(0),
            count: read.count.unwrap_or(false),
        }))
    }
}
