//! The path of an event through the journal alone, on the embedded database: no HTTP, no rights of tokens, no audit log.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on has failed")]

use std::sync::Arc;

use domain::journal::Event;
use domain::json::Opaque;
use domain::key::{EventKey, JobKey, OperationKey, PhaseKey, PositionKey, ProductId, ProductKey, UserKey};
use domain::process::PhaseParameters;
use domain::product::ProductData;
use domain::rule::journal::BulkRejected;
use domain::scope::Rights;
use domain::{Quantity, Timestamp};
use journal::bulk::{Bulk, RowResult, Savepoints, SeqRange};
use journal::catalogue::POSTABLE;
use journal::effects::production::{NewWorkOrder, PhaseCopy, Routing};
use journal::events::production::create_order;
use journal::{Act, Author, Common, Error, Posted, References, Result, post_event};
use serde_json::{Value, json};
use store::administration::first_start;
use store::journal::events::{self, Order, Wanted};
use store::node::Node;
use store::process::operations::{self, Operation};
use store::process::phases::{self, Phase};
use store::product::products::{self, Product};
use store::production::jobs;
use store::security::users::NewUser;
use store::{Db, Location, Page, StoreError, Tx};

/// A site with one order of four pieces, made in one job in batches of two.
struct Shop {
    db: Db,
    node: Arc<Node>,
    job: JobKey,
    _folder: tempfile::TempDir,
}

fn now() -> Timestamp {
    Timestamp::parse("2026-03-01T08:00:00Z").unwrap()
}

fn author(scope: &str) -> Author {
    Author::new(UserKey::trusted("anna"), None, Rights::of(scope))
}

/// An event as it comes from a client, whose shape was checked.
fn posted(event_type: &str, payload: &Value) -> Posted {
    let entry = POSTABLE.iter().find(|entry| entry.name == event_type).expect("a type of event");
    Posted { event_type: entry, common: Common::default(), references: References::default(), payload: payload.clone() }
}

impl Shop {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Folder { folder: folder.path().join("data"), write_group: 8 };
        let (db, _) = Db::open(&location).await.expect("the database opens");
        let node = Arc::new(Node::take(&db, "test".to_owned(), now()).await.expect("a node number"));
        db.write("seed", async |tx: &mut Tx| seed(tx).await).await.expect("a site");
        let numbering = node.clone();
        let job = db.write("order", async move |tx: &mut Tx| order(tx, &numbering).await).await;
        Self { db, node, job: job.expect("an order"), _folder: folder }
    }

    /// Sends one event; gives its number.
    async fn post(&self, scope: &'static str, event_type: &'static str, payload: Value) -> Result<i64> {
        let node = self.node.clone();
        let post = async move |tx: &mut Tx| {
            let mut act = Act::begin(tx, &node, author(scope), now()).await?;
            post_event(&mut act, &posted(event_type, &payload)).await?;
            act.store().await
        };
        Ok(self.db.write("post", post).await?.get().expect("a number"))
    }

    /// Replaces what the site keeps on a job by one row for each key, in portions of two; all of them, or none.
    async fn replace_extras(&self, jobs: Vec<JobKey>) -> Result<SeqRange> {
        let node = self.node.clone();
        let post = async move |tx: &mut Tx| {
            let mut bulk = begin_bulk(tx, &node).await?;
            let mut refused = Vec::new();
            for (index, job) in jobs.iter().enumerate() {
                if index % 2 == 0 {
                    bulk.begin_chunk().await?;
                }
                match bulk.row(extra(*job, json!(index))).await? {
                    RowResult::Done { place, .. } if refused.is_empty() => assert_eq!(place, index as i64),
                    RowResult::Done { .. } => {}
                    RowResult::Refused(error) => refused.push((index, refusal(error))),
                    RowResult::NeedsRowSavepoints => panic!("nothing was changed before it was refused"),
                }
            }
            match refused.is_empty() {
                true => bulk.finish().await,
                false => {
                    let errors = refused.iter().map(|row| json!(row)).collect();
                    let rule = BulkRejected { total_events: jobs.len(), failed: refused.len(), errors };
                    Err(Error::rule(&rule, "Nothing was stored."))
                }
            }
        };
        self.db.write("bulk", post).await
    }

    /// All events, in the order of their numbers.
    async fn events(&self) -> Vec<Event> {
        let page = Page { limit: 10_000, offset: 0, count: false };
        let found = self.db.read(async |tx: &mut Tx| events::list(tx, &Wanted::default(), Order::Seq, &page).await);
        found.await.map_err(|error: StoreError| error).unwrap().rows
    }

    async fn job(&self) -> domain::production::Job {
        let found = self.db.read(async |tx: &mut Tx| jobs::find(tx, self.job).await).await;
        found.map_err(|error: StoreError| error).unwrap().expect("the job")
    }
}

