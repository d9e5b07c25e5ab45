//! What issues are about.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::collaboration::{IssueLinkType, IssueTarget};
use domain::collection::Collection;
use domain::key::{IssueKey, JobKey, OperationKey, PhaseKey, ProductKey, SerialKey, UserKey, WorkOrderKey};
use domain::text::fold;

use crate::columns::{self, Record, record};
use crate::row::{FromRow, Row};
use crate::sql::{Sql, sql};
use crate::tx::Tx;
use crate::{Result, StoreError, params};

record! {
    /// A link as it is stored. The record has a number or a text, as its kind has it.
    pub struct IssueRel in issue_rel keyed by 2 {
        pub issue_key: IssueKey,
        pub place: i64,
        pub kind: IssueLinkType as type,
        pub record_id: Option<i64>,
        pub record_key: Option<String>,
    }
    derived {
        searched: Option<String> = |link| link.record_key.as_deref().filter(|_| link.kind == IssueLinkType::Project).map(fold);
    }
}

/// The record of a stored link.
fn target(kind: IssueLinkType, id: Option<i64>, key: Option<String>) -> Result<IssueTarget> {
    let target = match (kind, id, key) {
        (IssueLinkType::Phase, Some(id), None) => IssueTarget::Phase(PhaseKey(id)),
        (IssueLinkType::WorkOrder, Some(id), None) => IssueTarget::WorkOrder(WorkOrderKey(id)),
        (IssueLinkType::Job, Some(id), None) => IssueTarget::Job(JobKey(id)),
        (IssueLinkType::Serial, Some(id), None) => IssueTarget::Serial(SerialKey(id)),
        (IssueLinkType::Product, None, Some(key)) => IssueTarget::Product(ProductKey::trusted(key)),
        (IssueLinkType::Operation, None, Some(key)) => IssueTarget::Operation(OperationKey::trusted(key)),
        (IssueLinkType::Project, None, Some(code)) => IssueTarget::Project(code),
        (IssueLinkType::User, None, Some(key)) => IssueTarget::User(UserKey::trusted(key)),
        _ => return Err(StoreError::Stored("a link of an issue has no record, or two".to_owned())),
    };
    Ok(target)
}

/// What an issue is about, in the order in which that was sent.
pub async fn of_issue(tx: &mut Tx, key: IssueKey) -> Result<Vec<IssueTarget>> {
    Ok(of_issues(tx, &[key.0]).await?.remove(&key).unwrap_or_default())
}

/// What these issues are about, each one's in the order in which that was sent.
pub async fn of_issues(tx: &mut Tx, keys: &[i64]) -> Result<HashMap<IssueKey, Vec<IssueTarget>>> {
    let query = IssueRel::select().filter("issue_rel.issue_key {in {}}", keys.to_vec());
    let rows: Vec<IssueRel> = query.all(tx, "issue_rel.issue_key, issue_rel.place").await?;
    let mut found: HashMap<IssueKey, Vec<IssueTarget>> = HashMap::new();
    for row in rows {
        let target = target(row.kind, row.record_id, row.record_key)?;
        found.entry(row.issue_key).or_default().push(target);
    }
    Ok(found)
}

/// Has an issue that is locked be about these; one that is named twice counts once.
pub async fn replace(tx: &mut Tx, key: IssueKey, targets: &[IssueTarget]) -> Result<()> {
    clear(tx, key).await?;
    let mut seen = HashSet::new();
    let once = targets.iter().filter(|target| seen.insert(*target)).enumerate();
    let rows = once.map(|(place, target)| IssueRel {
        issue_key: key,
        place: place as i64,
        kind: target.kind(),
        record_id: target.id(),
        record_key: target.id().is_none().then(|| target.key()),
    });
    let rows: Vec<IssueRel> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    columns::insert_all(tx, &rows).await
}

pub(super) async fn clear(tx: &mut Tx, key: IssueKey) -> Result<()> {
    tx.changed(Collection::Issue, key);
    tx.run(sql!("delete from issue_rel where issue_key = $1"), &params![key]).await.map(|_| ())
}

/// A record that an issue is about, with what people know it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub target: IssueTarget,
    /// Of a phase its alias, of a user the username, of a job the code of its order.
    pub code: Option<String>,
}

struct ShownRow {
    issue_key: IssueKey,
    shown: Shown,
}

