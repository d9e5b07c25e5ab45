//! Which issues have the values that are wanted. An issue has no value of a field that nobody has answered; it counts as null.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::filter::FieldCondition;
use domain::key::FieldKey;

use super::issue_types;
use super::issues::VALUES;
use crate::Result;
use crate::tx::Tx;
use crate::value::Value;
use crate::values::Fields;

/// The types that ask for fields which are wanted unanswered, by how many of their fields are of that custom field.
pub(super) type Asking = HashMap<FieldKey, BTreeMap<usize, Vec<String>>>;

/// Looks at the forms of types, if a field is wanted unanswered.
pub(super) async fn asking(tx: &mut Tx, fields: Option<&Fields>) -> Result<Asking> {
    let conditions = fields.into_iter().flat_map(|fields| &fields.conditions);
    let unanswered = conditions.filter(|field| field.condition.is_unanswered());
    let wanted: HashSet<&FieldKey> = unanswered.map(|field| &field.field_key).collect();
    let mut asking = Asking::new();
    if wanted.is_empty() {
        return Ok(asking);
    }
    for (issue_type, form) in issue_types::forms(tx).await? {
        for field in &wanted {
            let times = form.iter().filter(|asked| asked.custom_field_key == **field).count();
            if times > 0 {
                let types = asking.entry((*field).clone()).or_default().entry(times).or_default();
                types.push(issue_type.to_string());
            }
        }
    }
    Ok(asking)
}

/// The condition on issues; none if there is nothing to fit.
pub(super) fn condition(fields: &Fields, asking: &Asking) -> Option<(String, Vec<Value>)> {
    fields.joined(|field| part(field, asking))
}

fn part(field: &FieldCondition, asking: &Asking) -> (String, Vec<Value>) {
    let (row, mut values) = VALUES.fits(field);
    let mut ways = vec![format!("issue.key in (select issue_key from issue_value where {row})")];
    let types = asking.get(&field.field_key).filter(|_| field.condition.is_unanswered());
    for (times, types) in types.into_iter().flatten() {
        ways.push(format!(
            "issue.issue_type_key {{in {{}}}} and issue.issue_type_key is not null and (
                 select count(*)
                 from issue_value
                 where issue_value.issue_key = issue.key and issue_value.field_key = {{}}
             ) < {times}"
        ));
        values.extend([Value::from(types.clone()), Value::from(&field.field_key)]);
    }
    (format!("({})", ways.join(" or ")), values)
}
