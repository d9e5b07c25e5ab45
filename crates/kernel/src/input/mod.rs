//! The input of a request: path, query, page and body. Each is read into a type and checked against that type's schema, so
//! the document and the check can't differ, and all faults are found at once.

mod as_sent;
mod body;
mod either;
mod fields;
mod parts;
mod shape;
mod upload;

pub(crate) use as_sent::show_as_sent;
pub(crate) use body::{Bounds, Received, receive, within};
pub use domain::{Change, Given, Until};
pub(crate) use either::{FILE, form_fields, read_form};
pub use either::{JsonOrUpload, Sent};
pub use fields::{Name, Search, read_only, record_members};
pub use parts::{ALL, Form, Input, Json, KeyedJson, Paging, Part, Path, PlaceOf, Query, Source};
pub use parts::{json_body, read_value};
pub use shape::Shape;
pub(crate) use upload::broken;
pub use upload::{FilePart, Upload, file_name};

pub use crate::redaction::Clipped;