impl FromRow for ShownRow {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let issue_key = row.column()?;
        let target = target(row.column()?, row.column()?, row.column()?)?;
        Ok(Self { issue_key, shown: Shown { target, code: row.column()? } })
    }
}

/// So many issues are asked for at once.
const AT_ONCE: usize = 5_000;

/// What these issues are about, each one's in the order in which that was sent.
pub async fn shown(tx: &mut Tx, keys: &[i64]) -> Result<HashMap<IssueKey, Vec<Shown>>> {
    let mut found: HashMap<IssueKey, Vec<Shown>> = HashMap::new();
    for some in keys.chunks(AT_ONCE) {
        let sql = sql!(
            "select issue_rel.issue_key, issue_rel.type, issue_rel.record_id, issue_rel.record_key,
                    case issue_rel.type
                        when 'product' then (select product.code from product where product.key = issue_rel.record_key)
                        when 'operation' then (
                            select operation.code from operation where operation.key = issue_rel.record_key
                        )
                        when 'phase' then (select phase.alias from phase where phase.key = issue_rel.record_id)
                        when 'work_order' then (
                            select work_order.wo_code from work_order where work_order.key = issue_rel.record_id
                        )
                        when 'project' then issue_rel.record_key
                        when 'user' then (
                            select user_account.username from user_account where user_account.key = issue_rel.record_key
                        )
                        when 'job' then (
                            select work_order.wo_code
                            from job
                            join work_order on work_order.key = job.work_order_key
                            where job.key = issue_rel.record_id
                        )
                        when 'serial' then (select serial.code from serial where serial.key = issue_rel.record_id)
                    end
             from issue_rel
             where issue_rel.issue_key {in $1}
             order by issue_rel.issue_key, issue_rel.place"
        );
        for row in tx.all::<ShownRow>(sql, &params![some.to_vec()]).await? {
            found.entry(row.issue_key).or_default().push(row.shown);
        }
    }
    Ok(found)
}

/// The kinds of records that have to be there.
const CHECKED: [(IssueLinkType, bool); 7] = [
    (IssueLinkType::Product, false),
    (IssueLinkType::Operation, false),
    (IssueLinkType::User, false),
    (IssueLinkType::Phase, true),
    (IssueLinkType::WorkOrder, true),
    (IssueLinkType::Job, true),
    (IssueLinkType::Serial, true),
];

/// Those of these that there are not, or that were deleted or are in the trash. A phase that a process no longer has is still that of
/// its orders. Projects are only known by name.
pub async fn unknown(tx: &mut Tx, targets: &[IssueTarget]) -> Result<Vec<IssueTarget>> {
    let mut known: HashSet<IssueTarget> = HashSet::new();
    for (kind, numbered) in CHECKED {
        let of_kind: Vec<&IssueTarget> = targets.iter().filter(|target| target.kind() == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        let sql = existing(kind);
        if numbered {
            let ids: BTreeSet<i64> = of_kind.iter().filter_map(|target| target.id()).collect();
            let found: Vec<i64> = tx.all(sql, &params![ids.into_iter().collect::<Vec<i64>>()]).await?;
            known.extend(found.into_iter().filter_map(|id| target(kind, Some(id), None).ok()));
        } else {
            let keys: BTreeSet<String> = of_kind.iter().map(|target| target.key()).collect();
            let found: Vec<String> = tx.all(sql, &params![keys.into_iter().collect::<Vec<String>>()]).await?;
            known.extend(found.into_iter().filter_map(|key| target(kind, None, Some(key)).ok()));
        }
    }
    let is_known = |target: &IssueTarget| target.kind() == IssueLinkType::Project || known.contains(target);
    Ok(targets.iter().filter(|target| !is_known(target)).cloned().collect())
}

fn existing(kind: IssueLinkType) -> Sql {
    match kind {
        IssueLinkType::Product => sql!("select key from product where key {in $1} and not trash"),
        IssueLinkType::Operation => sql!("select key from operation where key {in $1} and not deleted"),
        IssueLinkType::Phase => sql!("select key from phase where key {in $1}"),
        IssueLinkType::WorkOrder => sql!("select key from work_order where key {in $1}"),
        IssueLinkType::Job => sql!("select key from job where key {in $1}"),
        IssueLinkType::Serial => sql!("select key from serial where key {in $1} and deleted is null"),
        IssueLinkType::User | IssueLinkType::Project => {
            sql!("select key from user_account where key {in $1} and not trash")
        }
    }
}
