//! Counting: from the plan of a session to what it has corrected.

use std::collections::BTreeSet;

use domain::counting::{
    AssignmentStatus, CountAssignment, CountRecord, CountSession, CountType, Counted, MarkStatus, RecordStatus,
    ScopeType, SessionStatus, Snapshot, SnapshotType, conflicts,
};
use domain::key::{
    CountAssignmentKey, CountRecordKey, CountSessionKey, PositionKey, ProductId, ProductKey, SerialKey, SnapshotKey,
};
use domain::search::Pattern;
use domain::warehouse::INSIDE;
use domain::warehouse::stock::Pair;
use domain::{Quantity, Timestamp};
use serde_json::{Map, json};
use store::administration::resets;
use store::counting::marks::{self, CountMark};
use store::counting::serials::{self, CountSerial};
use store::counting::{applying, assignments, at_position, pairs, records, sessions, snapshots, views};
use store::warehouse::{stock, verify};
use store::{Db, Sql, StoreError, Tx, params};

use super::run;
use super::samples::{NOW, PAGE, one, text, user};

pub(crate) const SESSION: CountSessionKey = CountSessionKey(41);
const OF_PRODUCTS: CountSessionKey = CountSessionKey(42);
const ASSIGNMENT: CountAssignmentKey = CountAssignmentKey(43);
const RECORD: CountRecordKey = CountRecordKey(51);
/// Lies at A1, where `warehouse` has put it, and has moved there.
const SERIAL: SerialKey = SerialKey(9_001);

fn key(text: &str) -> PositionKey {
    PositionKey::trusted(text)
}

fn pair() -> Pair {
    Pair { product_id: ProductId(1), position_key: key("A1") }
}

fn one_pair() -> BTreeSet<Pair> {
    BTreeSet::from([pair()])
}

/// A pair that is made while it is counted has the moment at once; one that was there keeps its own until it is noted.
async fn make_counted(tx: &mut Tx) -> Result<(), StoreError> {
    let new = Pair { position_key: key("A2"), ..pair() };
    let later = Timestamp::from_millis(3_000);
    let last_counted = async |tx: &mut Tx, pair: &Pair| {
        let sql = Sql::raw("select last_counted from stock_pair where product_id = $1 and position_key = $2");
        tx.one::<Option<Timestamp>>(sql, &params![pair.product_id, &pair.position_key]).await
    };
    let both = BTreeSet::from([pair(), new.clone()]);
    stock::lock_counted(tx, &both, later).await?;
    assert_eq!(last_counted(tx, &new).await?, Some(later));
    assert_ne!(last_counted(tx, &pair()).await?, Some(later));
    pairs::note_counted(tx, &both, later).await?;
    assert_eq!(last_counted(tx, &pair()).await?, Some(later));
    Ok(())
}

pub(crate) fn session(key: CountSessionKey) -> CountSession {
    CountSession {
        key,
        rev: 1,
        code: format!("Count {}", key.0),
        description: None,
        notes: None,
        kind: CountType::Position,
        status: SessionStatus::Started,
        blind_quantities: true,
        blind_serials: false,
        scheduled_start: None,
        scheduled_end: None,
        created: NOW,
        created_by: user(),
        started: Some(NOW),
        completed: None,
        applied: None,
        coverage: None,
        baseline_snapshot_key: None,
        post_count_snapshot_key: None,
        post_adjustment_snapshot_key: None,
        adjustment_list_key: None,
        records_to_process: 0,
        movements_created: 0,
        movements_failed: 0,
        processing_started: None,
        processing_completed: None,
        confirmed_by: None,
        extra: Map::new(),
    }
}

