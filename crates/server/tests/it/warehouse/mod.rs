//! The warehouse through HTTP: positions, and the movements that change what lies there.

mod corrections;
pub(crate) mod depot;
mod effects;
mod inventory;
mod lists;
mod movement_reads;
mod movements;
mod positions;
mod positions_together;
mod random;
mod reading;
mod refusals;
mod reversals;
pub(crate) mod sums;
mod tables;
pub(crate) mod together;
mod verify;

use testkit::{Answer, Person, Site, Value, json};

/// Somebody who may do everything with positions.
pub(crate) async fn keeper(site: &Site) -> Person {
    site.user("keeper", "warehouse").await
}

/// Makes a position whose code is its key.
pub(crate) async fn make(keeper: &Person, key: &str, parent: &str) -> Value {
    let position = json!({ "_key": key, "code": key, "parent_position_key": parent });
    keeper.post("/position", position).await.expect(200).detail()
}

/// A, with A1 and A2 in it.
pub(crate) async fn shelves(keeper: &Person) {
    make(keeper, "A", "IN").await;
    for key in ["A2", "A1"] {
        make(keeper, key, "A").await;
    }
}

/// Puts a quantity of a product into a position, in millionths; no event does so yet.
async fn stock(site: &Site, key: i64, product: &str, position: &str, quantity: i64) {
    let pair = "insert into stock_pair (product_id, position_key) select id, $2 from product where key = $1";
    site.execute(pair, vec![product.into(), position.into()]).await;
    let row =
        "insert into stock (key, product_id, position_key, quantity) select $1, id, $3, $4 from product where key = $2";
    site.execute(row, vec![key.into(), product.into(), position.into(), quantity.into()]).await;
}

/// Makes a product whose code is its key.
async fn product(admin: &Person, key: &str) {
    admin.post("/product", json!({ "_key": key, "code": key })).await.expect(201);
}

/// The values of one member, row by row.
pub(crate) fn each(rows: &Value, member: &str) -> Vec<String> {
    let text = |row: &Value| row[member].as_str().unwrap_or_else(|| panic!("no {member} in {row}")).to_owned();
    rows.as_array().unwrap_or_else(|| panic!("no list: {rows}")).iter().map(text).collect()
}

/// The codes of a tree, each with what is in it.
fn codes(node: &Value) -> Value {
    let children: Vec<Value> = node["children"].as_array().unwrap().iter().map(codes).collect();
    json!([node["code"], children])
}

async fn tree(person: &Person, query: &str) -> Value {
    let answer = person.get(&format!("/position-hierarchy{query}")).await.expect(200).body;
    assert_eq!(answer.as_array().unwrap().len(), 1, "one tree");
    codes(&answer[0])
}

/// Checks that a rule refused it because of a loop, and gives the way.
#[track_caller]
fn cycle(answer: Answer) -> Value {
    let detail = answer.expect(422).body["detail"].clone();
    assert_eq!((&detail["error_type"], &detail["rule"]), (&json!("PositionCycleException"), &json!("cycle")));
    detail["path"].clone()
}