async fn begin_bulk<'a>(tx: &'a mut Tx, node: &'a Node) -> Result<Bulk<'a>> {
    let entry = extra(JobKey(1), Value::Null).event_type;
    Bulk::begin(tx, node, author("production"), now(), entry, Savepoints::PerChunk).await
}

/// An event that replaces what the site keeps on a job.
fn extra(job: JobKey, data: Value) -> Posted {
    posted("EXTRA_UPDATE_REQUESTED", &json!({ "entity_type": "job", "entity_key": job, "extra_data": data }))
}

async fn seed(tx: &mut Tx) -> Result<bool> {
    let user = NewUser {
        key: UserKey::trusted("anna"),
        username: "anna".to_owned(),
        scope: "operator".to_owned(),
        password_hash: String::new(),
        reset_password: false,
        password_until: None,
        created_at: now(),
    };
    Ok(first_start::seed(tx, &user, "queue", now()).await?)
}

async fn order(tx: &mut Tx, node: &Node) -> Result<JobKey> {
    let operation = Operation {
        key: OperationKey::trusted("work"),
        rev: 1,
        name: "Work".to_owned(),
        code: None,
        description: None,
        default_phase_parameters: PhaseParameters::default(),
        default_phase_notes: None,
    };
    operations::insert(tx, &operation).await?;
    let product = Product {
        id: ProductId(node.next_id(now())?),
        key: ProductKey::trusted("P"),
        rev: 1,
        data: ProductData::new("P".to_owned()),
        trash: false,
        created: now(),
        updated: now(),
        bom_version: 0,
        img_name: None,
    };
    products::save(tx, std::slice::from_ref(&product)).await?;
    let phase = Phase {
        key: PhaseKey(node.next_id(now())?),
        rev: 1,
        product_id: product.id,
        place: 0,
        alias: "Work".to_owned(),
        operation_key: operation.key,
        params: PhaseParameters { production_batch_qt: pieces(2), ..PhaseParameters::default() },
        production_notes: None,
        trashed: None,
    };
    phases::save(tx, std::slice::from_ref(&phase)).await?;
    let routing = Routing { phases: vec![PhaseCopy { phase, steps: vec![], shown: json!([]) }], docs: vec![] };
    let new = NewWorkOrder {
        wo_code: Some("WO".to_owned()),
        product,
        qt_planned: pieces(4),
        priority: false,
        project_code: None,
        notes: None,
        start_from: None,
        due_by: None,
        extra: Opaque::default(),
        output_position_key: PositionKey::trusted("IN"),
        bom_version: None,
    };
    let mut act = Act::begin(tx, node, author("production"), now()).await?;
    let order = create_order(&mut act, new, &[], &routing).await?;
    let jobs = jobs::of_order(act.tx, order.key).await?;
    act.store().await?;
    Ok(jobs[0].key)
}

fn pieces(count: i64) -> Quantity {
    Quantity::from_millionths(count * 1_000_000)
}

fn types(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.event_type.as_str()).collect()
}

