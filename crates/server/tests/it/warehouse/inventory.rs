//! `GET /inventory`: every filter, every form, and as a table.

use testkit::{Method, on_both_engines};

use super::*;

/// Product, position and quantity of each row.
async fn listed(person: &Person, query: &str) -> Vec<String> {
    let rows = person.get(&format!("/inventory?{query}")).await.expect(200).body;
    let row = |row: &Value| {
        format!(
            "{} {} {}",
            row["product_code"].as_str().unwrap(),
            row["position_code"].as_str().unwrap(),
            row["quantity"]
        )
    };
    rows.as_array().unwrap().iter().map(row).collect()
}

/// Two products without serials and one with two of them, in A1, A2, at IN itself, and at a supplier's.
async fn filled(site: &Site) -> Person {
    let (admin, keeper) = (site.admin().await, keeper(site).await);
    shelves(&keeper).await;
    make(&keeper, "supplier", "OUT").await;
    for key in ["bolt", "Nut"] {
        product(&admin, key).await;
    }
    site.execute("update product set unit = 'kg', description = 'M8' where key = 'bolt'", vec![]).await;
    stock(site, 1, "bolt", "A1", 7_250_000).await;
    stock(site, 2, "bolt", "A2", 2_250_000).await;
    stock(site, 3, "Nut", "IN", 1_000_000).await;
    stock(site, 4, "Nut", "supplier", 5_000_000).await;
    site.execute("update stock set owned = false where key = 3", vec![]).await;
    site.execute("update stock_pair set last_counted = 1767225600000 where position_key = 'A1'", vec![]).await;
    admin
        .post("/product", json!({ "_key": "motor", "code": "Motor", "traceability_level": "form_only" }))
        .await
        .expect(201);
    let made = json!({ "event_type": "SERIAL_CREATED", "product_key": "motor", "codes": ["S-2", "S-1"] });
    admin.post("/event", made).await.expect(200);
    site.execute(
        "insert into stock_pair (product_id, position_key) select id, 'A1' from product where key = 'motor'",
        vec![],
    )
    .await;
    let unit = "insert into stock (key, product_id, position_key, serial_key, quantity)
                select serial.key, serial.product_id, 'A1', serial.key, 1000000 from serial";
    assert_eq!(site.execute(unit, vec![]).await, 2);
    keeper
}