fn assignment(key: CountAssignmentKey, session_key: CountSessionKey, position: Option<&str>) -> CountAssignment {
    CountAssignment {
        key,
        rev: 1,
        session_key,
        target_type: if position.is_some() { CountType::Position } else { CountType::Product },
        product_id: position.is_none().then_some(ProductId(1)),
        position_key: position.map(PositionKey::trusted),
        assigned_to: Some(user()),
        include_children: true,
        status: AssignmentStatus::Started,
        created: NOW,
        created_by: user(),
        started: Some(NOW),
        completed: None,
        notes: None,
        extra: Map::new(),
    }
}

fn record(key: CountRecordKey) -> CountRecord {
    CountRecord {
        key,
        rev: 1,
        session_key: SESSION,
        product_id: ProductId(1),
        position_key: self::key("A1"),
        assignment_key: Some(ASSIGNMENT),
        user_key: user(),
        status: RecordStatus::Started,
        system_qt: one(1_500_000),
        system_at: NOW,
        started_at: Some(NOW),
        system_corrections: 0,
        counted_qt: None,
        counted_at: None,
        reviewed_at: None,
        processed: false,
        done: None,
        error_details: None,
        notes: None,
        extra: Map::new(),
    }
}

fn snapshot(key: SnapshotKey, kind: SnapshotType, session_key: CountSessionKey) -> Snapshot {
    Snapshot {
        key,
        rev: 1,
        kind,
        session_key,
        taken: NOW,
        scope_type: ScopeType::Positions,
        target_keys: json!(["A"]),
        created_by: user(),
    }
}

async fn is_right(tx: &mut Tx) -> Result<bool, StoreError> {
    Ok(verify::compare(tx, None).await?.is_right())
}

/// Sessions of positions and of products, and what lies in their scope.
async fn start(tx: &mut Tx) -> Result<(), StoreError> {
    let mut started = session(SESSION);
    sessions::insert(tx, &started).await?;
    sessions::insert(tx, &CountSession { kind: CountType::Product, ..session(OF_PRODUCTS) }).await?;
    assert!(!assignments::has_any(tx, SESSION).await?);
    let targets = [assignment(ASSIGNMENT, SESSION, Some("A")), assignment(CountAssignmentKey(44), OF_PRODUCTS, None)];
    assignments::insert_all(tx, &targets).await?;
    assert_eq!(assignments::find(tx, ASSIGNMENT).await?.as_ref(), Some(&targets[0]));
    assert_eq!(sessions::coverage(tx, &started).await?, None, "it has not begun");
    let scope = snapshots::scope_of(tx, SESSION).await?;
    assert_eq!((scope.kind, &scope.target_keys), (ScopeType::Positions, &text("A")));
    snapshots::take(tx, &snapshot(SnapshotKey(61), SnapshotType::Actual, SESSION), &scope).await?;
    started.baseline_snapshot_key = Some(SnapshotKey(61));
    sessions::save(tx, &mut started).await?;
    assert_eq!(sessions::find(tx, SESSION).await?, Some(started.clone()));
    assert_eq!(sessions::coverage(tx, &started).await?, Some(Quantity::ZERO));
    let shown = snapshots::items(tx, SnapshotKey(61), &PAGE).await?;
    let [item] = shown.rows.as_slice() else { panic!("{shown:?}") };
    assert_eq!((item.quantity, &item.serial_keys, shown.total), (one(1_500_000), &vec![SERIAL], Some(1)));
    let scope = snapshots::scope_of(tx, OF_PRODUCTS).await?;
    assert_eq!((scope.kind, &scope.target_keys), (ScopeType::Products, &text("P")));
    for (number, kind) in [(62, SnapshotType::Actual), (63, SnapshotType::Virtual)] {
        snapshots::take(tx, &snapshot(SnapshotKey(number), kind, OF_PRODUCTS), &scope).await?;
        assert_eq!(snapshots::items(tx, SnapshotKey(number), &PAGE).await?.rows.len(), 1, "{kind:?}");
    }
    Ok(())
}

