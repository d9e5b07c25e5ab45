//! Issues as readers see them, and how they are searched.

use std::sync::LazyLock;

use domain::Timestamp;
use domain::collaboration::Issue;
use domain::form::FormField;
use domain::key::{IssueKey, PhaseKey};
use domain::search::Pattern;
use domain::text::fold;

use super::issue_fields::{self, Asking};
use crate::Result;
use crate::columns::Record;
use crate::product::products;
use crate::production::work_orders;
use crate::row::{FromRow, Row};
use crate::search::Searched;
use crate::serial::serials;
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::values::Fields;

/// An issue with what its type says.
#[derive(Debug, Clone)]
pub struct IssueView {
    pub issue: Issue,
    pub issue_type_name: Option<String>,
    pub icon: Option<String>,
    /// The form of its type; none without a type.
    pub form_template: Vec<FormField>,
}

impl FromRow for IssueView {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            issue: Issue::from_row(row)?,
            issue_type_name: row.column()?,
            icon: row.column()?,
            form_template: row.column::<Option<Vec<FormField>>>()?.unwrap_or_default(),
        })
    }
}

/// Which issues are wanted; empty lists and `None` ask for nothing, all else has to fit.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub keys: Vec<i64>,
    pub issue_type_keys: Vec<String>,
    pub product_keys: Vec<String>,
    pub order_keys: Vec<i64>,
    pub job_keys: Vec<i64>,
    pub phase_keys: Vec<i64>,
    pub operation_keys: Vec<String>,
    pub serial_keys: Vec<i64>,
    pub created_by: Vec<String>,
    pub closed_by: Vec<String>,
    /// In the title, the description or the key.
    pub search: Option<Pattern>,
    pub key_search: Option<Pattern>,
    /// Of a record of that kind which the issue is about, as are the others.
    pub product_code: Option<Pattern>,
    pub order_code: Option<Pattern>,
    pub project: Option<Pattern>,
    pub serial_code: Option<Pattern>,
    pub phase_alias: Option<Pattern>,
    /// Inclusive, as are the others.
    pub created_from: Option<Timestamp>,
    pub created_to: Option<Timestamp>,
    pub closed_from: Option<Timestamp>,
    pub closed_to: Option<Timestamp>,
    /// Whether it may be open, and whether it may be closed.
    pub open: Option<Vec<bool>>,
    pub critical: Option<Vec<bool>>,
    pub fields: Option<Fields>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Created,
    Closed,
    Updated,
    IssueTypeName,
    Critical,
    Open,
}

impl Sort {
    /// Empty ones come last in both directions.
    fn order(self, descending: bool) -> String {
        let direction = if descending { " desc" } else { "" };
        let by = match self {
            Sort::Created => format!("issue.created{direction}"),
            Sort::Closed => format!("issue.closed is null, issue.closed{direction}"),
            Sort::Updated => format!("issue.updated is null, issue.updated{direction}"),
            Sort::IssueTypeName => {
                format!("issue_type.name is null, issue_type.name_folded{direction}, issue_type.name{direction}")
            }
            Sort::Critical => format!("issue.critical{direction}"),
            Sort::Open => format!("issue.open{direction}"),
        };
        format!("{by}, issue.key{direction}")
    }
}

/// An outer join, since the engines leave it out where nothing of it is used.
const FROM: &str = "from issue left join issue_type on issue_type.key = issue.issue_type_key";

static KEYS: LazyLock<String> = LazyLock::new(|| format!("select issue.key {FROM}"));
static SELECT: LazyLock<String> = LazyLock::new(|| {
    format!("select {}, issue_type.name, issue_type.icon, issue_type.form_template {FROM}", Issue::list())
});

const SEARCHED: Searched = Searched { table: "issue", id: "key", column: "searched" };
const KEY_FITS: &str = "{part-matches issue searched 1 {}}";

pub async fn find(tx: &mut Tx, key: IssueKey) -> Result<Option<IssueView>> {
    Query::new(&SELECT).filter("issue.key = {}", key).maybe(tx).await
}

/// Those of these that there are, by key.
pub async fn find_all(tx: &mut Tx, keys: &[i64]) -> Result<Vec<IssueView>> {
    Query::new(&SELECT).filter("issue.key {in {}}", keys.to_vec()).all(tx, "issue.key").await
}

/// Finds the keys of a page first: only what is on the page is read as a whole.
pub async fn list(
    tx: &mut Tx,
    wanted: &Wanted,
    (sort, descending): (Sort, bool),
    page: &Page,
) -> Result<Paged<IssueView>> {
    let known = wanted.look_up(tx).await?;
    let order = sort.order(descending);
    let found: Paged<IssueKey> = wanted.select(known).page(tx, &order, page).await?;
    let keys = found.rows.into_iter().map(|key| key.0).collect();
    let rows = Query::new(&SELECT).in_order(tx, "issue.key", keys, |view: &IssueView| view.issue.key.0).await?;
    Ok(Paged { rows, total: found.total })
}

/// The phases that issues are about and that are called like that. There are far fewer of them than issues.
async fn phases_called(tx: &mut Tx, pattern: &Pattern) -> Result<Vec<i64>> {
    let sql = sql!(
        "select phase.key, phase.alias
         from phase
         where exists (
             select 1
             from issue_rel
             where issue_rel.type = 'phase' and issue_rel.record_id = phase.key and issue_rel.record_id is not null
         )"
    );
    let phases: Vec<(PhaseKey, String)> = tx.all(sql, &[]).await?;
    let called = phases.into_iter().filter(|(_, alias)| pattern.matches(&fold(alias)));
    Ok(called.map(|(key, _)| key.0).collect())
}

