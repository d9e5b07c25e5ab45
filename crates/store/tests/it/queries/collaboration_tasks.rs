//! Tasks, what they are linked to, and the time spent on them.

use std::collections::{HashMap, HashSet};

use domain::collaboration::{
    Assignee, LinkSetting, Task, TaskField, TaskLink, TaskLinkType, TaskRole, TaskStatus, TaskTarget, TaskType,
    every_setting,
};
use domain::filter::{Condition, FieldCondition, Operator};
use domain::key::{
    FieldKey, FormFieldKey, IssueKey, ProductKey, SerialKey, TaskKey, TaskLinkKey, TaskTypeKey, UserKey, WorkOrderKey,
    WorkSessionKey,
};
use domain::search::Pattern;
use domain::{Quantity, Timestamp};
use serde_json::{Map, json};
use store::collaboration::task_views::{self, Wanted};
use store::collaboration::{task_links, task_time, task_types, tasks};
use store::production::sessions::{self, WorkSession};
use store::values::Fields;
use store::{Constraint, Db, Page, Sql, StoreError, Tx};

use super::run;
use super::samples::{NOW, PAGE, text, user};
use super::serial::kinds;

const TASK: TaskKey = TaskKey(81);
const OTHER: TaskKey = TaskKey(82);
const LATE: TaskKey = TaskKey(83);

fn type_key() -> TaskTypeKey {
    TaskTypeKey::trusted("check")
}