/// Somebody counts the product at A1: a part of what has no serial, and no serial.
async fn count(tx: &mut Tx) -> Result<(), StoreError> {
    let stock = pairs::stock_of(tx, &one_pair()).await?;
    assert_eq!((stock[&pair()].content.whole(), stock[&pair()].corrections), (one(1_500_000), 0));
    assert_eq!(pairs::products_at(tx, &key("A1")).await?, [ProductId(1)]);
    assert_eq!(pairs::of_stock(tx, &[4, 5]).await?, one_pair());
    let mut counted = record(RECORD);
    records::insert_all(tx, std::slice::from_ref(&counted)).await?;
    let serial = CountSerial { record_key: RECORD, serial_key: SERIAL, in_system: true, counted: false, moves: None };
    serials::save_all(tx, std::slice::from_ref(&serial)).await?;
    assert_eq!(pairs::marked(tx, SESSION).await?, one_pair());
    assert!(!is_right_when_locked(tx).await?);
    pairs::set_counting(tx, &pair(), RECORD).await?;
    assert!(is_right(tx).await?, "whoever counts has an open record");
    assert_eq!(at_position::marked(tx, &key("A1")).await?, [ProductId(1)]);
    assert!(at_position::counted_by(tx, SESSION, &key("A1"), &user()).await?.is_empty());
    assert_eq!(records::open_of_session(tx, SESSION).await?, [RECORD]);
    assert!(records::has_open(tx, ASSIGNMENT).await?);

    let moves = serials::moves(tx, &[SERIAL.0]).await?;
    assert_eq!(moves.get(&SERIAL), Some(&1));
    assert_eq!(serials::moves_outside(tx, SESSION, &[SERIAL.0]).await?, moves);
    serials::save_all(tx, &[CountSerial { moves: Some(1), ..serial }]).await?;
    (counted.status, counted.counted_qt, counted.counted_at) = (RecordStatus::Completed, Some(one(400_000)), Some(NOW));
    records::save(tx, &mut counted).await?;
    assert_eq!(records::find(tx, RECORD).await?, Some(counted));
    pairs::free(tx, &pair(), Some(NOW)).await?;
    assert!(at_position::marked(tx, &key("A1")).await?.is_empty());
    assert_eq!(at_position::counted_by(tx, SESSION, &key("A1"), &user()).await?, [ProductId(1)]);
    assert_eq!(marks::settle(tx, SESSION, &[key("A1")], NOW).await?, [key("A1"), key("A")]);
    assert!(marks::settle(tx, SESSION, &[key("A1")], NOW).await?.is_empty(), "twice is harmless");
    assert_eq!(marks::completed(tx, SESSION).await?, [key("A"), key("A1")]);
    let children = marks::of_children(tx, SESSION, &key(INSIDE)).await?;
    assert_eq!(children.into_iter().collect::<Vec<_>>(), [(key("A"), MarkStatus::Counted)]);
    assert_eq!(marks::open_children(tx, SESSION, &key(INSIDE)).await?, [key("B")]);
    let all = sessions::list(tx, &sessions::Wanted::default(), &PAGE).await?.rows;
    assert_eq!(sessions::coverages(tx, &all).await?.get(&SESSION), Some(&Quantity::HUNDRED));
    Ok(())
}

/// Whether all is right while a session locks what it does not correct.
async fn is_right_when_locked(tx: &mut Tx) -> Result<bool, StoreError> {
    tx.run(Sql::raw("update stock_pair set locked = true, locked_by = 41 where position_key = 'A1'"), &[]).await?;
    let right = is_right(tx).await;
    tx.run(Sql::raw("update stock_pair set locked = false, locked_by = null where position_key = 'A1'"), &[]).await?;
    right
}

