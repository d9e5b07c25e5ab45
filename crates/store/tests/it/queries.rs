//! Every place where the store puts a statement together is run on both engines: what `Query` and `Update` make is in no literal
//! that could be found in the source.

use std::collections::BTreeSet;
use std::path::Path;

use domain::bom_line::{ConsumptionOptions, SentLine};
use domain::collection::Collection;
use domain::journal::{Concerns, Event};
use domain::key::*;
use domain::process::PhaseParameters;
use domain::product::ProductData;
use domain::production::{CloseReason, Job, Order, Stage};
use domain::search::Pattern;
use domain::{Quantity, Timestamp};
use serde_json::json;
use store::administration::{audit, counters, custom_data};
use store::attachments::{files, media_files};
use store::journal::{events, seals};
use store::organisation::{accounts, api_tokens, departments};
use store::process::{operations, phases, steps};
use store::product::{boms, components, products};
use store::production::{
    batches, executions, heartbeats, job_views, jobs, order_phases, queues, sessions, wip, work_orders,
};
use store::quality::{fields, lists};
use store::security::{sessions as user_sessions, users};
use store::{Page, Sql, StoreError, Tx, imports, params, tags};
use testkit::journal::{append, event};

const PAGE: Page = Page { limit: 10, offset: 0, count: true };
const NOW: Timestamp = Timestamp::from_millis(1_000);

fn one(millionths: i64) -> Quantity {
    Quantity::from_millionths(millionths)
}

fn product() -> products::Product {
    products::Product {
        id: ProductId(1),
        key: ProductKey::trusted("P"),
        rev: 1,
        data: ProductData { description: Some("Wheel".to_owned()), ..ProductData::new("P-1".to_owned()) },
        trash: false,
        created: NOW,
        updated: NOW,
        bom_version: 0,
        img_name: None,
    }
}

fn user() -> UserKey {
    UserKey::trusted("mario")
}

fn order() -> Order {
    Order {
        key: WorkOrderKey(1),
        rev: 1,
        wo_code: "WO-1".to_owned(),
        product_id: ProductId(1),
        product_key: ProductKey::trusted("P"),
        product_code: "P-1".to_owned(),
        product_description: Some("Wheel".to_owned()),
        qt_planned: one(2),
        priority: true,
        project_code: Some("project".to_owned()),
        notes: Some("notes".to_owned()),
        start_from: Some(Timestamp::from_millis(3)),
        due_by: Some(Timestamp::from_millis(4)),
        extra: json!({ "a": [1.50] }),
        output_position_key: None,
        traceability_level: None,
        serial_code_on_creation: true,
        bom_version: Some(5),
        serial_fields: json!([1]),
        wo_docs: Vec::new(),
        material_cost: Some(one(6)),
        status: Stage::Started,
        active: true,
        critical: false,
        qt_completed: one(7),
        qt_scrap: one(8),
        progress: one(9),
        created: NOW,
        created_by: user(),
        started: Some(Timestamp::from_millis(10)),
        ended: None,
        place: 11,
    }
}

fn job() -> Job {
    Job {
        key: JobKey(1),
        rev: 1,
        work_order_key: WorkOrderKey(1),
        phase_key: PhaseKey(1),
        phase_place: 0,
        step_count: 2,
        unit_material_cost: Some(one(3)),
        project_code: Some("project".to_owned()),
        parameters: PhaseParameters::default(),
        notes: Some("notes".to_owned()),
        extra: json!({ "b": null }),
        start_from: Some(Timestamp::from_millis(4)),
        due_by: None,
        stage: Stage::Started,
        active: false,
        close_reason: None,
        critical: true,
        started: Some(Timestamp::from_millis(5)),
        ended: None,
        assigned_to: Some(user()),
        forced: None,
        qt_planned: one(6),
        qt_completed: one(8),
        qt_released: one(7),
        qt_scrap: one(9),
        active_batch_key: None,
        active_batch_qt: Quantity::ZERO,
        steps_done: 1,
        progress: one(10),
        next_batch_available: true,
        last_work_session_started: None,
        last_online: Some(Timestamp::from_millis(11)),
        place: 12,
    }
}

