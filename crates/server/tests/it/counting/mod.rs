//! Counting through HTTP: sessions, who counts what, what was counted, and how stock is corrected by it.

mod applying;
mod assignments;
mod blind;
mod completing;
mod conflicts;
mod crash;
mod export;
mod import;
mod positions;
mod random;
mod records;
mod resets;
mod sessions;
mod together;

use domain::key::id_from_text;
use sheet::FileKind;
use testkit::{Answer, Method, Person, Site, Value, form, json};

use crate::imports::{Table, table};
use crate::production::event;
use crate::serials::{rule, text};
use crate::warehouse::depot::{Depot, depot};
use crate::warehouse::{each, make, sums};

const SESSIONS: &str = "/inventory/count-session";
const ASSIGNMENTS: &str = "/inventory/count-assignment";
const RECORDS: &str = "/inventory/count-record";
/// Later than any test runs.
const FAR: i64 = 4_000_000_000_000;

/// A depot in which people count.
struct Hall {
    depot: Depot,
    /// Counts, and may do nothing else with counts.
    x: Person,
}

/// A1 and A2 in A, the product `P`, `T`, whose units are traced, and who counts.
async fn hall(site: &Site) -> Hall {
    Hall { depot: depot(site).await, x: counter(site, "x").await }
}

/// Somebody who counts, and may not apply it.
async fn counter(site: &Site, name: &str) -> Person {
    site.user(name, "operator").await
}

impl Hall {
    fn keeper(&self) -> &Person {
        &self.depot.keeper
    }

    async fn makes(&self, session: Value, assignments: Value) -> Answer {
        self.keeper().post(SESSIONS, json!({ "count_session": session, "assignments": assignments })).await
    }

    /// A planned session of positions, unless the members say something else.
    async fn planned(&self, members: Value) -> String {
        self.planned_for(members, json!([])).await
    }

    async fn planned_for(&self, members: Value, assignments: Value) -> String {
        let mut session = json!({ "type": "position" });
        session.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        text(&self.makes(session, assignments).await.detail()["count_session_key"])
    }

    /// A session in which people count.
    async fn started(&self) -> String {
        let session = self.planned(json!({})).await;
        self.step(&session, "STARTED").await.expect(200);
        session
    }

    /// Takes a session to its next state.
    async fn step(&self, session: &str, step: &str) -> Answer {
        step_by(self.keeper(), session, step).await
    }

    /// A session by its key.
    async fn read(&self, session: &str) -> Value {
        self.depot.get(&format!("{SESSIONS}/{session}")).await
    }

    /// A record by its key, as who may apply it sees it.
    async fn record(&self, key: &str) -> Value {
        let rows = self.depot.get(&format!("{RECORDS}?limit=10000")).await;
        let found = rows.as_array().unwrap().iter().find(|row| row["_key"] == key);
        found.unwrap_or_else(|| panic!("{key} is not among {rows}")).clone()
    }

    /// Ends the counting, confirms it and waits until stock is corrected; the session then.
    async fn apply(&self, site: &Site, session: &str) -> Value {
        self.step(session, "COMPLETED").await.expect(200);
        self.step(session, "CONFIRMED").await.expect(200);
        applied(site, self.keeper(), session).await
    }

    /// What the corrections of a session did: product, position, unit and quantity of each, by these.
    async fn corrections(&self, session: &str) -> Vec<String> {
        let list = self.read(session).await["adjustment_list_key"].clone();
        if list.is_null() {
            return Vec::new();
        }
        let rows = self.depot.get(&format!("/movement?list_key={}&limit=10000", text(&list))).await;
        let row = |row: &Value| {
            assert_eq!((&row["type"], &row["status"]), (&json!("adjustment"), &json!("completed")), "{row}");
            assert_eq!(row["references"]["inventory_count_session_key"], session, "{row}");
            let unit = row["serial_code"].as_str().unwrap_or("-");
            format!(
                "{} {} {unit} {}",
                row["product_code"].as_str().unwrap(),
                row["position_to_key"].as_str().unwrap(),
                row["qt_confirmed"]
            )
        };
        let mut rows: Vec<String> = rows.as_array().unwrap().iter().map(row).collect();
        rows.sort();
        rows
    }

