//! Issues, what they are about, and messages.

use std::collections::HashMap;

use domain::Timestamp;
use domain::collaboration::{Issue, IssueTarget, IssueType, Message, Recipient};
use domain::collection::Collection;
use domain::filter::{Condition, FieldCondition, Operator};
use domain::form::{FieldValue, FormField};
use domain::key::{
    FieldKey, FormFieldKey, IssueKey, IssueTypeKey, JobKey, MessageKey, OperationKey, PhaseKey, ProductKey, SerialKey,
    UserKey, WorkOrderKey, id_to_text,
};
use domain::production::{Job, Order};
use domain::search::Pattern;
use serde_json::json;
use store::collaboration::counts::IssueCounts;
use store::collaboration::issue_views::{self, Sort, Wanted};
use store::collaboration::{about_units, counts, critical, issue_links, issue_types, issues, messages};
use store::organisation::accounts;
use store::production::{jobs, order_phases, removal, work_orders};
use store::serial::serials;
use store::values::Fields;
use store::{Db, Sql, StoreError, Tx, entities};

use super::run;
use super::samples::{NOW, PAGE, job, order, order_phase, text, user};
use super::serial::{kinds, serial};

const ISSUE: IssueKey = IssueKey(71);
const OTHER: IssueKey = IssueKey(72);
const SERIAL: SerialKey = SerialKey(7_001);
const MESSAGE: MessageKey = MessageKey(75);

fn type_key() -> IssueTypeKey {
    IssueTypeKey::trusted("scratch")
}

pub(crate) fn issue_type() -> IssueType {
    IssueType {
        key: type_key(),
        rev: 1,
        name: "Scratch".to_owned(),
        code: Some("Sc".to_owned()),
        active: true,
        description: None,
        icon: Some("bolt".to_owned()),
        critical: true,
        form_template: Vec::new(),
    }
}

pub(crate) fn issue(key: IssueKey) -> Issue {
    let weight = FieldValue {
        form_field_key: FormFieldKey::trusted("f"),
        custom_field_key: FieldKey::trusted("weight"),
        value: json!(1.5),
    };
    Issue {
        key,
        rev: 1,
        issue_type_key: Some(type_key()),
        title: Some("Scratched cover".to_owned()),
        description: None,
        created: NOW,
        created_by: user(),
        updated: None,
        closed: None,
        closed_by: None,
        critical: true,
        open: true,
        data: vec![weight],
    }
}

/// Something of every kind.
fn targets() -> Vec<IssueTarget> {
    vec![
        IssueTarget::Serial(SERIAL),
        IssueTarget::WorkOrder(WorkOrderKey(1)),
        IssueTarget::Product(ProductKey::trusted("P")),
        IssueTarget::Job(JobKey(1)),
        IssueTarget::Phase(PhaseKey(1)),
        IssueTarget::Operation(OperationKey::trusted("O")),
        IssueTarget::Project("Élan".to_owned()),
        IssueTarget::User(user()),
    ]
}

async fn store(tx: &mut Tx) -> Result<(), StoreError> {
    serials::insert_all(tx, &[serial(SERIAL.0)], &kinds()).await?;
    issue_types::insert(tx, &issue_type()).await?;
    let mut stored = issue(ISSUE);
    issues::insert(tx, &stored, &kinds()).await?;
    issues::insert(tx, &Issue { issue_type_key: None, ..issue(OTHER) }, &kinds()).await?;
    assert_eq!(issues::find(tx, ISSUE).await?.as_ref(), Some(&stored));
    let repeated: Vec<IssueTarget> = targets().into_iter().chain(targets()).collect();
    issue_links::replace(tx, ISSUE, &repeated).await?;
    assert_eq!(issue_links::of_issue(tx, ISSUE).await?, targets());
    issue_links::replace(tx, OTHER, &[IssueTarget::Job(JobKey(1))]).await?;
    issue_links::replace(tx, OTHER, &[]).await?;
    assert!(issue_links::of_issue(tx, OTHER).await?.is_empty());

    assert_eq!(issue_links::unknown(tx, &targets()).await?, []);
    let unknown = [
        IssueTarget::Serial(SerialKey(1)),
        IssueTarget::Product(ProductKey::trusted("none")),
        IssueTarget::Job(JobKey(99)),
    ];
    tx.run(Sql::raw("update serial set deleted = 1, deleted_by = 'mario' where key = 1"), &[]).await?;
    assert_eq!(issue_links::unknown(tx, &unknown).await?, unknown, "deleted ones too");

    let shown = issue_links::shown(tx, &[ISSUE.0]).await?;
    let codes: Vec<Option<&str>> = shown[&ISSUE].iter().map(|shown| shown.code.as_deref()).collect();
    let known = ["S-7001", "WO-1", "P-1", "WO-1", "10"].map(Some).into_iter();
    assert_eq!(codes, known.chain([None, Some("Élan"), Some("mario")]).collect::<Vec<_>>());

    stored.title = Some("Cover".to_owned());
    issues::save(tx, &mut stored, &kinds()).await?;
    issues::lock_keys(tx, &[ISSUE.0, OTHER.0]).await?;
    let found = issues::lock(tx, ISSUE).await?.expect("it is there");
    assert_eq!((&found, found.rev), (&stored, 2));
    Ok(())
}

