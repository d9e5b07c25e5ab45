//! Records that many rows of an answer show.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

/// In memory once, written in each row.
pub(super) struct Shared<T> {
    record: Arc<T>,
    bytes: usize,
}

impl<T: Serialize> Shared<T> {
    pub(super) fn new(record: T) -> Self {
        Self { bytes: written_bytes(&record), record: Arc::new(record) }
    }

    /// What it takes in each row's text.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// How long something is as JSON.
pub(super) fn written_bytes(value: &impl Serialize) -> usize {
    let mut counter = Counter(0);
    let written = serde_json::to_writer(&mut counter, value);
    debug_assert!(written.is_ok(), "what answers show can be written");
    counter.0
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0 += text.len();
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self { record: self.record.clone(), bytes: self.bytes }
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.record.serialize(to)
    }
}

/// As the record itself.
impl<T: JsonSchema> JsonSchema for Shared<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