    /// A unit of `T` that lies nowhere.
    async fn unit(&self, code: &str) -> String {
        let made = json!({ "product_key": "T", "code": code, "released": "2026-03-01T08:00:00Z" });
        text(&event(&self.depot.admin, "SERIAL_CREATED", made).await.detail()["serial_key"])
    }

    /// The codes of what lies in a position of `T`, in their order.
    async fn units_at(&self, position: &str) -> Vec<String> {
        each(&self.depot.get(&format!("/inventory?product_key=T&position_key={position}")).await, "serial_code")
    }
}

async fn step_by(who: &Person, session: &str, step: &str) -> Answer {
    event(who, &format!("COUNT_SESSION_{step}"), json!({ "count_session_key": session })).await
}

/// Begins to count a product at a position.
async fn begin(who: &Person, session: &str, product: &str, position: &str) -> Answer {
    let members = json!({ "count_session_key": session, "product_key": product, "position_key": position });
    event(who, "COUNT_STARTED", members).await
}

/// The same, which has to succeed; the record's key.
async fn begun(who: &Person, session: &str, product: &str, position: &str) -> String {
    text(&begin(who, session, product, position).await.detail()["count_record_key"])
}

/// Says what was counted: a quantity, or serials.
async fn complete(who: &Person, record: &str, counted: Value) -> Answer {
    let member = if counted.is_array() { "count_serial_keys" } else { "count_qt" };
    event(who, "COUNT_COMPLETED", json!({ "count_key": record, member: counted })).await
}

/// Counts a product at a position; the record's key.
async fn count(who: &Person, session: &str, product: &str, position: &str, counted: Value) -> String {
    let record = begun(who, session, product, position).await;
    complete(who, &record, counted).await.expect(200);
    record
}

async fn discard(who: &Person, record: &str) -> Answer {
    event(who, "COUNT_DISCARDED", json!({ "count_key": record })).await
}

async fn empty(who: &Person, session: &str, position: &str) -> Answer {
    let members = json!({ "count_session_key": session, "position_key": position });
    event(who, "POSITION_CONFIRMED_EMPTY", members).await
}

/// Waits until stock is corrected by a session, which it gives.
async fn applied(site: &Site, who: &Person, session: &str) -> Value {
    let path = format!("{SESSIONS}/{session}");
    site.eventually(async || {
        let shown = who.get(&path).await.expect(200).body;
        (shown["status"] != "processing").then_some(shown)
    })
    .await
}

/// Waits until no session corrects stock.
pub(crate) async fn settled(site: &Site) {
    site.eventually(async || {
        let open = "select count(*) from count_session where status = 'processing'";
        (site.look::<i64>(open, vec![]).await == Some(0)).then_some(())
    })
    .await;
}

/// Keeps the nodes from correcting stock by a session, as another node that works at it does.
async fn keep_from_applying(site: &Site, session: &str) {
    let id = id_from_text(session).unwrap();
    for name in [format!("count-apply:{session}"), format!("count-apply:{id}")] {
        let hold = "insert into lease (name, holder, until, epoch) values ($1, 'another node', $2, 1)";
        site.execute(hold, vec![name.into(), FAR.into()]).await;
    }
}

/// The other node is dead, and its time is up.
async fn let_go(site: &Site) {
    site.execute("delete from lease where holder = 'another node'", vec![]).await;
}

/// Checks that a rule of counting refused it, and gives the data.
#[track_caller]
fn refusal(answer: Answer, code: &str) -> Value {
    rule(answer, "CountException", code)
}

/// Checks that it is refused because of a state, which it tells.
#[track_caller]
fn wrong_state(answer: Answer, status: &str) {
    let told = refusal(answer, "wrong_state");
    assert_eq!(told["status"], status, "{told}");
}

/// What stands in the way of a confirmation.
#[track_caller]
fn conflicts(answer: Answer) -> Vec<Value> {
    let told = rule(answer, "CountConflictException", "conflicts");
    told["conflicts"].as_array().unwrap().clone()
}

/// Checks that a right is missing.
#[track_caller]
fn lacks(answer: Answer, scope: &str) {
    assert_eq!(answer.expect(403).body["detail"]["required_scope"], scope);
}