pub(crate) fn task_type() -> TaskType {
    let enabled = LinkSetting { enabled: true, ..LinkSetting::off(TaskLinkType::Task) };
    TaskType {
        key: type_key(),
        rev: 1,
        name: "Check".to_owned(),
        description: None,
        icon: Some("eye".to_owned()),
        active: true,
        created: NOW,
        form_fields: Vec::new(),
        require_time_entry: true,
        link_settings: every_setting(&[enabled]),
    }
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub(crate) fn task(key: TaskKey) -> Task {
    let weight = TaskField {
        form_field_key: FormFieldKey::trusted("f"),
        custom_field_key: FieldKey::trusted("weight"),
        label: None,
        hint: None,
        mandatory: false,
        multiple: false,
        hidden: false,
        value: json!(1.5),
        last_updated: None,
    };
    Task {
        key,
        rev: 1,
        task_type_key: type_key(),
        code: format!("T-{}", key.0),
        status: TaskStatus::Open,
        assigned_to: vec![
            Assignee { user_key: user(), role: TaskRole::Owner },
            Assignee { user_key: UserKey::trusted("luigi"), role: TaskRole::Participant },
        ],
        start_from: Some(at(5)),
        due_by: Some(at(10)),
        created: NOW,
        created_by: user(),
        closed: None,
        closed_by: None,
        deleted: None,
        deleted_by: None,
        title: Some("Check the valve".to_owned()),
        description: Some("Twice".to_owned()),
        form_fields: vec![weight],
        extra: Map::new(),
    }
}

fn link(key: i64, task_key: TaskKey, target: TaskTarget) -> TaskLink {
    TaskLink { key: TaskLinkKey(key), rev: 1, task_key, target, created: at(key), created_by: user() }
}

/// A record of every kind.
fn targets() -> [TaskTarget; 5] {
    [
        TaskTarget::Issue(IssueKey(71)),
        TaskTarget::WorkOrder(WorkOrderKey(1)),
        TaskTarget::Product(ProductKey::trusted("P")),
        TaskTarget::Serial(SerialKey(7_001)),
        TaskTarget::Task(OTHER),
    ]
}

async fn store(tx: &mut Tx) -> Result<(), StoreError> {
    task_types::insert(tx, &task_type()).await?;
    let mut stored = task(TASK);
    tasks::insert(tx, &stored, &kinds()).await?;
    tasks::insert(tx, &Task { due_by: None, ..task(OTHER) }, &kinds()).await?;
    let alone = Task { assigned_to: Vec::new(), due_by: Some(at(20)), form_fields: Vec::new(), ..task(LATE) };
    tasks::insert(tx, &alone, &kinds()).await?;
    assert_eq!(tasks::find(tx, TASK).await?.as_ref(), Some(&stored));
    stored.title = Some("Check a valve".to_owned());
    tasks::save(tx, &mut stored, &kinds()).await?;
    assert_eq!(tasks::lock(tx, TASK).await?, Some(stored));
    tasks::lock_keys(tx, &[OTHER.0, TASK.0]).await?;
    assert_eq!(tasks::lock_all(tx, &[OTHER.0, TASK.0]).await?.len(), 2);
    assert_eq!(
        tasks::taken_codes(tx, &["T-81".to_owned(), "T-1".to_owned()]).await?,
        HashSet::from(["T-81".to_owned()])
    );
    assert_eq!(task_types::task_count(tx, &type_key()).await?, 3);
    Ok(())
}

async fn links(tx: &mut Tx) -> Result<(), StoreError> {
    for (number, target) in (90..).zip(targets()) {
        assert!(task_links::exists(tx, &target).await?, "{target:?}");
        assert_eq!(task_links::find(tx, TASK, &target).await?, None);
        let link = link(number, TASK, target.clone());
        task_links::insert(tx, &link).await?;
        assert_eq!(task_links::find(tx, TASK, &target).await?, Some(link));
    }
    let from_both = task_links::find(tx, OTHER, &TaskTarget::Task(TASK)).await?;
    assert_eq!(from_both.map(|link| link.key), Some(TaskLinkKey(94)));
    assert_eq!((task_links::of_task(tx, TASK).await?.len(), task_links::of_task(tx, OTHER).await?.len()), (5, 1));
    let one_of_each: HashMap<TaskLinkType, i64> = TaskLinkType::ALL.iter().map(|kind| (*kind, 1)).collect();
    assert_eq!(task_links::counts(tx, TASK).await?, one_of_each);
    assert_eq!(task_links::counts(tx, OTHER).await?, HashMap::from([(TaskLinkType::Task, 1)]));
    let shown = task_links::shown(tx, TASK).await?;
    let codes: Vec<Option<&str>> = shown.iter().map(|shown| shown.code.as_deref()).collect();
    assert_eq!(codes, [Some("Cover"), Some("WO-1"), Some("P-1"), Some("S-7001"), Some("T-82")]);
    let seen = task_links::shown(tx, OTHER).await?;
    assert_eq!((&seen[0].target, seen[0].code.as_deref()), (&TaskTarget::Task(TASK), Some("T-81")));
    Ok(())
}

/// Time is recorded by sessions.
async fn spend(tx: &mut Tx) -> Result<(), StoreError> {
    assert!(!task_time::is_recorded(tx, TASK).await?);
    let session = WorkSession {
        key: WorkSessionKey(95),
        rev: 1,
        user_session_key: None,
        batch_key: None,
        job_key: None,
        phase_key: None,
        work_order_key: None,
        task_key: Some(TASK),
        user_key: user(),
        started: at(100),
        ended: Some(at(400)),
        duration: Some(300),
        active: false,
        hourly_cost: Quantity::ZERO,
        canceled: None,
        forced: None,
    };
    sessions::insert(tx, &session).await?;
    for key in [97, 98] {
        let key = WorkSessionKey(key);
        let endless = WorkSession { key, task_key: Some(LATE), duration: Some(i64::MAX), ..session.clone() };
        sessions::insert(tx, &endless).await?;
    }
    let running = WorkSession { key: WorkSessionKey(96), ended: None, duration: None, active: true, ..session };
    sessions::insert(tx, &running).await?;
    tx.flush().await?;
    assert!(task_time::is_recorded(tx, TASK).await?);
    let spent = task_time::spent(tx, TASK, at(150)).await?;
    assert_eq!((spent.len(), &spent[0].user_key, spent[0].millis), (1, &user(), 350));
    let endless = task_time::spent(tx, LATE, at(150)).await?;
    assert_eq!(endless[0].millis, 2 * i128::from(i64::MAX));
    Ok(())
}

fn condition(condition: Condition) -> FieldCondition {
    FieldCondition { field_key: FieldKey::trusted("weight"), condition }
}

fn fields(operator: Operator) -> Option<Fields> {
    let between = Condition::Between(Some("0".to_owned()), Some("z".to_owned()));
    Some(Fields { operator, conditions: vec![condition(between)] })
}

/// Everything that there is to ask for.
fn wanted() -> Wanted {
    Wanted {
        search: Some(Pattern::substring("VALVE")),
        code: Some(Pattern::wildcard("t-81*")),
        task_type_key: Some(type_key()),
        statuses: Some(vec![TaskStatus::Open]),
        owner_key: Some(user()),
        assigned_to: text("luigi"),
        start_from_min: Some(at(5)),
        start_from_max: Some(at(5)),
        due_by_min: Some(at(10)),
        due_by_max: Some(at(10)),
        created_min: Some(NOW),
        created_max: Some(NOW),
        closed_min: None,
        closed_max: None,
        fields: fields(Operator::And),
        links: targets().to_vec(),
    }
}

async fn keys(tx: &mut Tx, wanted: &Wanted) -> Result<Vec<TaskKey>, StoreError> {
    let found = task_views::list(tx, wanted, &PAGE).await?;
    assert_eq!(found.total, Some(found.rows.len() as i64), "{wanted:?}");
    Ok(found.rows.into_iter().map(|view| view.key).collect())
}

async fn search(tx: &mut Tx) -> Result<(), StoreError> {
    assert_eq!(keys(tx, &Wanted::default()).await?, [TASK, LATE, OTHER], "without a date last");
    assert_eq!(keys(tx, &wanted()).await?, [TASK]);
    let nobody = || Wanted { owner_key: None, assigned_to: Vec::new(), links: Vec::new(), ..wanted() };
    let either = |conditions| Some(Fields { operator: Operator::Or, conditions });
    let contains = condition(Condition::Contains("1".to_owned()));
    let and_contains = Some(Fields { operator: Operator::And, conditions: vec![contains.clone()] });
    let one = [
        Wanted { owner_key: None, ..wanted() },
        Wanted { links: Vec::new(), ..wanted() },
        Wanted { links: Vec::new(), search: None, code: None, ..wanted() },
        Wanted { links: Vec::new(), search: None, code: None, owner_key: None, ..wanted() },
        Wanted { assigned_to: Vec::new(), links: Vec::new(), ..wanted() },
        Wanted { owner_key: None, links: Vec::new(), ..wanted() },
        Wanted { owner_key: None, assigned_to: vec!["luigi".to_owned(), "peach".to_owned()], ..nobody() },
        nobody(),
        Wanted { search: None, code: None, ..nobody() },
        Wanted { due_by_max: Some(at(15)), ..Wanted::default() },
    ];
    for wanted in one {
        assert_eq!(keys(tx, &wanted).await?, [TASK], "{wanted:?}");
    }
    let two = [
        Wanted { fields: fields(Operator::And), ..Wanted::default() },
        Wanted { fields: fields(Operator::Or), ..Wanted::default() },
        Wanted { fields: either(vec![contains]), ..Wanted::default() },
        Wanted { fields: and_contains, ..Wanted::default() },
        Wanted { owner_key: Some(user()), ..Wanted::default() },
    ];
    for wanted in two {
        assert_eq!(keys(tx, &wanted).await?, [TASK, OTHER], "{wanted:?}");
    }
    let linked = Wanted { links: vec![TaskTarget::Task(TASK)], ..Wanted::default() };
    assert_eq!(keys(tx, &linked).await?, [OTHER], "in either direction");
    let open = Wanted { statuses: Some(vec![TaskStatus::Open, TaskStatus::Pending]), ..Wanted::default() };
    assert_eq!(keys(tx, &open).await?.len(), 3);
    for nothing in [
        Wanted { statuses: Some(Vec::new()), ..Wanted::default() },
        Wanted { statuses: Some(vec![TaskStatus::Canceled]), ..Wanted::default() },
        Wanted { closed_min: Some(at(0)), ..Wanted::default() },
        Wanted { closed_max: Some(at(0)), ..Wanted::default() },
        Wanted { search: Some(Pattern::substring("valvetwice")), ..Wanted::default() },
        Wanted { search: Some(Pattern::substring("t-81")), ..Wanted::default() },
        Wanted { code: Some(Pattern::wildcard("8")), search: Some(Pattern::substring("x")), ..Wanted::default() },
    ] {
        assert_eq!(keys(tx, &nothing).await?, [], "{nothing:?}");
    }
    assert_eq!(task_views::find_all(tx, &[OTHER.0, TASK.0, 1]).await?.len(), 2);
    let view = task_views::find(tx, TASK).await?.expect("it is there");
    assert_eq!((view.task_type_name.as_deref(), view.icon.as_deref()), (Some("Check"), Some("eye")));
    assert!(task_views::extra(tx, TASK).await?.is_empty());
    Ok(())
}

/// More than are looked at one by one: they are found all the same, in the order of the list.
async fn search_among_many(tx: &mut Tx) -> Result<(), StoreError> {
    let many = "insert into task (
                    key, task_type_key, live_type_key, code, code_folded, status, created, created_by, searched, due_sort, start_sort,
                    closed_sort, title
                )
                with recursive number (value) as (
                    select cast(1001 as {int}) union all select value + 1 from number where value < 3501
                )
                select value, 'check', 'check', 'M-' || value, 'm-' || value, 'open', 1000, 'mario', 'valve number' || value,
                       9223372036854775807, 9223372036854775807, 9223372036854775807, 'valve'
                from number";
    tx.run(Sql::raw(many), &[]).await?;
    for statement in [
        "insert into task_assignee (
             user_key, due_sort, created, start_sort, closed_sort, task_key, owner, status, live_type_key
         )
         select 'toad', due_sort, created, start_sort, closed_sort, key, true, status, 'check' from task where key > 1000",
        "insert into task_value (task_key, place, item, field_key, value)
         select key, 0, 0, 'weight', 'a' from task where key > 1000",
        "insert into task_rel (key, task_key, type, record_key, created, created_by)
         select key, key, 'product', 'P', 1, 'mario' from task where key > 1000",
        "insert into task_rel (key, task_key, type, record_id, created, created_by)
         select key + 10000, key, 'task', 82, 1, 'mario' from task where key > 1000",
        "insert into task_rel (key, task_key, type, record_id, created, created_by)
         select key + 20000, 83, 'task', key, 1, 'mario' from task where key > 1000",
    ] {
        tx.run(Sql::raw(statement), &[]).await?;
    }
    let equals = condition(Condition::Equals("a".to_owned()));
    let first = [
        Wanted { search: Some(Pattern::substring("number")), ..Wanted::default() },
        Wanted { code: Some(Pattern::wildcard("m-*")), ..Wanted::default() },
        Wanted { assigned_to: vec!["toad".to_owned(), "peach".to_owned()], ..Wanted::default() },
        Wanted { owner_key: Some(UserKey::trusted("toad")), ..Wanted::default() },
        Wanted {
            links: vec![TaskTarget::Product(ProductKey::trusted("P"))],
            code: Some(Pattern::wildcard("m-*")),
            ..Wanted::default()
        },
        Wanted { links: vec![TaskTarget::Task(OTHER)], code: Some(Pattern::wildcard("m-*")), ..Wanted::default() },
        Wanted { links: vec![TaskTarget::Task(LATE)], ..Wanted::default() },
        Wanted {
            fields: Some(Fields { operator: Operator::And, conditions: vec![equals.clone()] }),
            ..Wanted::default()
        },
        Wanted { fields: Some(Fields { operator: Operator::Or, conditions: vec![equals] }), ..Wanted::default() },
        Wanted { created_max: Some(NOW), code: Some(Pattern::wildcard("m-*")), ..Wanted::default() },
    ];
    for wanted in first {
        let found = task_views::list(tx, &wanted, &PAGE).await?;
        let keys: Vec<i64> = found.rows.iter().map(|view| view.key.0).collect();
        assert_eq!((keys, found.total), ((1001..1011).collect(), Some(2_501)), "{wanted:?}");
    }
    pages_near_and_far(tx).await
}