/// Whether the order and the job that the issue is about are critical, each with its revision.
async fn flags(tx: &mut Tx) -> Result<[(bool, i64); 2], StoreError> {
    let order = work_orders::find(tx, WorkOrderKey(1)).await?.expect("it is there");
    let job = jobs::find(tx, JobKey(1)).await?.expect("it is there");
    Ok([(order.critical, order.rev), (job.critical, job.rev)])
}

/// What is critical follows from open, critical issues.
async fn press(tx: &mut Tx) -> Result<(), StoreError> {
    let settled = |critical: bool| move |(was, rev): (bool, i64)| (critical, rev + i64::from(was != critical));
    let pressed = flags(tx).await?.map(settled(true));
    for _ in 0..2 {
        critical::settle_orders(tx, &[1, 2]).await?;
        critical::settle_jobs(tx, &[1, 2]).await?;
        assert_eq!(flags(tx).await?, pressed);
    }
    assert_eq!(counts::of_orders(tx, &[1, 2]).await?, HashMap::from([(WorkOrderKey(1), 1)]));
    let one = IssueCounts { total: 1, open: 1 };
    assert_eq!(counts::of_jobs(tx, &[1, 2]).await?, HashMap::from([(JobKey(1), one)]));
    let about = about_units::of(tx, &[SERIAL.0], &[1]).await?;
    let of: Vec<_> = about.iter().map(|about| (about.serial_key, about.wo_key)).collect();
    assert_eq!(of, [(Some(SERIAL), None), (None, Some(WorkOrderKey(1)))]);
    assert_eq!(about[0].issue_type_name.as_deref(), Some("Scratch"));
    assert!(about_units::of(tx, &[], &[]).await?.is_empty());
    assert!(serials::has_history(tx, SERIAL).await?);
    assert_eq!(issue_types::issue_count(tx, &type_key()).await?, 1);

    let mut closed = issues::lock(tx, ISSUE).await?.expect("it is there");
    closed.close(NOW, &user());
    issues::save(tx, &mut closed, &kinds()).await?;
    critical::settle_orders(tx, &[1]).await?;
    critical::settle_jobs(tx, &[1]).await?;
    assert_eq!(flags(tx).await?, pressed.map(settled(false)));
    closed.reopen();
    issues::save(tx, &mut closed, &kinds()).await
}

fn wanted() -> Wanted {
    let condition = |condition| FieldCondition { field_key: FieldKey::trusted("weight"), condition };
    let conditions = vec![condition(Condition::Contains("1".to_owned())), condition(Condition::Equals("a".to_owned()))];
    Wanted {
        keys: vec![ISSUE.0],
        issue_type_keys: text("scratch"),
        product_keys: text("P"),
        order_keys: vec![1],
        job_keys: vec![1],
        phase_keys: vec![1],
        operation_keys: text("O"),
        serial_keys: vec![SERIAL.0],
        created_by: text("mario"),
        closed_by: Vec::new(),
        search: Some(Pattern::substring("COVER")),
        key_search: Some(Pattern::substring(&id_to_text(ISSUE.0)[8..])),
        product_code: Some(Pattern::substring("p-1")),
        order_code: Some(Pattern::substring("wo-")),
        project: Some(Pattern::substring("éLA")),
        serial_code: Some(Pattern::substring("s-7001")),
        phase_alias: Some(Pattern::substring("1")),
        created_from: Some(NOW),
        created_to: Some(NOW),
        closed_from: None,
        closed_to: None,
        open: Some(vec![true]),
        critical: Some(vec![true]),
        fields: Some(Fields { operator: Operator::Or, conditions }),
    }
}

