//! Whether filters leave few tasks: then these are looked at one by one, instead of the list in its order.

use std::collections::BTreeSet;

use domain::Timestamp;
use domain::collaboration::TaskTarget;
use domain::filter::{Condition, Operator};

use super::task_links::names;
use super::task_views::{CODE, SEARCHED, TO_ANY, Wanted};
use super::tasks::VALUES;
use crate::Result;
use crate::sql::{Query, Sql};
use crate::tx::Tx;

/// Up to so many tasks are looked at one by one, and sorted.
const FEW: usize = 2_000;

/// The keys that a statement finds, if they are few. It reads no more than it takes to tell.
async fn few(tx: &mut Tx, query: Query) -> Result<Option<Vec<i64>>> {
    let (sql, params) = query.parts();
    let keys: Vec<i64> = tx.all_once(Sql::raw(format!("{}\nlimit {}", sql.0, FEW + 1)), &params).await?;
    Ok((keys.len() <= FEW).then_some(keys))
}

impl Wanted {
    /// The tasks that are linked to what is wanted, if they are few.
    pub(super) async fn few_linked(&self, tx: &mut Tx) -> Result<Option<Vec<i64>>> {
        for target in &self.links {
            let (condition, value) = names(target);
            let linked = Query::new("select task_rel.task_key from task_rel").filter(condition, value);
            let Some(mut keys) = few(tx, linked).await? else { continue };
            if let TaskTarget::Task(task) = target {
                let to_others = Query::new("select task_rel.record_id from task_rel")
                    .filter("task_rel.task_key = {} and task_rel.type = 'task'", *task);
                let Some(others) = few(tx, to_others).await? else { continue };
                keys.extend(others);
            }
            return Ok(Some(keys));
        }
        Ok(None)
    }

    /// The tasks that one of the filters leaves, if they are few. One user has so few that only texts leave fewer.
    pub(super) async fn few(&self, tx: &mut Tx) -> Result<Option<Vec<i64>>> {
        let of_user = self.user().is_some();
        let dates_and_users = if of_user { Vec::new() } else { self.by_dates_and_users() };
        for query in self.by_patterns().into_iter().chain(dates_and_users) {
            if let Some(keys) = few(tx, query).await? {
                return Ok(Some(keys));
            }
        }
        if of_user { Ok(None) } else { self.few_with_fields(tx).await }
    }

    /// Statements that find the tasks which a single text leaves, one after the other.
    fn by_patterns(&self) -> Vec<Query> {
        let mut queries = Vec::new();
        for (searched, pattern) in [(SEARCHED, &self.search), (CODE, &self.code)] {
            if let Some((found, value)) = pattern.as_ref().and_then(|pattern| searched.found(pattern)) {
                queries.push(Query::new("select found.key from").join(&found, value));
            }
        }
        queries
    }

    /// The same of several users and of each date.
    fn by_dates_and_users(&self) -> Vec<Query> {
        let mut queries = Vec::new();
        if !self.assigned_to.is_empty() {
            let users = Query::new("select task_assignee.task_key from task_assignee");
            queries.push(users.filter(TO_ANY, self.assigned_to.clone()));
        }
        let dates = [
            ("task.created", self.created_min, self.created_max),
            ("task.start_sort", self.start_from_min, self.start_from_max),
            ("task.closed_sort", self.closed_min, self.closed_max),
        ];
        for (column, min, max) in dates.into_iter().filter(|(_, min, max)| min.is_some() || max.is_some()) {
            let live = Query::new("select task.key from task").only("task.deleted is null");
            let from = live.filter_if(&format!("{column} >= {{}}"), min);
            queries.push(from.filter(&format!("{column} <= {{}}"), max.map_or(i64::MAX - 1, Timestamp::millis)));
        }
        queries
    }

    /// The tasks that the values of fields leave, if they are few. A part of a text is in no index.
    async fn few_with_fields(&self, tx: &mut Tx) -> Result<Option<Vec<i64>>> {
        let Some(fields) = &self.fields else { return Ok(None) };
        let mut any: BTreeSet<i64> = BTreeSet::new();
        for field in &fields.conditions {
            let indexed = !matches!(field.condition, Condition::Contains(_));
            let (condition, values) = VALUES.fits(field);
            let rows = Query::new("select task_value.task_key from task_value");
            let found = if indexed { few(tx, rows.filter_row(&condition, values)).await? } else { None };
            match (fields.operator, found) {
                (Operator::And, Some(keys)) => return Ok(Some(keys)),
                (Operator::And, None) => {}
                (Operator::Or, Some(keys)) => any.extend(keys),
                (Operator::Or, None) => return Ok(None),
            }
        }
        let either = fields.operator == Operator::Or && !fields.conditions.is_empty();
        Ok(either.then(|| any.into_iter().collect()))
    }
}