/// Whether the first tasks of a list fill a page or not, it is the same as with a count of all.
async fn pages_near_and_far(tx: &mut Tx) -> Result<(), StoreError> {
    // Some of them stand at the same place.
    for statement in [
        "update task set created = 1000 + key / 3 where key > 1000",
        "update task_assignee set created = 1000 + task_key / 3 where task_key > 1000",
    ] {
        tx.run(Sql::raw(statement), &[]).await?;
    }
    let (common, every_tenth) = (Pattern::substring("valve"), Pattern::wildcard("*7"));
    for search in [common, every_tenth, Pattern::substring("number3499")] {
        let search = Some(search);
        for wanted in [
            Wanted { search: search.clone(), ..Wanted::default() },
            Wanted { search: search.clone(), task_type_key: Some(type_key()), ..Wanted::default() },
            Wanted { search: search.clone(), statuses: Some(vec![TaskStatus::Open]), ..Wanted::default() },
            Wanted { search: search.clone(), owner_key: Some(UserKey::trusted("toad")), ..Wanted::default() },
            Wanted { search, owner_key: Some(UserKey::trusted("mario")), ..Wanted::default() },
        ] {
            for (offset, limit) in [(0, PAGE.limit), (37, 100), (0, 240), (245, 100)] {
                let mut pages = Vec::new();
                for count in [true, false] {
                    let found = task_views::list(tx, &wanted, &Page { limit, offset, count }).await?;
                    assert_eq!(found.total.is_some(), count);
                    pages.push(found.rows.into_iter().map(|view| view.key).collect::<Vec<TaskKey>>());
                }
                assert_eq!(pages[0], pages[1], "{wanted:?}, {limit} after {offset}");
            }
        }
    }
    Ok(())
}

