//! Stock that many clients move at the same time.

use serde_json::{Value, json};

use crate::events::{self, Admin, CLIENTS, Floors, Spent};
use crate::load::Figures;
use crate::millis;
use crate::replay;
use crate::report::{Report, Row};
use crate::server::{Place, Server};

/// More than all clients together can move.
const PLENTY: i64 = 1_000_000_000;
/// The product and the position of the stock that all clients take from.
const SHARED: &str = "shared";

pub async fn measure(place: &Place, report: &mut Report) {
    let place = place.another("bench_transfers").await;
    stock_up(&place).await;
    place.settle().await;
    apart(&place, report).await;
    together(&place, report).await;
    place.remove().await;
}

/// The product of a client, where it is taken from and where it is brought to. The floor finds them by these names.
fn product(client: usize) -> String {
    format!("moved-{client:02}")
}

fn source(client: usize) -> String {
    format!("from-{client:02}")
}

fn target(client: usize) -> String {
    format!("to-{client:02}")
}

fn transfer(product: &str, from: &str, to: &str) -> Value {
    json!({
        "event_type": "MOVEMENT_COMPLETED",
        "movement_type": "transfer",
        "product_key": product,
        "position_from": from,
        "position_to": to,
        "qt_confirmed": 1,
    })
}

/// Makes what is moved. Each product is moved once, so that there is stock of it in both positions.
async fn stock_up(place: &Place) {
    let server = Server::start(place);
    let mut admin = Admin::new(&server).await;
    receive(&mut admin, SHARED, SHARED).await;
    for client in 0..CLIENTS {
        let (product, source, target) = (product(client), source(client), target(client));
        receive(&mut admin, &product, &source).await;
        admin.post("/position", json!({ "_key": target, "code": target })).await;
        admin.post("/event", transfer(&product, &source, &target)).await;
        admin.post("/event", transfer(SHARED, SHARED, &target)).await;
    }
}

/// Makes a product and a position with plenty of it.
async fn receive(admin: &mut Admin, product: &str, position: &str) {
    admin.post("/product", json!({ "_key": product, "code": product })).await;
    admin.post("/position", json!({ "_key": position, "code": position })).await;
    let receipt = json!({
        "event_type": "MOVEMENT_COMPLETED",
        "movement_type": "receipt",
        "product_key": product,
        "position_to": position,
        "qt_confirmed": PLENTY,
    });
    admin.post("/event", receipt).await;
}

/// Nobody waits for another, against what the engine does by itself.
async fn apart(place: &Place, report: &mut Report) {
    let (mut figures, mut spent) = (Figures::default(), Spent::default());
    let mut floors = Floors::default();
    for _ in 0..3 {
        floors.measure(place, &replay::TRANSFER).await;
        let own = |client: usize, _: usize| transfer(&product(client), &source(client), &target(client));
        events::send(place, own, &mut figures, &mut spent).await;
    }
    let work = format!("durable stock transfers, {CLIENTS} clients, each with its own product and positions");
    floors.report(place, report, &work, &figures, &spent, 1.0);
}

/// All take from the same stock.
async fn together(place: &Place, report: &mut Report) {
    let (mut figures, mut spent) = (Figures::default(), Spent::default());
    let shared = |client: usize, _: usize| transfer(SHARED, SHARED, &target(client));
    events::send(place, shared, &mut figures, &mut spent).await;
    report.add(Row {
        engine: place.engine(),
        work: format!("durable stock transfers, {CLIENTS} clients who all take from the same stock"),
        measured: format!(
            "{:.0} events/s, p99 {}; processor time of a request: {}",
            figures.per_second(),
            millis(figures.percentile(99)),
            spent.told(place)
        ),
        floor: String::new(),
        ratio: String::new(),
        goal: "",
    });
}