async fn keys(tx: &mut Tx, wanted: &Wanted) -> Result<Vec<IssueKey>, StoreError> {
    let found = issue_views::list(tx, wanted, (Sort::Created, true), &PAGE).await?;
    assert_eq!(found.total, Some(found.rows.len() as i64));
    Ok(found.rows.into_iter().map(|view| view.issue.key).collect())
}

fn asked(custom_field: &str) -> FormField {
    FormField {
        key: FormFieldKey::trusted("f"),
        custom_field_key: FieldKey::trusted(custom_field),
        multiple: false,
        label: None,
        hint: None,
        default: None,
        mandatory: false,
        hidden: false,
    }
}

async fn search(tx: &mut Tx) -> Result<(), StoreError> {
    assert_eq!(keys(tx, &Wanted::default()).await?, [OTHER, ISSUE]);
    assert_eq!(keys(tx, &wanted()).await?, [ISSUE]);
    let view = issue_views::find(tx, ISSUE).await?.expect("it is there");
    assert_eq!((view.issue_type_name.as_deref(), view.icon.as_deref()), (Some("Scratch"), Some("bolt")));
    assert_eq!(issue_views::find_all(tx, &[ISSUE.0, 1]).await?.len(), 1);
    assert_eq!(issue_views::find(tx, OTHER).await?.and_then(|view| view.issue_type_name), None);
    let nothing = [
        Wanted { order_code: Some(Pattern::substring("p-1")), ..Wanted::default() },
        Wanted { key_search: Some(Pattern::substring("cover")), ..Wanted::default() },
        Wanted { phase_alias: Some(Pattern::substring("none")), ..Wanted::default() },
        Wanted { project: Some(Pattern::substring("none")), ..Wanted::default() },
        Wanted { open: Some(vec![false]), ..Wanted::default() },
        Wanted { open: Some(Vec::new()), ..Wanted::default() },
        Wanted { closed_by: text("mario"), ..Wanted::default() },
        Wanted { closed_from: Some(NOW), closed_to: Some(NOW), ..Wanted::default() },
    ];
    for wanted in nothing {
        assert_eq!(keys(tx, &wanted).await?, [], "{wanted:?}");
    }
    // The values are of `weight`, of which the form has two fields; `passed` nobody has answered.
    let form_template = ["weight", "weight", "passed"].map(asked).to_vec();
    issue_types::update(tx, &IssueType { form_template, ..issue_type() }).await?;
    for (field, found) in [("weight", vec![ISSUE]), ("passed", vec![ISSUE]), ("other", vec![])] {
        let unanswered =
            FieldCondition { field_key: FieldKey::trusted(field), condition: Condition::Equals("null".to_owned()) };
        let fields = Some(Fields { operator: Operator::And, conditions: vec![unanswered] });
        assert_eq!(keys(tx, &Wanted { fields, ..Wanted::default() }).await?, found, "{field}");
    }
    let by_type = issue_views::list(tx, &Wanted::default(), (Sort::IssueTypeName, true), &PAGE).await?.rows;
    let by_type: Vec<IssueKey> = by_type.into_iter().map(|view| view.issue.key).collect();
    assert_eq!(by_type, [ISSUE, OTHER], "empty ones last");
    Ok(())
}

fn message(key: MessageKey, sender: &str, recipient: Recipient) -> Message {
    Message {
        key,
        rev: 1,
        sender: UserKey::trusted(sender),
        recipient,
        content: "Hi".to_owned(),
        created: NOW,
        updated: None,
        deleted: None,
    }
}

