//! The values of forms, each as one text whose order is that of the values: serials, issues and tasks are found by them.

use std::collections::HashMap;

use domain::filter::{Condition, FieldCondition, Operator, search_texts};
use domain::form::FieldKind;
use domain::key::FieldKey;
use domain::search::Pattern;
use serde_json::Value as Json;

use crate::schema::{Kind, Table};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

/// Conditions on field values.
#[derive(Debug, Clone)]
pub struct Fields {
    pub operator: Operator,
    pub conditions: Vec<FieldCondition>,
}

/// Where the texts of a kind of records are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValueTable {
    pub(crate) table: &'static str,
    /// The column that names the record.
    pub(crate) record: &'static str,
}

/// What the index has of a value: no text that is compared with it is longer.
const INDEXED: &str = "substr(value, 1, 128)";

impl ValueTable {
    pub(crate) fn columns(self) -> Table {
        let columns = [
            (self.record, Kind::Int),
            ("place", Kind::Int),
            ("item", Kind::Int),
            ("field_key", Kind::Text),
            ("value", Kind::Text),
        ];
        Table::with_columns(self.table, &columns)
    }

    /// Whether a row fits: the condition, with `{}` for each of the values.
    pub(crate) fn fits(self, field: &FieldCondition) -> (String, Vec<Value>) {
        let mut values = vec![Value::from(&field.field_key)];
        let condition = match &field.condition {
            Condition::Equals(text) => {
                values.push(Value::from(text.as_str()));
                format!("{INDEXED} = {{}}")
            }
            Condition::Contains(text) => {
                values.push(Value::Pattern(Pattern::substring(text)));
                format!("{{matches {} value {{}}}}", self.table)
            }
            Condition::Between(from, to) => {
                let mut bounds = Vec::new();
                for (bound, sign) in [(from, ">="), (to, "<=")] {
                    if let Some(bound) = bound {
                        values.push(Value::from(bound.as_str()));
                        bounds.push(format!("{INDEXED} {sign} {{}}"));
                    }
                }
                bounds.join(" and ")
            }
        };
        (format!("field_key = {{}} and {condition}"), values)
    }

    /// Stores the texts of one record, of which there are none yet.
    pub(crate) async fn insert(self, tx: &mut Tx, rows: Vec<Result<Vec<Value>>>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        tx.fill(&self.columns(), rows.into_iter()).await.map(|_| ())
    }
}

impl Fields {
    /// The condition on records: `has` says of a condition on a row that a record has such a row. None if there is nothing to fit.
    pub(crate) fn condition(&self, of: ValueTable, has: impl Fn(&str) -> String) -> Option<(String, Vec<Value>)> {
        self.joined(|field| {
            let (row, values) = of.fits(field);
            (has(&row), values)
        })
    }

    /// Likewise, given the condition on records for each field.
    pub(crate) fn joined(
        &self,
        part: impl Fn(&FieldCondition) -> (String, Vec<Value>),
    ) -> Option<(String, Vec<Value>)> {
        let (parts, values): (Vec<String>, Vec<Vec<Value>>) = self.conditions.iter().map(part).unzip();
        if parts.is_empty() {
            return None;
        }
        let joined = match self.operator {
            Operator::And => all_of(&parts),
            Operator::Or => parts.join(" or "),
        };
        Some((format!("({joined})"), values.into_iter().flatten().collect()))
    }
}

/// So many conditions may choose where the engine begins.
const JOINED: usize = 6;

/// That all of these conditions hold. PostgreSQL turns each into a join and plans a hundred of them for seconds; what it finds behind a
/// `not` it checks record by record instead.
fn all_of(parts: &[String]) -> String {
    let (joined, checked) = parts.split_at(parts.len().min(JOINED));
    let joined = joined.join(" and ");
    if checked.is_empty() {
        return joined;
    }
    let broken: Vec<String> = checked.iter().map(|part| format!("not {part}")).collect();
    format!("{joined} and not ({})", broken.join(" or "))
}

/// The rows of one record, for the values of its fields.
pub(crate) fn rows_of<'a>(
    key: i64,
    values: impl Iterator<Item = (&'a FieldKey, &'a Json)>,
    kinds: &HashMap<FieldKey, FieldKind>,
) -> Vec<Result<Vec<Value>>> {
    let mut rows = Vec::new();
    for (place, (field, value)) in values.enumerate() {
        let Some(kind) = kinds.get(field) else { continue };
        for (item, text) in search_texts(*kind, value).into_iter().enumerate() {
            rows.push(Ok(params![key, place as i64, item as i64, field, text].to_vec()));
        }
    }
    rows
}
