use std::collections::HashMap;

use domain::filter::{Condition, FieldCondition, Operator};
use domain::form::FieldKind;
use domain::key::{
    BatchKey, FieldKey, JobKey, LinkKey, MovementKey, PhaseKey, PositionKey, ProductId, ProductKey, SerialKey, WipKey,
    WorkOrderKey,
};
use domain::search::Pattern;
use domain::serial::{Link, Parent, Serial, SerialState, SerialValue};
use serde_json::json;
use store::organisation::accounts;
use store::product::products;
use store::production::unit_wip::{self, MadeUnit, Origin};
use store::production::{batch_units, work_orders};
use store::serial::recall::{self, Suspected};
use store::serial::references::References;
use store::serial::search::{self, Fields, Sort, Wanted};
use store::serial::trace::{self, Which};
use store::serial::{as_built, evidence, links, record, serials, tree, work};
use store::{Db, Page, StoreError, Tx};

use super::run;
use super::samples::{NOW, PAGE, text, user};

pub(super) fn kinds() -> HashMap<FieldKey, FieldKind> {
    HashMap::from([(FieldKey::trusted("weight"), FieldKind::Number)])
}

pub(crate) fn serial(key: i64) -> Serial {
    let weight = SerialValue {
        custom_field_key: Some(FieldKey::trusted("weight")),
        value: json!(1.5),
        ..SerialValue::default()
    };
    Serial {
        key: SerialKey(key),
        rev: 1,
        code: (key > 1).then(|| format!("S-{key}")),
        product_id: ProductId(1),
        product_key: ProductKey::trusted("P"),
        wo_key: Some(WorkOrderKey(1)),
        counter_key: None,
        created: NOW,
        created_by: user(),
        released: None,
        released_by: None,
        scrapped: None,
        scrapped_by: None,
        scrap_reason: None,
        deleted: None,
        deleted_by: None,
        data: vec![weight],
    }
}

pub(crate) fn link(key: i64, parent: Parent, child: i64) -> Link {
    let (parent_key, parent_batch_key) = match parent {
        Parent::Serial(key) => (Some(key), None),
        Parent::Batch(key) => (None, Some(key)),
    };
    Link {
        key: LinkKey(key),
        rev: 1,
        parent_key,
        parent_batch_key,
        child_key: SerialKey(child),
        component_key: ProductKey::trusted("P"),
        wo_key: Some(WorkOrderKey(1)),
        phase_key: None,
        job_key: None,
        batch_key: Some(BatchKey(1)),
        confirmed: true,
        replaced: false,
        reason: None,
        linked: Some(NOW),
        linked_by: Some(user()),
        unlinked: None,
        unlinked_by: None,
        movement_key: None,
    }
}

fn origin() -> Origin {
    Origin { work_order_key: WorkOrderKey(1), from_phase: PhaseKey(1), to_phase: PhaseKey(2), batch_key: BatchKey(1) }
}

fn unit(key: i64, serial: i64) -> MadeUnit {
    MadeUnit { key: WipKey(key), serial_key: SerialKey(serial), value: None }
}

/// More than go by one statement.
const MANY: i64 = 300;

async fn fill(tx: &mut Tx) -> Result<(), StoreError> {
    serials::insert_all(tx, &[serial(1)], &kinds()).await?;
    serials::insert_all(tx, &[serial(2), serial(3), serial(4)], &kinds()).await?;
    let many: Vec<Serial> = (5..MANY).map(serial).collect();
    serials::insert_all(tx, &many, &kinds()).await?;
    links::insert(tx, &link(1, Parent::Serial(SerialKey(1)), 2)).await?;
    links::insert(tx, &link(2, Parent::Serial(SerialKey(2)), 3)).await?;
    links::insert(tx, &link(3, Parent::Batch(BatchKey(1)), 4)).await
}

/// A serial that is stored, changed and read back.
async fn save(tx: &mut Tx) -> Result<(), StoreError> {
    let before = serials::lock(tx, SerialKey(5)).await?.expect("it is there");
    assert_eq!(before, serial(5));
    let mut after = Serial { code: Some("OTHER".to_owned()), data: Vec::new(), ..before.clone() };
    serials::save(tx, &before, &mut after, &kinds()).await?;
    assert_eq!(serials::lock(tx, SerialKey(5)).await?, Some(after));
    let mut link = links::active_of(tx, SerialKey(4)).await?.expect("it is there");
    link.reason = Some("why".to_owned());
    links::save(tx, &mut link).await
}

