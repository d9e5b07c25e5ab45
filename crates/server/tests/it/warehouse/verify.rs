//! Whether stock is what the movements say.

use testkit::on_both_engines;

use super::*;
use crate::process::tracewright;

/// A completed movement, which no rule has looked at.
async fn moved(site: &Site, key: i64, from: &'static str, to: &'static str, quantity: i64) {
    let movement = "insert into movement (
                        key, type, status, from_key, to_key, product_id, qt_planned, qt_confirmed, owned, created, start_at, end_at, user_key
                    )
                    select $1, 'transfer', 'completed', $2, $3, id, $4, $4, true, $1, $1, $1, 'keeper' from product where key = 'bolt'";
    site.execute(movement, vec![key.into(), from.into(), to.into(), quantity.into()]).await;
}

/// 12.5 came, 2.25 went from A1 to A2, 3 left, and 1 was found at A2.
async fn filled(site: &Site) -> Person {
    let (admin, keeper) = (site.admin().await, keeper(site).await);
    shelves(&keeper).await;
    product(&admin, "bolt").await;
    product(&admin, "nut").await;
    moved(site, 1, "OUT", "A1", 12_500_000).await;
    moved(site, 2, "A1", "A2", 2_250_000).await;
    moved(site, 3, "A1", "OUT", 3_000_000).await;
    moved(site, 4, "A2", "A2", 1_000_000).await;
    stock(site, 1, "bolt", "A1", 7_250_000).await;
    stock(site, 2, "bolt", "A2", 3_250_000).await;
    keeper
}

async fn verified(person: &Person, query: &str) -> Value {
    person.get(&format!("/inventory/verify{query}")).await.expect(200).body
}

/// The exit status of the command, and what it says.
async fn command(site: &Site) -> (i32, String) {
    let mut command = tracewright(&["verify"]);
    command.args(site.place.flags());
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

on_both_engines! {
    async fn stock_that_movements_explain_is_right(site) {
        let empty = verified(&site.admin().await, "").await;
        assert_eq!((&empty["ok"], &empty["stock_rows"], &empty["movements"]), (&json!(true), &json!(0), &json!(0)));
        let keeper = filled(site).await;
        let found = verified(&keeper, "").await;
        assert_eq!(found["checked_at"], json!(site.clock.now()));
        assert_eq!((&found["ok"], &found["stock_rows"], &found["movements"]), (&json!(true), &json!(2), &json!(4)), "{found}");
        assert_eq!((&found["differences"], &found["problems"]), (&json!([]), &json!([])));
        let other = verified(&keeper, "?product_key=nut").await;
        assert_eq!((&other["ok"], &other["stock_rows"], &other["movements"]), (&json!(true), &json!(0), &json!(0)));
        let (status, text) = command(site).await;
        assert!(status == 0 && text.contains("Compared 2 rows of stock with 4 completed movements"), "{text}");
    }

    async fn planned_and_canceled_movements_explain_nothing(site) {
        let keeper = filled(site).await;
        site.execute("update movement set status = 'planned', end_at = null where key = 3", vec![]).await;
        let found = verified(&keeper, "").await;
        assert_eq!((&found["ok"], &found["movements"]), (&json!(false), &json!(3)));
        assert_eq!(found["differences"][0]["journal_quantity"], json!(10.25));
    }

    async fn differences_are_named(site) {
        let keeper = filled(site).await;
        site.execute("update stock set quantity = 7250001 where key = 1", vec![]).await;
        site.execute("delete from stock where key = 2", vec![]).await;
        stock(site, 3, "nut", "A", 500_000).await;
        let found = verified(&keeper, "").await;
        let difference = |product: &str, position: &str, stock: Value, journal: Value| json!({
            "product_key": product, "product_code": product, "position_key": position, "position_code": position, "serial_key": null,
            "stock_quantity": stock, "journal_quantity": journal,
        });
        assert_eq!(found["ok"], false);
        assert_eq!(found["problems"], json!([]));
        assert_eq!(found["differences"], json!([
            difference("bolt", "A1", json!(7.250001), json!(7.25)),
            difference("bolt", "A2", json!(0), json!(3.25)),
            difference("nut", "A", json!(0.5), json!(0)),
        ]));
        assert_eq!(verified(&keeper, "?product_key=nut").await["differences"].as_array().unwrap().len(), 1);
        let (status, text) = command(site).await;
        assert!(status == 1 && text.contains("stock is not what the movements say in 3 places, first of product bolt at position A1"), "{text}");
    }

    async fn serials_are_compared_one_by_one(site) {
        let keeper = filled(site).await;
        let admin = site.admin().await;
        admin.post("/product", json!({ "_key": "motor", "code": "motor", "traceability_level": "form_only" })).await.expect(201);
        let made = json!({ "event_type": "SERIAL_CREATED", "product_key": "motor", "codes": ["S-1", "S-2"] });
        let made = admin.post("/event", made).await.expect(200).detail();
        let came = "insert into movement (
                        key, type, status, from_key, to_key, product_id, serial_key, qt_planned, qt_confirmed, owned, created, start_at, end_at, user_key
                    )
                    select serial.key, 'receipt', 'completed', 'OUT', 'A1', product_id, serial.key, 1000000, 1000000, true, 1, 1, 1, 'keeper' from serial";
        assert_eq!(site.execute(came, vec![]).await, 2);
        site.execute("insert into stock_pair (product_id, position_key) select id, 'A1' from product where key = 'motor'", vec![]).await;
        let unit = "insert into stock (key, product_id, position_key, serial_key, quantity)
                    select serial.key, serial.product_id, 'A1', serial.key, 1000000 from serial";
        site.execute(unit, vec![]).await;
        assert_eq!(verified(&keeper, "").await["ok"], true);
        site.execute("delete from stock where serial_key in (select key from serial where code = 'S-2')", vec![]).await;
        let found = verified(&keeper, "").await;
        assert_eq!(found["differences"].as_array().unwrap().len(), 1);
        assert_eq!(found["differences"][0]["serial_key"], made["serials"][1]["serial_key"]);
    }

    async fn rows_that_can_not_be_are_problems(site) {
        let keeper = filled(site).await;
        site.execute("update stock_pair set counting = true, count_by = 'keeper' where position_key = 'A2'", vec![]).await;
        site.execute("update position set deleted = true where key = 'A1'", vec![]).await;
        let found = verified(&keeper, "").await;
        let problem = |kind: &str, position: &str| json!({ "kind": kind, "product_key": "bolt", "position_key": position, "serial_key": null });
        assert_eq!((&found["ok"], &found["differences"]), (&json!(false), &json!([])));
        assert_eq!(found["problems"], json!([problem("bad_position", "A1"), problem("stale_flag", "A2")]));
        let (status, text) = command(site).await;
        assert!(status == 1 && text.contains("2 rows of stock are wrong, first that of product bolt at position A1: bad_position"), "{text}");
    }

    async fn stock_below_zero_is_right_where_it_was_allowed(site) {
        let keeper = filled(site).await;
        moved(site, 5, "A1", "OUT", 8_250_000).await;
        site.execute("update stock set quantity = -1000000, negative_allowed = true where key = 1", vec![]).await;
        assert_eq!(verified(&keeper, "").await["ok"], true);
    }
}