/// What was counted is confirmed and corrected.
async fn correct(tx: &mut Tx) -> Result<(), StoreError> {
    let live = records::live_of_session(tx, SESSION).await?;
    let serials_of = serials::of_records(tx, &[RECORD.0]).await?;
    let (system, counted) = serials::contents(&live[0], &serials_of[&RECORD]);
    assert_eq!((system.quantity, system.serials.len()), (one(500_000), 1));
    let counted = Counted {
        key: RECORD,
        pair: pair(),
        user_key: user(),
        system,
        system_at: NOW,
        counted,
        counted_at: NOW,
        system_corrections: 0,
    };
    assert_eq!(pairs::places_of(tx, &[SERIAL.0]).await?, one_pair());
    let known = pairs::known(tx, SESSION, &one_pair(), &[SERIAL.0]).await?;
    assert_eq!((known.pairs[&pair()].quantity, known.serials[&SERIAL].pair.as_ref()), (one(500_000), Some(&pair())));
    assert!(conflicts(&[counted], &known).is_empty());

    let scope = snapshots::scope_of(tx, SESSION).await?;
    snapshots::take(tx, &snapshot(SnapshotKey(64), SnapshotType::Virtual, SESSION), &scope).await?;
    let shown = snapshots::items(tx, SnapshotKey(64), &PAGE).await?.rows;
    assert_eq!((shown[0].quantity, shown[0].serial_keys.len()), (one(400_000), 0));

    records::confirm(tx, &[RECORD.0], NOW, false).await?;
    pairs::lock_for(tx, SESSION, &one_pair()).await?;
    let mut processing = sessions::find(tx, SESSION).await?.expect("it is there");
    processing.status = SessionStatus::Processing;
    sessions::save(tx, &mut processing).await?;
    assert!(is_right(tx).await?, "whoever locks is processing");
    assert_eq!(sessions::processing(tx).await?, [SESSION]);
    assert_eq!(records::waiting(tx, SESSION, 10).await?.len(), 1);
    assert_eq!((records::count_waiting(tx, SESSION).await?, records::processed(tx, SESSION).await?), (1, 0));
    assert_eq!(serials::left(tx, RECORD, None, 10).await?.len(), 1);
    assert!(serials::left(tx, RECORD, Some(SERIAL), 10).await?.is_empty());
    assert_eq!(applying::left(tx, &[RECORD.0], None, 10).await?.len(), 1);
    assert!(applying::left(tx, &[RECORD.0], Some(SERIAL), 10).await?.is_empty());
    assert!(applying::left(tx, &[], None, 10).await?.is_empty());
    assert_eq!(applying::found_and_missing(tx, RECORD).await?, (0, 1));

    let of_record = "update movement set count_session_key = 41, count_record_key = 51 where key = 32";
    tx.run(Sql::raw(of_record), &[]).await?;
    assert_eq!(views::movements_of(tx, &[RECORD.0]).await?[&RECORD].len(), 1);
    assert!(serials::moves_outside(tx, SESSION, &[SERIAL.0]).await?.is_empty(), "its own corrections do not count");
    records::confirm(tx, &[RECORD.0], NOW, true).await?;
    pairs::unlock(tx, SESSION, &one_pair(), true).await?;
    assert_eq!(pairs::stock_of(tx, &one_pair()).await?[&pair()].corrections, 1);
    assert_eq!(records::processed(tx, SESSION).await?, 1);
    processing.status = SessionStatus::Applied;
    sessions::save(tx, &mut processing).await?;
    assert_eq!(processing.coverage, Some(Quantity::HUNDRED), "kept once it is over");
    Ok(())
}

