//! What counters do not see: by every way in which it could be told.

use testkit::on_both_engines;

use super::*;

/// What is left out of a row for somebody who does not see quantities.
const HIDDEN: [&str; 5] = ["system_qt", "delta", "delta_value", "system_serial_keys", "system_serials"];

/// Which of these members the record of a session has for somebody.
async fn seen(who: &Person, session: &str) -> Vec<&'static str> {
    let rows = who.get(&format!("{RECORDS}?count_session_key={session}")).await.expect(200).body;
    let rows = rows.as_array().unwrap();
    assert!(!rows.is_empty());
    HIDDEN.into_iter().filter(|name| rows.iter().any(|row| row.get(name).is_some())).collect()
}

/// A session with these flags, in which seven pieces and two units were counted as six and one.
async fn counted(hall: &Hall, quantities: bool, serials: bool) -> String {
    let session = hall.planned(json!({ "blind_quantities": quantities, "blind_serials": serials })).await;
    hall.step(&session, "STARTED").await.expect(200);
    let unit = text(&hall.depot.get("/inventory?serial_search=S-1").await[0]["serial_key"]);
    count(&hall.x, &session, "P", "A1", json!(6)).await;
    count(&hall.x, &session, "T", "A1", json!([unit])).await;
    session
}

async fn filled(site: &Site) -> Hall {
    let hall = hall(site).await;
    hall.depot.received("A1", 7.0).await;
    for code in ["S-1", "S-2"] {
        hall.depot.received_unit("A1", code).await;
    }
    hall
}

on_both_engines! {
    async fn counters_see_what_stock_says_when_it_is_over(site) {
        let hall = filled(site).await;
        let flags = [
            (true, true, vec![]),
            (true, false, vec![]),
            (false, true, vec!["system_qt", "delta", "delta_value"]),
            (false, false, HIDDEN.to_vec()),
        ];
        for (quantities, serials, wanted) in flags {
            let session = counted(&hall, quantities, serials).await;
            for step in ["", "COMPLETED"] {
                if !step.is_empty() {
                    hall.step(&session, step).await.expect(200);
                }
                assert_eq!(seen(&hall.x, &session).await, wanted, "{quantities} {serials} {step}");
                assert_eq!(seen(hall.keeper(), &session).await, HIDDEN, "who may apply it sees all");
            }
            hall.step(&session, "CANCELED").await.expect(200);
            assert_eq!(seen(&hall.x, &session).await, HIDDEN, "it is over");
        }
        let session = counted(&hall, true, true).await;
        keep_from_applying(site, &session).await;
        hall.step(&session, "COMPLETED").await.expect(200);
        hall.step(&session, "CONFIRMED").await.expect(200);
        assert_eq!(seen(&hall.x, &session).await, Vec::<&str>::new(), "not while stock is corrected");
        let_go(site).await;
        applied(site, hall.keeper(), &session).await;
        assert_eq!(seen(&hall.x, &session).await, HIDDEN);
        let rows = hall.x.get(&format!("{RECORDS}?count_session_key={session}&product_key=P")).await.body;
        assert_eq!((&rows[0]["system_qt"], &rows[0]["delta"]), (&json!(7), &json!(-1)));
    }

    async fn exports_are_as_blind_as_lists(site) {
        let hall = filled(site).await;
        for (quantities, serials) in [(true, true), (true, false), (false, true)] {
            let session = counted(&hall, quantities, serials).await;
            let query = format!("count_session_key={session}");
            let all = table(FileKind::Csv, &export(hall.keeper(), &query).await);
            assert_eq!(all.column("serial_code"), ["", "S-1", "S-2"], "{all:?}");
            assert_eq!(all.column("counted_qt"), ["6", "1", "0"]);
            for (query, kind) in [(query.clone(), FileKind::Csv), (format!("{query}&format=xlsx"), FileKind::Xlsx)] {
                let shown = table(kind, &export(&hall.x, &query).await);
                assert_eq!(shown.column("serial_code"), ["", "S-1"], "a unit that was not found would tell: {shown:?}");
                if quantities {
                    for name in ["system_qt", "delta"] {
                        assert!(shown.column(name).iter().all(|cell| cell.is_empty()), "{name}: {shown:?}");
                    }
                }
            }
            hall.step(&session, "CANCELED").await.expect(200);
        }
    }

    /// The seven of stock and what is missing of it are in no text that a counter gets to read.
    /// Who may not read stock does not learn it from what is refused.
    async fn refused_movements_tell_nothing_of_stock(site) {
        let hall = filled(site).await;
        let strict = site.user("strict", "traceability:event:create inventory:count:read").await;
        strict.get("/inventory").await.expect(403);
        let ship = json!({ "movement_type": "shipment", "product_key": "P", "position_from": "A1", "qt_confirmed": 1_000_000 });
        let told = rule(event(&strict, "MOVEMENT_COMPLETED", ship.clone()).await, "InventoryMovementException", "insufficient_stock");
        assert!(told.get("available").is_none(), "{told}");
        let told = rule(event(&hall.x, "MOVEMENT_COMPLETED", ship).await, "InventoryMovementException", "insufficient_stock");
        assert!(told["available"].is_number(), "{told}");
    }

    async fn events_tell_nothing_of_stock(site) {
        let hall = filled(site).await;
        hall.depot.admin.patch("/product/P", json!({ "description": "bolts" })).await.expect(200);
        hall.depot.moved("receipt", json!({ "product_key": "P", "position_to": "A1", "qt_confirmed": 76_543.5 })).await;
        let session = hall.started().await;
        let answers = [
            begin(&hall.x, &session, "P", "A1").await.expect(200),
            begin(&hall.x, &session, "T", "A1").await.expect(200),
        ];
        let records = answers.iter().map(|answer| text(&answer.body["detail"]["count_record_key"])).collect::<Vec<_>>();
        let done = [
            complete(&hall.x, &records[0], json!(6)).await.expect(200),
            complete(&hall.x, &records[1], json!([])).await.expect(200),
            empty(&hall.x, &session, "A2").await.expect(200),
            hall.x.get(&format!("{SESSIONS}/{session}")).await.expect(200),
            hall.x.get(SESSIONS).await.expect(200),
            hall.x.get("/event?type=COUNT_STARTED").await.expect(200),
            hall.x.get("/event?type=COUNT_COMPLETED").await.expect(200),
            hall.x.get(RECORDS).await.expect(200),
            refused_again(&hall, &session).await,
        ];
        for answer in answers.iter().chain(&done) {
            for hidden in ["system_qt", "system_serial", "76550", "76543", "-76", "S-1", "S-2"] {
                assert!(!answer.text.contains(hidden), "{hidden} is in {}", answer.text);
            }
        }
        let payloads: Vec<String> = site.all("select payload from event where event_type like 'COUNT%' or event_type like 'POSITION%'").await;
        assert!(payloads.len() > 4, "{}", payloads.len());
        for payload in payloads {
            assert!(!payload.contains("system_") && !payload.contains("7655"), "{payload}");
        }
        let noted: Vec<String> = site.all("select summary from audit").await;
        assert!(noted.iter().all(|summary| !summary.contains("76550")), "{noted:?}");
    }
}

/// A second count while the first one is open, which is refused.
async fn refused_again(hall: &Hall, session: &str) -> Answer {
    begin(&hall.x, session, "P", "A1").await.expect(200);
    let answer = begin(&hall.x, session, "P", "A1").await;
    assert_eq!(answer.status, 422);
    answer
}