/// What has to be known before issues are looked for.
#[derive(Default)]
struct Known {
    /// The phases that are called as wanted.
    phases: Option<Vec<i64>>,
    asking: Asking,
}

impl Wanted {
    async fn look_up(&self, tx: &mut Tx) -> Result<Known> {
        let phases = match &self.phase_alias {
            Some(pattern) => Some(phases_called(tx, pattern).await?),
            None => None,
        };
        Ok(Known { phases, asking: issue_fields::asking(tx, self.fields.as_ref()).await? })
    }

    fn select(&self, known: Known) -> Query {
        let query = self.linked(self.own(Query::new(&KEYS)));
        let query = self.called(query, known.phases);
        match self.fields.as_ref().and_then(|fields| issue_fields::condition(fields, &known.asking)) {
            Some((condition, values)) => query.filter_row(&condition, values),
            None => query,
        }
    }

    /// What is known without other records.
    fn own(&self, query: Query) -> Query {
        let mut query = query
            .filter_if("issue.key {in {}}", some(&self.keys))
            .filter_any("issue.issue_type_key {in {}}", &self.issue_type_keys)
            .filter_any("issue.created_by {in {}}", &self.created_by)
            .filter_any("issue.closed_by {in {}} and issue.closed_by is not null", &self.closed_by)
            .filter_if("issue.created >= {}", self.created_from)
            .filter_if("issue.created <= {}", self.created_to)
            .filter_if("issue.closed >= {} and issue.closed is not null", self.closed_from)
            .filter_if("issue.closed <= {} and issue.closed is not null", self.closed_to);
        if let Some(open) = &self.open {
            query = flag(query, "issue.open", open);
        }
        if let Some(critical) = &self.critical {
            query = flag(query, "issue.critical", critical);
        }
        if let Some(pattern) = &self.search {
            query = query.matching(SEARCHED, pattern);
        }
        if let Some(pattern) = &self.key_search {
            // The index has its key together with its texts.
            query = query.matching(SEARCHED, pattern).filter(KEY_FITS, Value::Pattern(pattern.clone()));
        }
        query
    }

    /// What it is about, by key.
    fn linked(&self, query: Query) -> Query {
        query
            .filter_any(&about("product", "record_key {in {}} and record_key is not null"), &self.product_keys)
            .filter_any(&about("operation", "record_key {in {}} and record_key is not null"), &self.operation_keys)
            .filter_if(&about("work_order", OF_IDS), some(&self.order_keys))
            .filter_if(&about("job", OF_IDS), some(&self.job_keys))
            .filter_if(&about("phase", OF_IDS), some(&self.phase_keys))
            .filter_if(&about("serial", OF_IDS), some(&self.serial_keys))
    }

    /// What it is about, by what people call that.
    fn called(&self, mut query: Query, phases: Option<Vec<i64>>) -> Query {
        if let Some(pattern) = &self.product_code {
            let (fits, value) = products::CODE.fits(pattern);
            let product =
                format!("record_key in (select product.key from product where {fits}) and record_key is not null");
            query = query.filter(&about("product", &product), value);
        }
        if let Some(pattern) = &self.order_code {
            let (fits, value) = work_orders::SEARCHED.fits(pattern);
            let code = work_orders::CODE_FITS;
            let order = format!(
                "record_id in (select work_order.key from work_order where {fits} and {code}) and record_id is not null"
            );
            query = query.filter_row(&about("work_order", &order), [value, Value::Pattern(pattern.clone())]);
        }
        if let Some(pattern) = &self.serial_code {
            let (fits, value) = serials::CODE.fits(pattern);
            let serial = format!(
                "record_id in (select serial.key from serial where serial.code is not null and {fits})
                 and record_id is not null"
            );
            query = query.filter(&about("serial", &serial), value);
        }
        let project = self.project.clone().map(Value::Pattern);
        query
            .filter_if(&about("project", "record_key is not null and {matches issue_rel searched {}}"), project)
            .filter_if(&about("phase", OF_IDS), phases)
    }
}

const OF_IDS: &str = "record_id {in {}} and record_id is not null";

/// That an issue is about a record of this kind for which the condition holds.
fn about(kind: &str, condition: &str) -> String {
    format!("issue.key in (select issue_key from issue_rel where type = '{kind}' and {condition})")
}

fn some(keys: &[i64]) -> Option<Vec<i64>> {
    (!keys.is_empty()).then(|| keys.to_vec())
}

/// Only those whose mark has one of these values.
fn flag(query: Query, column: &str, wanted: &[bool]) -> Query {
    match (wanted.contains(&true), wanted.contains(&false)) {
        (true, true) => query,
        (true, false) => query.only(column),
        (false, true) => query.only(&format!("not {column}")),
        (false, false) => query.only("1 = 0"),
    }
}

/// First pages, and the rows of a page, that have to be read in their order: a test looks how the engines do it.
pub fn ordered_statements() -> Vec<(String, Vec<Value>)> {
    let of = [
        Wanted::default(),
        Wanted { open: Some(vec![true]), ..Wanted::default() },
        Wanted { created_from: Some(Timestamp::from_millis(1)), ..Wanted::default() },
    ];
    let text = |wanted: &Wanted| {
        let (sql, params) = wanted.select(Known::default()).ordered(&Sort::Created.order(true));
        (format!("{} limit 200", sql.0), params)
    };
    let (sql, params) = Query::new(&SELECT).of_keys("issue.key", vec![1_i64, 2]);
    of.iter().map(text).chain([(sql.0.into_owned(), params)]).collect()
}