/// What is discarded takes its marks along, and what was taken for empty is counted when goods are found.
async fn discard(tx: &mut Tx) -> Result<(), StoreError> {
    let mark = CountMark {
        session_key: OF_PRODUCTS,
        position_key: key("A1"),
        status: MarkStatus::Empty,
        completed_at: NOW,
        user_key: Some(user()),
        notes: None,
    };
    marks::put(tx, &mark).await?;
    let goods = CountRecord {
        session_key: OF_PRODUCTS,
        assignment_key: None,
        status: RecordStatus::Completed,
        counted_qt: Some(Quantity::ONE),
        counted_at: Some(NOW),
        ..record(CountRecordKey(52))
    };
    records::insert_all(tx, &[goods]).await?;
    assert!(marks::settle(tx, OF_PRODUCTS, &[key("A1")], NOW).await?.is_empty(), "it had a mark");
    let found = marks::find(tx, OF_PRODUCTS, &key("A1")).await?.expect("it is there");
    assert_eq!(found.status, MarkStatus::Counted);
    assert!(records::discard_earlier(tx, SESSION, &BTreeSet::new(), &user(), NOW).await?.is_empty());
    assert_eq!(records::discard_earlier(tx, SESSION, &one_pair(), &user(), NOW).await?, [RECORD]);
    let counted: BTreeSet<Pair> = records::discard_all(tx, OF_PRODUCTS, NOW).await?.into_iter().collect();
    assert_eq!(counted, one_pair());
    assert_eq!(records::discard_of_pairs(tx, OF_PRODUCTS, &one_pair(), NOW).await?, 0);
    assert_eq!(marks::withdraw(tx, SESSION, &[key("A1")]).await?, [key("A1"), key("A")]);
    assert_eq!(marks::withdraw(tx, OF_PRODUCTS, &[key("A1")]).await?, [key("A1")]);
    Ok(())
}

/// A reset cancels what is not over, and takes open records and marks along.
async fn reset(tx: &mut Tx) -> Result<(), StoreError> {
    let open = CountRecord { session_key: OF_PRODUCTS, assignment_key: None, ..record(CountRecordKey(53)) };
    records::insert_all(tx, &[open]).await?;
    pairs::set_counting(tx, &pair(), CountRecordKey(53)).await?;
    let removed = resets::inventory(tx).await?;
    assert_eq!(removed["inventory_count_record"], 1);
    for (key, status) in [(SESSION, SessionStatus::Applied), (OF_PRODUCTS, SessionStatus::Canceled)] {
        assert_eq!(sessions::find(tx, key).await?.map(|session| session.status), Some(status));
    }
    assert!(records::open_of_session(tx, OF_PRODUCTS).await?.is_empty() && is_right(tx).await?);
    Ok(())
}

/// Canceled by itself, a session leaves neither open records nor marks.
async fn cancel(tx: &mut Tx) -> Result<(), StoreError> {
    let open = CountRecord { session_key: OF_PRODUCTS, assignment_key: None, ..record(CountRecordKey(54)) };
    records::insert_all(tx, &[open]).await?;
    pairs::set_counting(tx, &pair(), CountRecordKey(54)).await?;
    pairs::clear(tx, OF_PRODUCTS).await?;
    records::remove_open(tx, OF_PRODUCTS).await?;
    assert!(pairs::marked(tx, OF_PRODUCTS).await?.is_empty() && is_right(tx).await?);
    Ok(())
}

fn wanted_assignments(first: Option<CountType>) -> assignments::Wanted {
    let pattern = Some(Pattern::wildcard("code*"));
    assignments::Wanted {
        session_key: Some(SESSION),
        target_type: Some(CountType::Position),
        product_key: Some(ProductKey::trusted("P")),
        product_code: pattern.clone(),
        position_key: Some(key("A")),
        position_code: pattern,
        assigned_to: Some(user()),
        status: Some(AssignmentStatus::Started),
        first,
    }
}

fn wanted_records() -> views::Wanted {
    views::Wanted {
        session_key: Some(SESSION),
        user_key: Some(user()),
        assignment_key: Some(ASSIGNMENT),
        product_key: Some(ProductKey::trusted("P")),
        position_key: Some(key("A1")),
        without_started: true,
        without_completed: false,
        without_discarded: true,
    }
}