fn refusal(error: Error) -> &'static str {
    match error {
        Error::Refused(refused) => refused.error_type,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

fn seqs(events: &[Event]) -> Vec<i64> {
    events.iter().map(|event| event.seq).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_carried_out_and_stored_with_what_it_leads_to() {
    let shop = Shop::open().await;
    assert_eq!(types(&shop.events().await), ["WORK_ORDER_CREATED"]);
    let number = shop.post("operator", "JOB_STARTED", json!({ "job_key": shop.job })).await.unwrap();
    let job = shop.job().await;
    assert!(job.active);
    assert_eq!((job.assigned_to, job.active_batch_qt), (Some(UserKey::trusted("anna")), pieces(2)));

    let events = shop.events().await;
    let expected = ["WORK_ORDER_CREATED", "JOB_STARTED", "BATCH_CREATED", "WORK_SESSION_CREATED", "WORK_ORDER_STARTED"];
    assert_eq!(types(&events), expected);
    assert_eq!((number, seqs(&events)), (2, vec![1, 2, 3, 4, 5]));
    let (sent, children) = (&events[1], &events[2..]);
    assert_eq!((sent.primary, sent.event_group, sent.source_key), (true, sent.key, None));
    assert_eq!((sent.concerns.job_key, &sent.payload), (Some(shop.job), &json!({ "job_key": shop.job })));
    for child in children {
        assert_eq!((child.primary, child.event_group), (false, sent.key));
        assert!(child.source_key.is_some_and(|source| events.iter().any(|event| event.key == source)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_changes_nothing_and_takes_no_number() {
    let shop = Shop::open().await;
    let before = shop.events().await;
    let idle = shop.post("operator", "JOB_PAUSED", json!({ "job_key": shop.job })).await;
    assert_eq!(refusal(idle.unwrap_err()), "JobIsNotActiveError");
    let missing = shop.post("operator", "JOB_STARTED", json!({ "job_key": JobKey(1) })).await;
    assert_eq!(refusal(missing.unwrap_err()), "RecordNotFoundError");
    let payload = json!({ "entity_type": "job", "entity_key": shop.job, "extra_data": 1 });
    let right = shop.post("operator", "EXTRA_UPDATE_REQUESTED", payload.clone()).await;
    assert!(matches!(right, Err(Error::Forbidden { .. })), "{right:?}");
    assert_eq!(shop.events().await, before);
    assert_eq!(shop.job().await.extra.value(), Value::Null);
    assert_eq!(shop.post("production", "EXTRA_UPDATE_REQUESTED", payload).await.unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_are_numbered_without_gaps() {
    let shop = Shop::open().await;
    let posts = (0..60).map(|index| {
        // Every third is refused.
        let job = if index % 3 == 2 { JobKey(1) } else { shop.job };
        let payload = json!({ "entity_type": "job", "entity_key": job, "extra_data": index });
        shop.post("production", "EXTRA_UPDATE_REQUESTED", payload)
    });
    let answered = futures_util::future::join_all(posts).await;
    let mut numbers: Vec<i64> = answered.into_iter().flatten().collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (2..=41).collect::<Vec<i64>>());
    let events = shop.events().await;
    assert_eq!(seqs(&events), (1..=41).collect::<Vec<i64>>());
    assert_eq!(events[40].payload["extra_data"], shop.job().await.extra.value(), "the last number is the last change");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bulk_is_stored_as_one_group_or_not_at_all() {
    let shop = Shop::open().await;
    let refused = shop.replace_extras(vec![shop.job, JobKey(1), shop.job, shop.job, JobKey(2)]).await;
    let Err(Error::Refused(refused)) = refused else { panic!("two rows are wrong") };
    assert_eq!(refused.data["errors"], json!([[1, "RecordNotFoundError"], [4, "RecordNotFoundError"]]));
    assert_eq!((shop.events().await.len(), shop.job().await.extra.value()), (1, Value::Null));

    let range = shop.replace_extras(vec![shop.job; 5]).await.unwrap();
    assert_eq!((range.first_seq, range.last_seq), (2, 6));
    let events = shop.events().await;
    assert_eq!(seqs(&events), [1, 2, 3, 4, 5, 6]);
    assert!(events[1..].iter().all(|event| event.primary && event.event_group == events[1].key));
    assert_eq!(shop.job().await.extra.value(), json!(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_portion_that_is_undone_leaves_what_was_before_it() {
    let shop = Shop::open().await;
    let (node, job) = (shop.node.clone(), shop.job);
    let post = async move |tx: &mut Tx| {
        let mut bulk = begin_bulk(tx, &node).await?;
        let mut kept: Vec<EventKey> = Vec::new();
        for (portion, rows) in [("first", 2), ("undone", 2), ("again", 1)] {
            if portion != "again" {
                bulk.begin_chunk().await?;
            }
            for _ in 0..rows {
                let RowResult::Done { event_key, .. } = bulk.row(extra(job, json!(portion))).await? else {
                    panic!("{portion} was refused")
                };
                kept.push(event_key);
            }
            if portion == "undone" {
                bulk.roll_back_chunk().await?;
                kept.truncate(2);
            }
        }
        let range = bulk.finish().await?;
        Ok::<_, Error>((kept, range))
    };
    let (kept, range) = shop.db.write("bulk", post).await.unwrap();
    assert_eq!((range.first_seq, range.last_seq), (2, 4));
    let events = shop.events().await;
    let told: Vec<&Value> = events[1..].iter().map(|event| &event.payload["extra_data"]).collect();
    assert_eq!(told, ["first", "first", "again"]);
    assert_eq!(events[1..].iter().map(|event| event.key).collect::<Vec<_>>(), kept);
    assert_eq!(shop.job().await.extra.value(), "again");
}