fn wanted() -> Wanted {
    let condition = |condition| FieldCondition { field_key: FieldKey::trusted("weight"), condition };
    let conditions = vec![
        condition(Condition::Equals("a".to_owned())),
        condition(Condition::Contains("a".to_owned())),
        condition(Condition::Between(Some("a".to_owned()), Some("b".to_owned()))),
    ];
    Wanted {
        keys: vec![1],
        product_keys: text("P"),
        wo_keys: vec![1],
        created_by: text("mario"),
        states: SerialState::ALL.to_vec(),
        code: Some(Pattern::wildcard("s-*")),
        contained_in: Some(vec![1]),
        containing: Some(vec![1]),
        product_code: Some(Pattern::substring("p")),
        wo_code: Some(Pattern::substring("w")),
        project_code: Some(Pattern::substring("x")),
        created_from: Some(NOW),
        created_to: Some(NOW),
        released_from: Some(NOW),
        released_to: Some(NOW),
        released_only: true,
        deleted_too: false,
        fields: Some(Fields { operator: Operator::Or, conditions }),
    }
}

pub(super) async fn run(db: &Db) {
    let choice = serials::Choice {
        code: Some(Pattern::substring("s-2")),
        wo_key: Some(WorkOrderKey(1)),
        product_key: Some(ProductKey::trusted("P")),
        batch_key: Some(BatchKey(1)),
        free_only: true,
        in_stock_only: true,
        in_position: Some(PositionKey::trusted("A1")),
        include_unreleased: false,
    };
    let waiting =
        work::Waiting { wo_key: Some(WorkOrderKey(1)), job_key: Some(JobKey(1)), phase_key: Some(PhaseKey(1)) };
    let free = work::Waiting { wo_key: Some(WorkOrderKey(1)), ..work::Waiting::default() };
    let by_part = Wanted { code: Some(Pattern::substring("s-2")), ..Wanted::default() };
    let suspected = Suspected {
        product_key: Some(ProductKey::trusted("P")),
        code: Some(Pattern::wildcard("s-*")),
        wo_key: Some(WorkOrderKey(1)),
        batch_key: Some(BatchKey(1)),
        ended_too: false,
    };
    let once = Suspected { ended_too: true, ..suspected.clone() };
    run!(db, tx:
        fill(tx),
        save(tx),
        serials::view(tx, SerialKey(1)),
        serials::views_of(tx, &[1, 2]),
        serials::with_code(tx, "S-2", Some(&ProductKey::trusted("P"))),
        serials::of_batch(tx, BatchKey(1)),
        serials::choose(tx, &choice, &PAGE),
        serials::lock_all(tx, &[1, 2]),
        serials::lock_keys(tx, &[1, 2]),
        serials::live(tx, &[1, 2]),
        serials::used(tx, &[1, 2]),
        serials::in_wip(tx, &[1, 2]),
        serials::in_active_batch(tx, &[1, 2]),
        serials::set_codes(tx, &[(SerialKey(1), "NEW".to_owned())]),
        serials::release(tx, &[1], NOW, &user()),
        serials::scrap(tx, &[1], NOW, &user(), "why"),
        serials::has_history(tx, SerialKey(1)),
        serials::remove(tx, SerialKey(6)),
        serials::keys_of_codes(tx, ProductId(1), &text("S-2")),
        serials::keys_with_codes(tx, &text("S-2")),
        serials::save_all(tx, &mut [serial(2)], &kinds()),
        serials::without_trace(tx, &[1, 2]),
        serials::delete(tx, &[5], NOW, &user()),
        serials::remove_all(tx, &[99]),
        batch_units::of_batch(tx, BatchKey(1)),
        batch_units::contains(tx, BatchKey(1), SerialKey(4)),
        batch_units::add(tx, BatchKey(1), &[SerialKey(4)]),
        batch_units::remove(tx, BatchKey(1), &[4]),
        unit_wip::declare(tx, &origin(), &[unit(90, 3), unit(91, 4)]),
        unit_wip::free_in_front(tx, WorkOrderKey(1), PhaseKey(2), &[3]),
        unit_wip::book(tx, WorkOrderKey(1), PhaseKey(2), JobKey(1), &[3]),
        unit_wip::booked(tx, &[3]),
        unit_wip::unbook(tx, JobKey(1), &[3]),
        unit_wip::free_of(tx, &[1]),
        unit_wip::taken_of(tx, &[1]),
        unit_wip::orders_of(tx, &[3]),
        unit_wip::orders_concerned(tx, &[3]),
        unit_wip::take_out(tx, &[4]),
        unit_wip::give_back(tx, BatchKey(1)),
        unit_wip::withdraw(tx, BatchKey(1)),
        links::active_below_all(tx, &[1]),
        links::temporary_of_batch(tx, BatchKey(1)),
        links::counts_below(tx, &[1]),
        links::confirm_all(tx, &[99], NOW, &user()),
        links::remove_all(tx, &[99]),
        links::active_of_batches(tx, &[1]),
        links::set_movements(tx, &[(LinkKey(99), MovementKey(1))]),
        links::last_end_of(tx, &[2]),
        links::active_to(tx, &[2]),
        serials::in_production(tx, &[2]),
        links::last_end(tx, SerialKey(2)),
        links::active_below(tx, Parent::Serial(SerialKey(1))),
        links::active_below(tx, Parent::Batch(BatchKey(1))),
        links::active_of_batch(tx, BatchKey(1)),
        links::above_all(tx, &[3], NOW),
        links::levels_above(tx, &[3]),
        links::levels_below(tx, &[1]),
        links::insert_all(tx, &[link(7, Parent::Serial(SerialKey(1)), 5)]),
        links::remove(tx, LinkKey(9)),
        evidence::units(tx, &[1, 2]),
        evidence::phases(tx, &[1]),
        evidence::batches_of(tx, &[1, 4]),
        evidence::work_of(tx, &[1]),
        evidence::files(tx, &[SerialKey(1)]),
        evidence::parts(tx, &[1, 2]),
        evidence::complete_orders(tx, &[1]),
        evidence::complete_products(tx, &[1]),
        References::load(tx, [(Some(WorkOrderKey(1)), ProductId(1)), (None, ProductId(1))].into_iter()),
        tree::above(tx, SerialKey(3), None),
        tree::above(tx, SerialKey(3), Some(NOW)),
        tree::below(tx, Parent::Serial(SerialKey(1)), None),
        tree::below(tx, Parent::Serial(SerialKey(1)), Some(NOW)),
        tree::below(tx, Parent::Batch(BatchKey(1)), None),
        tree::below(tx, Parent::Batch(BatchKey(1)), Some(NOW)),
        tree::children(tx, SerialKey(1)),
        tree::below_active(tx, SerialKey(1)),
        record::with_values(tx, &[1]),
        record::with_files(tx, &text("1")),
        record::orders(tx, &[1]),
        record::phases(tx, &[1]),
        record::batches(tx, &[1]),
        record::steps(tx, &[1]),
        record::files(tx, &text("1")),
        record::events(tx, &[SerialKey(1)]),
        accounts::named(tx, &text("mario")),
        tree::needs_of_products(tx, &[1]),
        trace::above(tx, &[2, 3], Which::Active),
        trace::above(tx, &[2, 3], Which::AsOf(NOW)),
        trace::above(tx, &[2, 3], Which::Ever),
        trace::below(tx, &[1, 2], Which::Active),
        trace::below(tx, &[1, 2], Which::AsOf(NOW)),
        trace::below(tx, &[1, 2], Which::Ever),
        trace::below_at_most(tx, &[1, 2], Which::Active, 1),
        trace::below_at_most(tx, &[1, 2], Which::AsOf(NOW), 1),
        trace::below_at_most(tx, &[1, 2], Which::Ever, 1),
        trace::units(tx, &[1, 2]),
        trace::standings(tx, &[1, 2]),
        trace::batches(tx, &[1]),
        recall::suspects(tx, &suspected),
        recall::suspects(tx, &once),
        recall::above(tx, &[SerialKey(3), SerialKey(4)], false),
        recall::above(tx, &[SerialKey(3), SerialKey(4)], true),
        recall::listed(tx, &[1, 2]),
        recall::serials(tx, &[1, 2]),
        recall::batches(tx, &[1]),
        as_built::units(tx, ProductId(1), &PAGE),
        as_built::units_of(tx, ProductId(1), &[1, 2]),
        as_built::parts(tx, &[1, 2]),
        as_built::planned(tx, ProductId(1)),
        work::built_in_for_order(tx, &[1]),
        work::built_into_batch(tx, BatchKey(1)),
        work::waiting(tx, &waiting),
        work::waiting(tx, &free),
        search::keys_of_code(tx, &Pattern::substring("s-2"), 10),
        search::search(tx, &by_part, (Sort::Created, true), &Page { count: false, ..PAGE }),
        products::find_all(tx, &text("P")),
        products::counters_of(tx, &[1]),
        work_orders::is_traced(tx, WorkOrderKey(1)),
    );
    for sort in [Sort::Created, Sort::Released, Sort::Code, Sort::ProductCode, Sort::WorkOrderCode, Sort::ProjectCode] {
        run!(db, tx: search::search(tx, &wanted(), (sort, true), &PAGE), search::search(tx, &Wanted::default(), (sort, false), &PAGE));
    }
}