/// A deleted task is not found, keeps its code, and lets its type go.
async fn remove(tx: &mut Tx) -> Result<(), StoreError> {
    assert_eq!(task_links::let_go(tx, &TaskTarget::Product(ProductKey::trusted("P"))).await?, 1);
    assert_eq!(task_links::let_go(tx, &TaskTarget::Product(ProductKey::trusted("P"))).await?, 0);
    let to_serial = task_links::find(tx, TASK, &targets()[3]).await?.expect("it is there");
    task_links::remove(tx, &to_serial).await?;
    task_links::clear(tx, OTHER).await?;
    assert_eq!(task_links::of_task(tx, TASK).await?.len(), 2);
    for key in [TASK, OTHER, LATE] {
        let mut gone = tasks::lock(tx, key).await?.expect("it is there");
        task_links::clear(tx, key).await?;
        (gone.deleted, gone.deleted_by) = (Some(NOW), Some(user()));
        tasks::save(tx, &mut gone, &kinds()).await?;
        assert!(tasks::find(tx, key).await?.is_none() && task_views::find(tx, key).await?.is_none());
        assert!(!task_links::exists(tx, &TaskTarget::Task(key)).await?);
    }
    assert_eq!(keys(tx, &Wanted::default()).await?, []);
    assert_eq!(task_types::task_count(tx, &type_key()).await?, 0);
    task_types::remove(tx, &type_key()).await?;
    assert_eq!(tasks::taken_codes(tx, &text("T-81")).await?.len(), 1);
    Ok(())
}