/// Of messages to another user, one sees only one's own.
async fn write_messages(tx: &mut Tx) -> Result<(), StoreError> {
    let to_luigi = Recipient::User(UserKey::trusted("luigi"));
    let sent = [
        message(MESSAGE, "mario", to_luigi.clone()),
        message(MessageKey(76), "peach", to_luigi.clone()),
        message(MessageKey(77), "peach", Recipient::Issue(ISSUE)),
        message(MessageKey(78), "peach", Recipient::WorkOrder(WorkOrderKey(1))),
    ];
    for message in &sent {
        messages::insert(tx, message).await?;
    }
    for (reader, seen) in [("luigi", 2), ("mario", 1), ("peach", 1), ("toad", 0)] {
        let found = messages::list(tx, &to_luigi, &UserKey::trusted(reader), &PAGE).await?;
        assert_eq!((found.rows.len(), found.total), (seen, Some(seen as i64)), "{reader}");
    }
    let of_issue = messages::list(tx, &Recipient::Issue(ISSUE), &user(), &PAGE).await?.rows;
    assert_eq!(of_issue, sent[2..3]);
    let mut gone = messages::lock(tx, MESSAGE).await?.expect("it is there");
    gone.delete(Timestamp::from_millis(5));
    messages::save(tx, &mut gone).await?;
    assert_eq!(messages::find(tx, MESSAGE).await?, Some(gone));
    let counts = messages::counts(tx, &[to_luigi.clone(), Recipient::Issue(ISSUE)]).await?;
    assert_eq!((counts[&to_luigi.to_string()], counts.len()), (1, 2));
    Ok(())
}

/// Whatever hangs on an issue, an order or a job goes with it.
async fn remove(tx: &mut Tx) -> Result<(), StoreError> {
    issues::remove(tx, ISSUE).await?;
    assert!(issues::find(tx, ISSUE).await?.is_none());
    assert!(messages::list(tx, &Recipient::Issue(ISSUE), &user(), &PAGE).await?.rows.is_empty());
    assert!(!entities::exists(tx, Collection::Issue, &ISSUE.to_string()).await?);
    let order_key = WorkOrderKey(98);
    work_orders::insert(tx, &Order { key: order_key, wo_code: "WO-98".to_owned(), ..order() }).await?;
    order_phases::insert_all(tx, &[order_phase(order_key)]).await?;
    for number in [98, 99] {
        jobs::insert(tx, &Job { key: JobKey(number), work_order_key: order_key, ..job() }).await?;
    }
    let about = [
        IssueTarget::Serial(SERIAL),
        IssueTarget::WorkOrder(order_key),
        IssueTarget::Job(JobKey(98)),
        IssueTarget::Job(JobKey(99)),
    ];
    issue_links::replace(tx, OTHER, &about).await?;
    jobs::delete(tx, JobKey(99)).await?;
    assert_eq!(issue_links::of_issue(tx, OTHER).await?, about[..3]);
    messages::insert(tx, &message(MessageKey(79), "peach", Recipient::WorkOrder(order_key))).await?;
    let removed = removal::remove(tx, order_key).await?;
    assert_eq!((removed["issue_rel"], removed["task_rel"], removed["message"]), (2, 0, 1));
    assert_eq!(issue_links::of_issue(tx, OTHER).await?, about[..1]);
    issue_types::remove(tx, &type_key()).await
}

pub(super) async fn run(db: &Db) {
    db.write("store issues", store).await.unwrap();
    db.write("press", press).await.unwrap();
    db.write("search issues", search).await.unwrap();
    db.write("messages", write_messages).await.unwrap();
    // Taken back: others read what was there before.
    let done = db.write("remove", async |tx: &mut Tx| remove(tx).await.and(Err::<(), _>(StoreError::Outdated)));
    let done = done.await;
    assert!(matches!(done, Err(StoreError::Outdated)), "{done:?}");
    assert!(!issue_views::ordered_statements().is_empty());
    let types = || issue_types::Wanted {
        key: Some(type_key()),
        code: Some("sC".to_owned()),
        critical: Some(true),
        active_only: true,
    };
    run!(db, tx:
        issue_types::list(tx, &types(), &PAGE),
        issue_types::find(tx, &type_key()),
        issue_types::find_all(tx, &text("scratch")),
        issue_types::lock(tx, &type_key()),
        issue_types::update(tx, &IssueType { rev: 2, ..issue_type() }),
        issue_links::of_issues(tx, &[ISSUE.0, OTHER.0]),
        accounts::live(tx, &text("mario")),
        entities::hold(tx, Collection::Issue, &ISSUE.to_string()),
        entities::hold(tx, Collection::Task, "0000000000001"),
    );
    for sort in [Sort::Created, Sort::Closed, Sort::Updated, Sort::IssueTypeName, Sort::Critical, Sort::Open] {
        run!(db, tx: issue_views::list(tx, &wanted(), (sort, true), &PAGE), issue_views::list(tx, &Wanted::default(), (sort, false), &PAGE));
    }
}