fn batch() -> batches::Batch {
    batches::Batch {
        key: BatchKey(1),
        rev: 1,
        job_key: JobKey(1),
        phase_key: PhaseKey(1),
        work_order_key: WorkOrderKey(1),
        started: NOW,
        ended: None,
        active: true,
        qt_total: one(5),
        qt_pass: one(2),
        qt_scrap: one(3),
        scrap_reason: Some("bent".to_owned()),
        unit_material_cost: None,
        value: Some(one(4)),
        canceled: None,
        forced: None,
    }
}

/// More rows than are looked at together.
const WIP: i64 = 501;

/// A product with a phase, an order of it with a job, and a batch that used up very many rows.
async fn stock(tx: &mut Tx) -> Result<(), StoreError> {
    let new = users::NewUser {
        key: user(),
        username: "mario".to_owned(),
        scope: "admin".to_owned(),
        password_hash: "-".to_owned(),
        reset_password: false,
        password_until: None,
        created_at: NOW,
    };
    users::insert(tx, &new).await?;
    let operation = operations::Operation {
        key: OperationKey::trusted("O"),
        rev: 1,
        name: "Milling".to_owned(),
        code: None,
        description: None,
        default_phase_parameters: PhaseParameters::default(),
        default_phase_notes: None,
    };
    operations::insert(tx, &operation).await?;
    products::save(tx, &[product()]).await?;
    let phase = phases::Phase {
        key: PhaseKey(1),
        rev: 1,
        product_id: ProductId(1),
        place: 0,
        alias: "10".to_owned(),
        operation_key: operation.key.clone(),
        params: PhaseParameters::default(),
        production_notes: None,
        trashed: None,
    };
    phases::save(tx, &[phase]).await?;
    work_orders::insert(tx, &order()).await?;
    let phase = order_phases::OrderPhase {
        work_order_key: WorkOrderKey(1),
        phase_key: PhaseKey(1),
        place: 0,
        alias: "10".to_owned(),
        operation_key: operation.key,
        params: PhaseParameters::default(),
        steps: json!([]),
        step_count: 2,
        unit_material_cost: Some(one(3)),
    };
    order_phases::insert_all(tx, &[phase]).await?;
    jobs::insert(tx, &job()).await?;
    batches::insert(tx, &batch()).await?;
    for key in 1..=WIP {
        let made = wip::Made {
            key: WipKey(key),
            work_order_key: WorkOrderKey(1),
            from_phase: PhaseKey(1),
            to_phase: PhaseKey(2),
            batch_key: BatchKey(1),
            quantity: one(1),
            value: None,
        };
        wip::declare(tx, &made).await?;
        let used = Sql::raw("update wip set used_by = 1 where key = $1");
        tx.run(used, &params![key]).await?;
    }
    Ok(())
}

/// Runs each call in a transaction of its own; those that find nothing may say so.
macro_rules! run {
    ($db:ident, $tx:ident: $($call:expr),+ $(,)?) => {$(
        let answer = Box::pin($db.write("query", async move |$tx: &mut Tx| $call.await.map(|_| ()))).await;
        match answer {
            Ok(()) | Err(StoreError::RowCount(0)) => {}
            Err(error) => panic!("{}\n{error:?}", stringify!($call)),
        }
    )+};
}