pub(super) async fn run(db: &Db) {
    db.write("store tasks", store).await.unwrap();
    db.write("link tasks", links).await.unwrap();
    db.write("spend time", spend).await.unwrap();
    db.write("search tasks", search).await.unwrap();
    let twice = db.write("twice", async |tx: &mut Tx| {
        tasks::insert(tx, &Task { code: "T-81".to_owned(), ..task(TaskKey(84)) }, &kinds()).await
    });
    assert!(matches!(twice.await, Err(StoreError::Constraint(Constraint::TaskCodeTaken))));
    // Taken back: others read what was there before.
    for attempt in ["many", "remove"] {
        let done = db.write(attempt, async move |tx: &mut Tx| {
            let done = if attempt == "many" { search_among_many(tx).await } else { remove(tx).await };
            done.and(Err::<(), _>(StoreError::Outdated))
        });
        assert!(matches!(done.await, Err(StoreError::Outdated)), "{attempt}");
    }
    assert!(!task_views::ordered_statements().is_empty());
    assert!(!task_views::first_statements(10).is_empty());
    let types = || task_types::Wanted { active_only: true, name: Some(Pattern::substring("che")) };
    run!(db, tx:
        task_types::list(tx, &types(), &PAGE),
        task_types::find(tx, &type_key()),
        task_types::find_all(tx, &text("check")),
        task_types::lock(tx, &type_key()),
        task_types::update(tx, &TaskType { rev: 2, ..task_type() }),
    );
}
