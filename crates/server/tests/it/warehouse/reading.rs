//! Scenario 1, and every parameter of what is read.

use testkit::on_both_engines;

use super::*;

/// The codes of a list.
async fn listed(person: &Person, query: &str) -> Vec<String> {
    each(&person.get(&format!("/position?{query}")).await.expect(200).body, "code")
}

on_both_engines! {
    async fn a_tree_is_read_from_any_position(site) {
        let keeper = keeper(site).await;
        shelves(&keeper).await;
        assert_eq!(tree(&keeper, "").await, json!(["IN", [["A", [["A1", []], ["A2", []]]]]]));
        assert_eq!(tree(&keeper, "?position_key=A").await, json!(["A", [["A1", []], ["A2", []]]]));
        assert_eq!(tree(&keeper, "?position_key=NULL").await, json!(["NULL", []]));
        keeper.get("/position-hierarchy?position_key=nowhere").await.expect(404);
        let answer = keeper.get("/position-hierarchy?position_key=A").await.body;
        let leaf = json!({
            "position_id": "Position/A1", "position_key": "A1", "code": "A1", "fixed": true, "available": true,
            "from": "Position/A1", "to": "Position/A", "children": [],
        });
        assert_eq!(answer[0]["children"][0], leaf);
        assert_eq!((&answer[0]["from"], &answer[0]["to"], &answer[0]["position_id"]), (&Value::Null, &Value::Null, &json!("Position/A")));
        assert_eq!(listed(&keeper, "contains_position=A1").await, ["A"]);
        keeper.delete("/position/A1").await.expect(200);
        keeper.get("/position-hierarchy?position_key=A1").await.expect(404);
    }

    async fn lists_are_narrowed_by_each_filter(site) {
        let (admin, keeper) = (site.admin().await, keeper(site).await);
        shelves(&keeper).await;
        make(&keeper, "b", "IN").await;
        make(&keeper, "A11", "A1").await;
        make(&keeper, "supplier", "OUT").await;
        keeper.patch("/position/A11", json!({ "fixed": false })).await.expect(200);
        for code in ["P", "Q"] {
            admin.post("/product", json!({ "_key": format!("key-{code}"), "code": code })).await.expect(201);
        }
        stock(site, 1, "key-P", "A1", 1).await;
        stock(site, 2, "key-Q", "A11", 1).await;
        assert_eq!(listed(&keeper, "").await, ["A", "A1", "A11", "A2", "b"], "by code, ignoring case");
        assert_eq!(listed(&keeper, "is_in_position=OUT").await, ["supplier"]);
        assert_eq!(listed(&keeper, "is_in_position=A").await, ["A1", "A11", "A2"]);
        assert_eq!(listed(&keeper, "is_in_position=A11").await, Vec::<String>::new());
        assert_eq!(listed(&keeper, "is_in_position=nowhere").await, Vec::<String>::new());
        assert_eq!(listed(&keeper, "search=a1*").await, ["A1", "A11"]);
        assert_eq!(listed(&keeper, "search=*1").await, ["A1", "A11"]);
        assert_eq!(listed(&keeper, "search=a?1").await, ["A11"]);
        assert_eq!(listed(&keeper, "search=B").await, ["b"]);
        assert_eq!(listed(&keeper, "position_keys=A&position_keys=b&position_keys=OUT").await, ["A", "b"]);
        assert_eq!(listed(&keeper, "contains_position=A11").await, ["A", "A1"]);
        assert_eq!(listed(&keeper, "contains_position=supplier").await, Vec::<String>::new(), "it is not in IN");
        assert_eq!(listed(&keeper, "contains_position=nowhere").await, Vec::<String>::new());
        assert_eq!(listed(&keeper, "has_product_key=key-P").await, ["A1"]);
        assert_eq!(listed(&keeper, "has_product_key=key-P&has_product_key=key-Q").await, ["A1", "A11"]);
        assert_eq!(listed(&keeper, "has_product_code=Q&has_product_code=none").await, ["A11"]);
        assert_eq!(listed(&keeper, "has_product_key=key-P&has_product_code=Q").await, Vec::<String>::new(), "filters combine");
        assert_eq!(listed(&keeper, "fixed_only=true").await, ["A", "A1", "A2", "b"]);
        assert_eq!(listed(&keeper, "is_in_position=A&contains_position=A11&search=a*").await, ["A1"]);
        let page = keeper.get("/position?limit=2&offset=1&count=true").await.expect(200);
        assert_eq!((each(&page.body, "code"), page.header("x-total-count")), (vec!["A1".to_owned(), "A11".to_owned()], "5"));
        for bad in ["limit=0", "limit=10001", "offset=-1", "fixed_only=maybe", "is_in_position=a%20b", "position_keys=a%20b"] {
            assert_eq!(keeper.get(&format!("/position?{bad}")).await.faults().len(), 1, "{bad}");
        }
        keeper.delete("/position/b").await.expect(200);
        assert_eq!(listed(&keeper, "search=b").await, Vec::<String>::new());
    }

    async fn a_position_shows_the_way_to_it_and_its_contents(site) {
        let (admin, keeper) = (site.admin().await, keeper(site).await);
        shelves(&keeper).await;
        make(&keeper, "box", "A1").await;
        keeper.patch("/position/box", json!({ "fixed": false })).await.expect(200);
        let product = json!({ "_key": "P", "code": "Bolt", "description": "M8" });
        admin.post("/product", product).await.expect(201);
        admin.post("/product", json!({ "_key": "T", "code": "Motor", "traceability_level": "form_only" })).await.expect(201);
        stock(site, 1, "P", "A1", 12_500_000).await;
        let made = admin.post("/event", json!({ "event_type": "SERIAL_CREATED", "product_key": "T", "codes": ["a-9", "z-1"] })).await.expect(200).detail();
        site.execute("insert into stock_pair (product_id, position_key) select id, 'A1' from product where key = 'T'", vec![]).await;
        let unit = "insert into stock (key, product_id, position_key, serial_key, quantity)
                    select serial.key, serial.product_id, 'A1', serial.key, 1000000 from serial";
        assert_eq!(site.execute(unit, vec![]).await, 2);
        let opened = keeper.get("/position/A1").await.expect(200).body;
        assert_eq!(opened["path"], json!([{ "position_key": "A", "position_code": "A" }, { "position_key": "A1", "position_code": "A1" }]));
        let contents = &opened["contents"];
        assert_eq!(each(contents, "code"), ["A-9", "Bolt", "box", "Z-1"]);
        assert_eq!(each(contents, "type"), ["serial", "product", "position", "serial"]);
        assert_eq!(contents[1], json!({
            "_key": "0000000000001", "type": "product", "code": "Bolt", "position_key": null, "position_fixed": null, "product_key": "P",
            "product_code": "Bolt", "product_description": "M8", "quantity": 12.5, "serial_key": null, "serial_code": null,
        }));
        assert_eq!((&contents[2]["position_key"], &contents[2]["position_fixed"], &contents[2]["quantity"]), (&json!("box"), &json!(false), &Value::Null));
        let first = &made["serials"][0];
        assert_eq!((&contents[0]["serial_key"], &contents[0]["serial_code"], &contents[0]["quantity"]), (&first["serial_key"], &json!("A-9"), &json!(1)));
        assert_eq!((&contents[0]["product_key"], &contents[0]["product_code"]), (&json!("T"), &json!("Motor")));
        let found = async |query: &str| each(&keeper.get(&format!("/position/A1?{query}")).await.expect(200).body["contents"], "code");
        assert_eq!(found("search=MOT").await, ["A-9", "Z-1"], "by the code of the product");
        assert_eq!(found("search=bo").await, ["Bolt", "box"]);
        assert_eq!(found("search=z-").await, ["Z-1"]);
        assert_eq!(found("limit=2&offset=1").await, ["Bolt", "box"]);
        assert_eq!(keeper.get("/position/A1?count=true&limit=1").await.header("x-total-count"), "4");
        site.execute("update serial set code = null, searched = '' where code = 'A-9'", vec![]).await;
        let uncoded = keeper.get("/position/A1").await.body["contents"].clone();
        assert_eq!((&uncoded[3]["code"], &uncoded[3]["type"], &uncoded[2]["code"]), (&Value::Null, &json!("serial"), &json!("Z-1")), "without a code last");
        for reserved in ["IN", "OUT", "NULL"] {
            assert_eq!(keeper.get(&format!("/position/{reserved}")).await.expect(200).body["path"], json!([]));
        }
        assert_eq!(each(&keeper.get("/position/IN").await.body["contents"], "code"), ["A"]);
        keeper.get("/position/nowhere").await.expect(404);
        keeper.get("/position/A1?limit=0").await.expect(422);
    }
}