fn text(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

fn folder(subfolder: &str) -> files::Folder {
    files::Folder { bucket: "product", object_key: "P".to_owned(), subfolder: subfolder.to_owned() }
}

fn wanted_products(either: bool) -> products::Wanted {
    let tags = vec![TagKey::trusted("T")];
    products::Wanted {
        search: Some(Pattern::substring("wheel")),
        search_description: either,
        include_text: Some(Pattern::substring("w")),
        exclude_text: Some(Pattern::substring("nothing")),
        tag_key: Some(TagKey::trusted("T")),
        include_tags: tags.clone(),
        include_any: either,
        exclude_tags: tags,
        exclude_all: either,
        operation_key: Some(OperationKey::trusted("O")),
        active_only: true,
        traceability_only: true,
    }
}

fn wanted_orders(open: bool, closed: bool) -> work_orders::Wanted {
    work_orders::Wanted {
        search: Some(Pattern::substring("wo-")),
        open,
        closed,
        product_key: Some(ProductKey::trusted("P")),
        started_from: Some(NOW),
        started_to: Some(NOW),
        ended_from: Some(NOW),
        ended_to: Some(NOW),
    }
}

fn wanted_jobs(active: bool) -> job_views::Wanted {
    job_views::Wanted {
        keys: vec![1],
        orders: vec![1],
        phases: vec![1],
        assigned_to: text("mario"),
        stages: vec![Stage::Created],
        active: Some(active),
    }
}

fn wanted_events(types: &[&str]) -> events::Wanted {
    let names: Vec<String> = types.iter().map(|name| (*name).to_owned()).collect();
    events::Wanted {
        types: names.clone(),
        user_keys: names,
        concerns: Concerns {
            job_key: Some(JobKey(1)),
            product_key: Some(ProductKey::trusted("P")),
            ..Concerns::default()
        },
        event_group: Some(EventKey(1)),
        context_type: Some("task".to_owned()),
        context_key: Some(TaskKey(1)),
        primary: Some(true),
        from: Some(NOW),
        to: Some(NOW),
        after_seq: Some(0),
    }
}

fn sent_line() -> SentLine {
    SentLine {
        component_key: Some(ProductKey::trusted("P")),
        component_code: Some("P-1".to_owned()),
        qt: one(1),
        phase_key: None,
        consumption_options: Some(ConsumptionOptions::default()),
        extra: json!(null),
    }
}

/// An order and a job of which everything that may change has changed.
async fn save(tx: &mut Tx) -> Result<(), StoreError> {
    let mut now = Order {
        qt_planned: one(20),
        priority: false,
        notes: None,
        extra: json!(null),
        status: Stage::Closed,
        ended: Some(NOW),
        place: 21,
        ..order()
    };
    work_orders::save(tx, &order(), &mut now).await?;
    assert_eq!(work_orders::find(tx, WorkOrderKey(1)).await?, Some(now));
    let now = Job {
        stage: Stage::Closed,
        close_reason: Some(CloseReason::Manual),
        ended: Some(NOW),
        last_online: Some(NOW),
        forced: Some(EventKey(1)),
        ..job()
    };
    jobs::save(tx, &job(), &now).await?;
    assert_eq!(jobs::find(tx, JobKey(1)).await?, Some(Job { rev: 2, ..now }));
    Ok(())
}

#[test]
fn what_is_stored_is_read_back() {
    super::on_both(async |db| {
        db.write("stock", stock).await.unwrap();
        db.write("read", async |tx: &mut Tx| {
            assert_eq!(work_orders::find(tx, WorkOrderKey(1)).await?, Some(order()));
            assert_eq!(jobs::find(tx, JobKey(1)).await?, Some(job()));
            let found = products::find(tx, &ProductKey::trusted("P")).await?;
            assert_eq!(found.map(|found| found.data), Some(product().data));
            let found = batches::find(tx, BatchKey(1)).await?;
            assert_eq!(format!("{found:?}"), format!("{:?}", Some(batch())));
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
        db.write("save", save).await.unwrap();
    });
}

#[test]
fn every_query_is_run() {
    super::on_both(async |db| {
        db.write("stock", stock).await.unwrap();
        append(&db, vec![Event { payload: json!({ "product_keys": ["P"] }), ..event(40, "LISTED") }]).await;
        run!(db, tx:
            audit::list(tx, &audit::Wanted {
                user_keys: text("mario"),
                operations: text("o"),
                targets: text("Job/1"),
                outcomes: text("done"),
                from: Some(NOW),
                to: Some(NOW),
            }, &PAGE),
            counters::find(tx, &CounterKey::trusted("C")),
            counters::list(tx, Some("c"), Some(&CounterKey::trusted("C")), &PAGE),
            counters::lock(tx, &CounterKey::trusted("C")),
            counters::lock_periodic(tx),
            custom_data::find(tx, "c"),
            custom_data::lock(tx, "c"),
            custom_data::list(tx, Some(&Pattern::substring("c")), &PAGE),
        );
        run!(db, tx:
            files::find(tx, &folder(""), "a"),
            files::clear(tx, &folder(""), &text("a")),
            files::remove(tx, &folder(""), &text("a")),
            files::clear_records(tx, "product", &text("P")),
            files::of_records(tx, "product", &text("P")),
            files::list(tx, &folder(""), true, &PAGE),
            files::list(tx, &folder("a"), true, &PAGE),
            files::list(tx, &folder("a"), false, &PAGE),
            media_files::find(tx, MediaKey(1)),
            media_files::lock(tx, MediaKey(1)),
            media_files::lock_all(tx, &[1]),
            media_files::linked(tx, &text("Step/1")),
            imports::find(tx, "products", ImportKey(1), NOW),
        );
        run!(db, tx:
            events::find(tx, EventKey(1)),
            events::children(tx, &event(1, "A")),
            events::list(tx, &wanted_events(&["A"]), events::Order::Seq, &PAGE),
            events::list(tx, &wanted_events(&["A", "B"]), events::Order::NewestFirst, &PAGE),
            events::list(tx, &wanted_events(&[]), events::Order::OldestFirst, &PAGE),
            events::list(tx, &wanted_events(&[]), events::Order::SeqDescending, &PAGE),
            seals::list(tx, 0, &PAGE),
            seals::find(tx, 1),
            seals::last(tx),
        );
        run!(db, tx:
            accounts::find(tx, &user(), NOW),
            accounts::list(tx, &accounts::Wanted {
                active_only: true,
                search: Some(Pattern::substring("m")),
                department: Some(DepartmentKey::trusted("D")),
                scope: Some("admin".to_owned()),
            }, NOW, &PAGE),
            accounts::with_scope(tx, "admin"),
            accounts::lock(tx, &user()),
            api_tokens::list(tx, &user(), &PAGE),
            api_tokens::lock(tx, &TokenKey::trusted("T")),
            departments::list(tx, Some(&Pattern::substring("d")), &PAGE),
            departments::find(tx, &DepartmentKey::trusted("D")),
            departments::lock(tx, &DepartmentKey::trusted("D")),
            user_sessions::find(tx, UserSessionKey(1)),
            user_sessions::lock(tx, UserSessionKey(1)),
            user_sessions::list(tx, Some(&user()), NOW, &PAGE),
            users::by_username(tx, "Mario"),
            users::by_username(tx, "e\u{301}"),
            users::by_key(tx, &user()),
            users::lock(tx, &user()),
        );
        run!(db, tx:
            operations::list(tx, &PAGE),
            operations::lock(tx, &OperationKey::trusted("O")),
            phases::of_product(tx, ProductId(1)),
            phases::with_operation(tx, &[1], &OperationKey::trusted("O")),
            phases::find_all(tx, &[1]),
            steps::of_phases(tx, &[1]),
            steps::of_operations(tx, &text("O")),
            steps::lock_of_phases(tx, &[1]),
            steps::lock_of_operation(tx, &OperationKey::trusted("O")),
            steps::find(tx, StepKey(1)),
            fields::list(tx, Some("f"), Some(&FieldKey::trusted("F")), &PAGE),
            fields::lock(tx, &FieldKey::trusted("F")),
            fields::find_all(tx, &text("F")),
            fields::by_slug(tx, "f"),
            lists::list(tx, &FieldKey::trusted("F"), Some(&Pattern::substring("f")), lists::SortBy::Value, &PAGE),
            lists::list(tx, &FieldKey::trusted("F"), None, lists::SortBy::ExtKey, &PAGE),
            lists::list(tx, &FieldKey::trusted("F"), None, lists::SortBy::Key, &PAGE),
            tags::list(
                tx,
                Some(&Pattern::substring("t")),
                Some(&tags::Tagged { collection: Collection::Product, key: "P".to_owned() }),
                &PAGE
            ),
            tags::of_records(tx, Collection::Product, &text("P")),
            tags::lock(tx, &TagKey::trusted("T")),
        );
        run!(db, tx:
            boms::versions(tx, ProductId(1), &PAGE),
            components::named(tx, &[sent_line()]),
            products::find(tx, &ProductKey::trusted("P")),
            products::lock(tx, &ProductKey::trusted("P")),
            products::lock_by_code(tx, "P-1"),
            products::lock_all(tx, &text("P")),
            products::by_codes(tx, &text("P-1")),
            products::list(tx, &wanted_products(true), &PAGE),
            products::list(tx, &wanted_products(false), &PAGE),
            products::list_after(tx, &products::Wanted::default(), Some(&product()), 10),
            products::list_metadata(tx, &products::Wanted::default()),
            products::names_by_id(tx, &[1]),
        );
        run!(db, tx:
            batches::find(tx, BatchKey(1)),
            batches::view(tx, BatchKey(1)),
            batches::completed(tx, JobKey(1)),
            batches::counting(tx, &[1]),
            executions::find(tx, StepExecutionKey(1)),
            executions::of_batch(tx, BatchKey(1)),
            executions::of_batches(tx, &[1]),
            heartbeats::pulse(tx, JobKey(1)),
            heartbeats::hold(tx, JobKey(1)),
            job_views::find(tx, JobKey(1)),
            job_views::of_orders(tx, &[1]),
            job_views::list(tx, &wanted_jobs(true), &PAGE),
            job_views::list(tx, &wanted_jobs(false), &PAGE),
            job_views::in_order(tx, vec![JobKey(1)]),
            jobs::of_orders(tx, &[1]),
            queues::all(tx),
            queues::hold_site(tx),
            queues::find(tx, &user()),
            queues::hold(tx, &user()),
            queues::open_jobs(tx),
            queues::jobs_of(tx, &user()),
            queues::hold_jobs_of(tx, &user()),
        );
        run!(db, tx:
            sessions::active_of(tx, JobKey(1)),
            sessions::last_of(tx, JobKey(1)),
            sessions::find(tx, WorkSessionKey(1)),
            sessions::of_batch(tx, BatchKey(1)),
            sessions::of_batches(tx, &[1]),
            sessions::of_job(tx, JobKey(1)),
            wip::book(tx, WorkOrderKey(1), PhaseKey(2), JobKey(1), one(1), WipKey(1_000)),
            wip::unbook(tx, JobKey(1), one(1), WipKey(1_000)),
            wip::give_back(tx, BatchKey(1), one(WIP), WipKey(1_000)),
            wip::withdraw(tx, BatchKey(1), one(1)),
            wip::made_by(tx, &[1]),
            wip::used_by(tx, &[1]),
            work_orders::find(tx, WorkOrderKey(1)),
            work_orders::waiting(tx, &PAGE),
            work_orders::lock(tx, WorkOrderKey(1)),
            work_orders::lock_all(tx, &[1]),
            work_orders::lock_work(tx, WorkOrderKey(1)),
            work_orders::lock_work_of_job(tx, JobKey(1)),
            work_orders::lock_work_of_batch(tx, BatchKey(1)),
            work_orders::list(tx, &wanted_orders(true, true), &PAGE),
            work_orders::list(tx, &wanted_orders(true, false), &PAGE),
            work_orders::list(tx, &wanted_orders(false, true), &PAGE),
            work_orders::list(tx, &wanted_orders(false, false), &PAGE),
            save(tx),
        );
    });
    let built: BTreeSet<(String, u32)> =
        store::places_built().into_iter().map(|(file, line)| (file.replace('\\', "/"), line)).collect();
    let missed: Vec<_> = places().into_iter().filter(|place| !built.contains(place)).collect();
    assert!(missed.is_empty(), "no statement was run that is put together at\n{missed:#?}");
}

/// Where the source adds fragments: file, line.
fn places() -> Vec<(String, u32)> {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            // The first two hold what makes statements, the third adds fragments in its callers' name.
            if path.is_dir() {
                folders.push(path);
            } else if !["columns.rs", "sql.rs", "search.rs"].contains(&path.file_name().unwrap().to_str().unwrap()) {
                let source = std::fs::read_to_string(&path).unwrap();
                let file = format!("crates/store/{}", path.strip_prefix(root).unwrap().display());
                found.extend(fragments(&source).into_iter().map(|line| (file.replace('\\', "/"), line)));
            }
        }
    }
    assert!(found.len() > 200, "only {} places were found", found.len());
    found
}

/// Calls of `Query` and `Update`, by how they begin. What iterators have too counts only with an argument that theirs never have.
const CALLS: [&str; 13] = [
    "Query::new(",
    "::select()",
    "columns::changes(",
    ".filter_if(",
    ".filter_any(",
    ".filter_row(",
    ".only(",
    ".matching(",
    ".matching_either(",
    ".matching_neither(",
    ".ordered(",
    ".set_as(",
    ".set_to(",
];

/// The lines of a source, counted from 1, where a fragment is added.
fn fragments(source: &str) -> BTreeSet<u32> {
    let code = source.split("#[cfg(test)]").next().unwrap();
    let mut at: Vec<usize> = CALLS
        .iter()
        .flat_map(|call| code.match_indices(call))
        .map(|(start, call)| start + call.find(['.', ':']).unwrap())
        .collect();
    for (start, call) in [".filter(", ".join("].iter().flat_map(|call| code.match_indices(*call)) {
        let argument = code[start + call.len()..].trim_start();
        let joins = argument.starts_with("\"join") || argument.starts_with("\"left join");
        let behind_name = argument.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
        let filters = argument.starts_with(['"', '&']) || behind_name.starts_with(',');
        if (call == ".join(" && joins) || (call == ".filter(" && filters) {
            at.push(start);
        }
    }
    for (start, call) in [".all", ".page", ".locked_by", ".maybe"].iter().flat_map(|call| code.match_indices(*call)) {
        let rest = &code[start + call.len()..];
        let rest = if rest.starts_with("::<") {
            rest.split_once(">(").map_or("", |(_, rest)| rest)
        } else {
            rest.strip_prefix('(').unwrap_or("")
        };
        let rest = rest.trim_start();
        if rest.starts_with("tx,") || (call == ".maybe" && rest.starts_with("tx)")) {
            at.push(start);
        }
    }
    at.into_iter().map(|at| code[..at].matches('\n').count() as u32 + 1).collect()
}

#[test]
fn fragments_are_told_from_what_iterators_do() {
    let source = r#"
        Batch::select()
            .filter("(key = {})", key)
            .filter(WITH_WORD, word)
            .maybe::<Batch>(tx)
            .await;
        query = query.join("join tag on tag.key = {}", tag).only("active");
        rows.iter().filter(|row| row.active).filter(is_new).collect::<Vec<_>>().join(", ");
        tx.all(sql!("select key from batch"), &[]).await;
    "#;
    assert_eq!(fragments(source), BTreeSet::from([2, 3, 4, 5, 7]));
}