/// What lists show.
async fn read(tx: &mut Tx) -> Result<(), StoreError> {
    let shown = views::list(tx, &wanted_records(), &PAGE).await?;
    let [view] = shown.rows.as_slice() else { panic!("{shown:?}") };
    assert_eq!((view.record.key, view.product_code.as_str(), view.position_code.as_str()), (RECORD, "P-1", "Code A1"));
    assert!(view.blind.quantities && !view.blind.serials && view.session_status == SessionStatus::Applied);
    let nothing = views::Wanted { without_completed: true, ..wanted_records() };
    assert!(views::list(tx, &nothing, &PAGE).await?.rows.is_empty());
    let mut exported = Vec::new();
    for wanted in [views::Wanted::default(), wanted_records()] {
        views::each(tx, &wanted, |view| {
            exported.push(view.record.key);
            Ok::<_, StoreError>(())
        })
        .await?;
    }
    assert_eq!(exported, [RECORD; 2]);
    let serials = views::serials_of(tx, &[RECORD.0]).await?;
    assert!(serials[&RECORD][0].in_system && serials[&RECORD][0].serial_code.is_none());
    let targets = assignments::views_of_session(tx, SESSION).await?;
    assert_eq!((targets[0].target_key.as_str(), targets[0].target_code.as_str()), ("A", "Code A"));
    let products = assignments::Wanted { target_type: Some(CountType::Product), ..assignments::Wanted::default() };
    let products = assignments::list(tx, &products, &PAGE).await?;
    assert_eq!((products.rows[0].target_key.as_str(), products.rows[0].target_code.as_str()), ("P", "P-1"));
    Ok(())
}

pub(super) async fn run(db: &Db) {
    db.write("start counting", start).await.unwrap();
    db.write("count", count).await.unwrap();
    db.write("correct", correct).await.unwrap();
    db.write("read counts", read).await.unwrap();
    // Taken back: others read what was there before.
    for attempt in ["reset", "cancel"] {
        let done = db.write(attempt, async move |tx: &mut Tx| {
            let done = if attempt == "reset" { reset(tx).await } else { cancel(tx).await };
            done.and(Err::<(), _>(StoreError::Outdated))
        });
        assert!(matches!(done.await, Err(StoreError::Outdated)), "{attempt}");
    }
    db.write("discard", discard).await.unwrap();
    assert!(views::first_page(SESSION).0.contains("position.code_folded"));
    let sessions_wanted = || sessions::Wanted {
        search: Some(Pattern::wildcard("count 4*")),
        statuses: vec![SessionStatus::Started, SessionStatus::Applied],
        kind: Some(CountType::Position),
    };
    let later = Timestamp::from_millis(2_000);
    run!(db, tx:
        sessions::lock(tx, SESSION),
        sessions::list(tx, &sessions_wanted(), &PAGE),
        sessions::taken_codes(tx, &text("Count 41")),
        assignments::find_all(tx, &[ASSIGNMENT.0]),
        assignments::of_session(tx, SESSION),
        assignments::list(tx, &wanted_assignments(None), &PAGE),
        assignments::list(tx, &wanted_assignments(Some(CountType::Product)), &PAGE),
        assignments::list(tx, &wanted_assignments(Some(CountType::Position)), &PAGE),
        assignments::cancel(tx, &[ASSIGNMENT.0]),
        assignments::end_open(tx, SESSION, Some(NOW)),
        views::list(tx, &views::Wanted::default(), &PAGE),
        views::list(tx, &views::Wanted { session_key: Some(SESSION), ..views::Wanted::default() }, &PAGE),
        records::find_all(tx, &[RECORD.0]),
        pairs::note_counted(tx, &one_pair(), later),
        snapshots::find(tx, SnapshotKey(61)),
        snapshots::remove(tx, SnapshotKey(63)),
        records::remove(tx, CountRecordKey(99)),
        sessions::remove(tx, CountSessionKey(99)),
    );
    db.write("make counted pairs", make_counted).await.unwrap();
    let saved = db.write("save assignment", async |tx: &mut Tx| {
        assignments::save(tx, &mut assignment(ASSIGNMENT, SESSION, Some("A"))).await
    });
    saved.await.unwrap();
}
