//! The history record of a unit with many components.

use serde_json::{Value, json};

use super::units::{make_traced, traced};
use crate::events::Admin;
use crate::load::{self, Client};
use crate::report::{Report, Row};
use crate::server::{Place, Server};

const COMPONENTS: usize = 200;
/// Products that they are units of.
const PRODUCTS: usize = 20;
const UNIT: &str = "UNIT";

pub async fn measure(place: &Place, report: &mut Report) {
    let place = place.another("bench_record").await;
    let unit = build(&place).await;
    place.settle().await;
    let server = Server::start(&place);
    let token = server.sign_in().await;
    let mut client = Client::connect(&server.address).await;
    for (format, begins, goal) in [("pdf", "%PDF", "under 300 ms"), ("json", "{", ""), ("zip", "PK", "")] {
        let request = load::get(&format!("/api/serial/{unit}/dhr?format={format}"), Some(&token));
        let (status, answer) = client.answer(&request).await;
        assert!(status == 200 && answer.starts_with(begins), "{format}, {status}: {answer}");
        if format == "json" {
            assert_eq!(answer.matches(r#""link_key":""#).count(), COMPONENTS, "the record is complete");
        }
        let bytes: f64 = client.header("content-length").expect("a file has a length").parse().expect("a number");
        let figures = client.repeat(&request).await;
        let kilobytes = bytes / 1e3;
        let work = format!("history record of a unit with {COMPONENTS} components as {format}, {kilobytes:.0} kB");
        report.add(Row::timed(place.engine(), work, &figures, None, goal));
    }
    drop(server);
    place.remove().await;
}

/// Makes a unit by the events of its components; gives its key.
async fn build(place: &Place) -> String {
    let server = Server::start(place);
    let mut admin = Admin::new(&server).await;
    let part = |number: usize| format!("PART-{number:02}");
    let products = [UNIT.to_owned()].into_iter().chain((0..PRODUCTS).map(part)).map(|key| {
        let mut product = traced(&key);
        product["description"] = json!(format!("{key} of the unit with {COMPONENTS} components"));
        product
    });
    make_traced(&mut admin, products).await;
    let each = COMPONENTS / PRODUCTS;
    let lines: Value = (0..PRODUCTS).map(|number| json!({ "component_key": part(number), "qt": each })).collect();
    admin.send("PUT", &format!("/product/{UNIT}/bom"), lines).await;
    let unit = create(&mut admin, UNIT, 1).await.remove(0);
    for number in 0..PRODUCTS {
        for child in create(&mut admin, &part(number), each).await {
            let linked = json!({ "event_type": "SERIAL_LINKED", "child_serial_key": child, "parent_serial_key": unit });
            admin.post("/event", linked).await;
        }
    }
    unit
}

/// Makes so many serials of a product; gives their keys.
async fn create(admin: &mut Admin, product: &str, count: usize) -> Vec<String> {
    let codes: Value = (0..count).map(|number| format!("{product}-{number:04}")).collect();
    let created = json!({ "event_type": "SERIAL_CREATED", "product_key": product, "codes": codes });
    let answer = admin.post("/event", created).await;
    let serials = answer["detail"]["serials"].as_array().expect("serials");
    serials.iter().map(|serial| serial["serial_key"].as_str().expect("a key").to_owned()).collect()
}