/// The first step of an import, answered in JSON.
async fn dry_run(who: &Person, session: &str, mode: &str, file: &str) -> Answer {
    let fields = [("count_session_key", session), ("import_mode", mode)];
    let request = who.request(Method::POST, &format!("{RECORDS}/import")).header("accept", "application/json");
    who.send(request.multipart(form(&fields, &[("file", "counts.csv", file.as_bytes())]))).await
}

/// The second step.
async fn execute(who: &Person, session: &str, mode: &str, file_key: &str) -> Answer {
    let fields = [("count_session_key", session), ("import_mode", mode), ("dry_run", "false"), ("file_key", file_key)];
    who.upload(Method::POST, &format!("{RECORDS}/import"), &fields, &[]).await
}

/// Both steps: what the dry run counted, and what was done.
async fn import(who: &Person, session: &str, mode: &str, file: &str) -> (Value, Value) {
    let tried = dry_run(who, session, mode, file).await.expect(200).body;
    assert_eq!(tried["status"], "valid", "{tried}");
    let done = execute(who, session, mode, tried["file_key"].as_str().unwrap()).await.detail();
    (tried, done)
}

impl Table {
    /// The cells of a column; none if it has no such column.
    pub(crate) fn column(&self, name: &str) -> Vec<&str> {
        let place = self.columns.iter().position(|column| column == name);
        place.map(|place| self.rows.iter().map(|row| row[place].as_str()).collect()).unwrap_or_default()
    }
}

async fn export(who: &Person, query: &str) -> Vec<u8> {
    let answer = who.media(&format!("/api{RECORDS}/export?{query}")).await;
    assert_eq!(answer.status(), 200);
    answer.bytes().await.unwrap().to_vec()
}

/// What is stored of counting agrees with itself and with stock, when nothing is being corrected.
async fn audit(site: &Site, reader: &Person) {
    sums::audit(site, reader).await;
    let none = async |what: &str, statement: &str| {
        assert_eq!(site.look::<i64>(statement, vec![]).await, Some(0), "{what}");
    };
    none(
        "marks without a count, or counts without a mark",
        "select count(*)
         from (select product_id, position_key from stock_pair where counting) as marked
         full join (select product_id, position_key from count_record where status = 'started') as begun
           on begun.product_id = marked.product_id and begun.position_key = marked.position_key
         where marked.product_id is null or begun.product_id is null",
    )
    .await;
    none(
        "locks of sessions that correct nothing",
        "select count(*)
         from stock_pair
         left join count_session on count_session.key = stock_pair.locked_by
         where locked and coalesce(status, '') <> 'processing'",
    )
    .await;
    none(
        "open counts of sessions in which nobody counts",
        "select count(*)
         from count_record
         join count_session on count_session.key = count_record.session_key
         where count_record.status = 'started' and count_session.status <> 'started'",
    )
    .await;
    none(
        "live counts of one pair by one user",
        "select count(*)
         from (select session_key, product_id, position_key, user_key
               from count_record
               where status in ('completed', 'confirmed')
               group by session_key, product_id, position_key, user_key
               having count(*) > 1) as twice",
    )
    .await;
    none(
        "sessions that are over and not processed, or whose numbers are wrong",
        "select count(*)
         from count_session
         where status = 'applied'
           and (records_to_process <> (select count(*) from count_record
                                       where session_key = count_session.key and count_record.status = 'confirmed')
                or movements_created <> (select count(*) from movement where count_session_key = count_session.key)
                or exists (select 1 from count_record
                           where session_key = count_session.key and count_record.status = 'confirmed' and not processed)
                or baseline_snapshot_key is null or post_count_snapshot_key is null or post_adjustment_snapshot_key is null)",
    )
    .await;
    none(
        "corrections of goods by something else than the difference",
        "select count(*)
         from count_record
         join product on product.id = count_record.product_id
         where traceability_level is null and count_record.status = 'confirmed' and processed and error_details is null
           and counted_qt - system_qt <> (select coalesce(sum(qt_confirmed), 0) from movement
                                          where count_record_key = count_record.key)",
    )
    .await;
    none(
        "corrections by records that were not confirmed",
        "select count(*)
         from movement
         left join count_record on count_record.key = movement.count_record_key
         where movement.count_record_key is not null and coalesce(count_record.status, '') <> 'confirmed'",
    )
    .await;
}