on_both_engines! {
    async fn rows_of_stock_are_narrowed_by_each_filter(site) {
        let keeper = filled(site).await;
        let all = ["bolt A1 7.25", "bolt A2 2.25", "Motor A1 1", "Motor A1 1", "Nut IN 1"];
        assert_eq!(listed(&keeper, "").await, all, "by product, ignoring case; a supplier's position is not below IN");
        assert_eq!(listed(&keeper, "root_position_key=OUT").await, ["Nut supplier 5"]);
        assert_eq!(listed(&keeper, "root_position_key=A").await, all[..4]);
        assert_eq!(listed(&keeper, "root_position_key=A2").await, ["bolt A2 2.25"]);
        assert_eq!(listed(&keeper, "root_position_key=nowhere").await, Vec::<String>::new());
        assert_eq!(listed(&keeper, "position_key=IN").await, ["Nut IN 1"]);
        assert_eq!(listed(&keeper, "position_key=supplier").await, Vec::<String>::new(), "it is not below the root");
        assert_eq!(listed(&keeper, "position_search=a2").await, ["bolt A2 2.25"]);
        assert_eq!(listed(&keeper, "position_search=A").await, all[..4], "A is on the way to A1 and A2");
        assert_eq!(listed(&keeper, "position_search=A*&root_position_key=A2").await, ["bolt A2 2.25"], "the root itself");
        assert_eq!(listed(&keeper, "position_search=A&root_position_key=OUT").await, Vec::<String>::new());
        assert_eq!(listed(&keeper, "product_key=Nut").await, ["Nut IN 1"]);
        assert_eq!(listed(&keeper, "product_search=*BOLT").await, all[..2]);
        assert_eq!(listed(&keeper, "serials_only=true").await, all[2..4]);
        assert_eq!(listed(&keeper, "serial_search=s-?").await, all[2..4]);
        assert_eq!(listed(&keeper, "owned=false").await, ["Nut IN 1"]);
        assert_eq!(listed(&keeper, "owned=true&product_search=nut").await, Vec::<String>::new(), "filters combine");
        assert_eq!(listed(&keeper, "limit=2&offset=1").await, all[1..3]);
        assert_eq!(keeper.get("/inventory?limit=1&count=true").await.header("x-total-count"), "5");
        let serials = keeper.get("/inventory?serials_only=true").await.body;
        assert_eq!(each(&serials, "serial_code"), ["S-1", "S-2"]);
        let second = serials[1]["serial_key"].as_str().unwrap();
        let found = keeper.get(&format!("/inventory?serial_keys={second}")).await.expect(200).body;
        assert_eq!(each(&found, "serial_code"), ["S-2"]);
        assert_eq!(found[0]["_key"], serials[1]["_key"]);
    }

    async fn a_row_says_all_of_it(site) {
        let keeper = filled(site).await;
        let rows = keeper.get("/inventory").await.expect(200).body;
        let step = |code: &str| json!({ "position_key": code, "position_code": code });
        assert_eq!(rows[0], json!({
            "_key": "0000000000001", "product_key": "bolt", "product_code": "bolt", "product_description": "M8", "unit": "kg",
            "position_key": "A1", "position_code": "A1", "path": [step("A"), step("A1")], "serial_key": null, "serial_code": null,
            "quantity": 7.25, "value": null, "owned": true, "counting": false, "locked": false,
            "last_counted": "2026-01-01T00:00:00.000Z", "extra": null,
        }));
        assert_eq!(rows[4]["path"], json!([step("IN")]), "what lies at the root itself");
        let below = keeper.get("/inventory?root_position_key=A&product_key=bolt").await.body;
        assert_eq!(below[0]["path"], json!([step("A1")]));
        let here = keeper.get("/inventory?root_position_key=A1&product_key=bolt").await.body;
        assert_eq!(here[0]["path"], json!([step("A1")]));
    }

    async fn sums_are_formed_of_what_fits(site) {
        let keeper = filled(site).await;
        let products = keeper.get("/inventory?group_by=product").await.expect(200).body;
        assert_eq!(each(&products, "product_code"), ["bolt", "Motor", "Nut"]);
        assert_eq!(products[0], json!({
            "product_key": "bolt", "product_code": "bolt", "product_description": "M8", "unit": "kg", "quantity": 9.5,
            "minimum_stock_qt": null, "positions": 2, "serials": 0,
        }));
        assert_eq!((&products[1]["quantity"], &products[1]["positions"], &products[1]["serials"]), (&json!(2), &json!(1), &json!(2)));
        let positions = keeper.get("/inventory?group_by=position").await.expect(200).body;
        assert_eq!(each(&positions, "position_code"), ["A1", "A2", "IN"]);
        assert_eq!((&positions[0]["quantity"], &positions[0]["products"], &positions[0]["serials"]), (&json!(9.25), &json!(2), &json!(2)));
        assert_eq!(positions[0]["path"].as_array().unwrap().len(), 2);
        let narrow = keeper.get("/inventory?group_by=product&position_key=A1&count=true&limit=1").await.expect(200);
        assert_eq!((narrow.header("x-total-count"), &narrow.body[0]["quantity"]), ("2", &json!(7.25)));
        keeper.get("/inventory?group_by=serial").await.expect(422);
    }

    async fn what_is_short_is_listed_with_what_there_is(site) {
        let keeper = filled(site).await;
        let short = async |query: &str| {
            let rows = keeper.get(&format!("/inventory?group_by=product&below_minimum=true{query}")).await.expect(200).body;
            rows.as_array().unwrap().iter().map(|row| format!("{} {}", row["product_code"].as_str().unwrap(), row["quantity"])).collect::<Vec<_>>()
        };
        assert_eq!(short("").await, Vec::<String>::new(), "no product has a minimum");
        product(&site.admin().await, "washer").await;
        site.execute("update product set minimum_stock_qt = 9500000 where key in ('bolt', 'washer')", vec![]).await;
        assert_eq!(short("").await, ["washer 0"], "bolts are as many as they have to be");
        assert_eq!(short("&root_position_key=A2").await, ["bolt 2.25", "washer 0"]);
        assert_eq!(short("&product_key=bolt").await, Vec::<String>::new());
        assert_eq!(short("&root_position_key=A2&limit=1&offset=1").await, ["washer 0"]);
        site.execute("update product set trash = true where key = 'washer'", vec![]).await;
        assert_eq!(short("").await, Vec::<String>::new());
        for query in ["below_minimum=true", "below_minimum=true&group_by=position"] {
            let faults = keeper.get(&format!("/inventory?{query}")).await.expect(422).faults();
            assert!(faults[0].ends_with(" query.below_minimum"), "{faults:?}");
        }
    }

    async fn stock_comes_as_a_table_too(site) {
        let keeper = filled(site).await;
        let table = async |query: &str, accept: &str| keeper.send(keeper.request(Method::GET, &format!("/inventory{query}")).header("accept", accept)).await.expect(200);
        let answer = table("?product_key=bolt&count=true&limit=1", "text/csv").await;
        assert_eq!((answer.header("content-type"), answer.header("x-total-count")), ("text/csv; charset=utf-8", "2"));
        assert_eq!(answer.header("content-disposition"), "attachment; filename=\"inventory.csv\"");
        assert_eq!(answer.header("cache-control"), "no-store");
        let lines: Vec<&str> = answer.text.lines().collect();
        assert_eq!(lines.len(), 2, "{}", answer.text);
        assert!(lines[0].ends_with("owned,counting,locked,last_counted"), "{}", lines[0]);
        assert!(lines[1].contains("bolt,M8,kg,A1,A1,A / A1,,,7.25,true,false,false,2026-01-01"), "{}", lines[1]);
        let sums = table("?group_by=product", "text/csv").await;
        assert!(sums.text.contains("bolt,bolt,M8,kg,9.5,,2,0"), "{}", sums.text);
        let sums = table("?group_by=position", "text/csv").await;
        assert!(sums.text.contains("A1,A1,A / A1,9.25,2,2"), "{}", sums.text);
        for json in ["application/json", "application/json, text/csv", "*/*"] {
            assert_eq!(table("", json).await.header("content-type"), "application/json", "{json}");
        }
    }

    async fn stock_needs_its_scope(site) {
        let person = site.user("other", "inventory:position:read").await;
        for path in ["/inventory", "/inventory/verify"] {
            let refused = person.get(path).await.expect(403);
            assert_eq!(refused.body["detail"]["required_scope"], "inventory:inventory:read");
        }
    }
}
