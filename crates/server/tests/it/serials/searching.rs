//! `GET /serial`: each filter alone, orders and pages. Filters together are tested in `oracle`.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::*;

/// The codes that are found, those of units without one as `-`; in their order.
async fn listed(plant: &Plant, query: &[(&str, &str)]) -> Vec<String> {
    let rows = plant.ask("/serial", query).await.expect(200).body;
    rows.as_array().unwrap().iter().map(|row| row["code"].as_str().unwrap_or("-").to_owned()).collect()
}

/// The codes that are found, sorted.
async fn found(plant: &Plant, query: &[(&str, &str)]) -> Vec<String> {
    let mut codes = listed(plant, query).await;
    codes.sort_unstable();
    codes
}

on_both_engines! {
    async fn long_searches_find_nothing_and_repeated_ones_the_same(site) {
        let plant = plant(site).await;
        plant.product("A", json!({})).await;
        plant.unit("A", "A1").await;
        for search in ["[*?".repeat(6_000), "[".repeat(17_000), "?".repeat(20_000), "A1".repeat(20_000)] {
            let query = [("serial_search", search.as_str())];
            let found = plant.admin.send(plant.admin.request(Method::GET, "/serial").query(&query)).await.expect(200);
            assert_eq!(found.body, json!([]));
        }
        let states = "&state=released".repeat(1_500);
        assert_eq!(plant.get(&format!("/serial?limit=10{states}")).await.as_array().unwrap().len(), 1);
    }

    async fn each_filter_finds_what_it_names(site) {
        let plant = plant(site).await;
        plant.product("pump", json!({ "description": "Pump" })).await;
        plant.product("valve", json!({})).await;
        let order = plant.order("WA-7", Some("Alpha"), &[]).await;
        let [pu1, pu2] = plant.units("pump", ["PU-1", "PU-2"]).await;
        let start = site.app().now();
        site.clock.advance_seconds(60);
        let ordered = text(&create(&plant.operator, json!({ "product_key": "WA-7", "wo_key": order.key, "code": "O-1" })).await.detail()["serial_key"]);
        plant.made(json!({ "product_key": "pump", "released": null })).await;
        site.clock.advance_seconds(60);
        let [va1, seat] = plant.units("valve", ["VA-1", "SEAT"]).await;
        let [scrapped, gone] = plant.units("valve", ["BAD-1", "GONE-1"]).await;
        plant.link(&va1, &pu1).await.expect(200);
        plant.link(&seat, &va1).await.expect(200);
        plant.scrap(&scrapped).await;
        plant.delete(&gone).await;
        let all = ["-", "BAD-1", "O-1", "PU-1", "PU-2", "SEAT", "VA-1"];
        assert_eq!(found(&plant, &[]).await, all);
        let [before, at_sixty] = [59, 60].map(|seconds| start.plus_seconds(seconds).to_string());
        for (query, codes) in [
            (vec![("serial_key", pu1.as_str()), ("serial_key", seat.as_str()), ("serial_key", "nobody")], vec!["PU-1", "SEAT"]),
            (vec![("product_key", "valve"), ("product_key", "WA-7")], vec!["BAD-1", "O-1", "SEAT", "VA-1"]),
            (vec![("wo_key", order.key.as_str()), ("wo_key", "nobody")], vec!["O-1"]),
            (vec![("created_by", plant.operator.key.as_str())], vec!["O-1"]),
            (vec![("state", "used")], vec!["SEAT", "VA-1"]),
            (vec![("state", "uncoded"), ("state", "scrapped")], vec!["-", "BAD-1"]),
            (vec![("state", "in_stock")], vec![]),
            (vec![("state", "deleted")], vec!["GONE-1"]),
            (vec![("include_deleted", "true")], vec!["-", "BAD-1", "GONE-1", "O-1", "PU-1", "PU-2", "SEAT", "VA-1"]),
            (vec![("serial_search", "u-")], vec!["PU-1", "PU-2"]),
            (vec![("serial_search", "*-1")], vec!["BAD-1", "O-1", "PU-1", "VA-1"]),
            (vec![("serial_search", "s*")], vec!["SEAT"]),
            (vec![("serial_search", "?A?1")], vec!["VA-1"]),
            (vec![("serial_search", "\\*")], vec![]),
            (vec![("is_contained_in", "pu-1")], vec!["SEAT", "VA-1"]),
            (vec![("is_contained_in", "va*")], vec!["SEAT"]),
            (vec![("contains", "seat")], vec!["PU-1", "VA-1"]),
            (vec![("contains", "?A-1")], vec!["PU-1"]),
            (vec![("product_code_search", "PUM*")], vec!["-", "PU-1", "PU-2"]),
            (vec![("work_order_search", "*-7")], vec!["O-1"]),
            (vec![("project_search", "alph")], vec!["O-1"]),
            (vec![("project_search", "beta")], vec![]),
            (vec![("time_created_from", at_sixty.as_str())], vec!["-", "BAD-1", "O-1", "SEAT", "VA-1"]),
            (vec![("time_created_to", at_sixty.as_str())], vec!["-", "O-1", "PU-1", "PU-2"]),
            (vec![("time_created_to", "2026-03-01")], all.to_vec()),
            (vec![("time_released_from", at_sixty.as_str())], vec!["BAD-1", "O-1", "SEAT", "VA-1"]),
            (vec![("time_released_to", before.as_str())], vec!["PU-1", "PU-2"]),
            (vec![("filter_unreleased", "true")], vec!["BAD-1", "O-1", "PU-1", "PU-2", "SEAT", "VA-1"]),
            (vec![("product_key", "valve"), ("state", "used"), ("contains", "seat")], vec!["VA-1"]),
        ] {
            assert_eq!(found(&plant, &query).await, codes, "{query:?}");
        }

        let shown = plant.get(&format!("/serial?serial_key={ordered}")).await[0].clone();
        assert_eq!((&shown["wo_code"], &shown["project_code"], &shown["wo_key"]), (&json!("WA-7"), &json!("Alpha"), &json!(order.key)));
        let shown = plant.get(&format!("/serial?serial_key={pu2}")).await[0].clone();
        assert_eq!((&shown["wo_code"], &shown["project_code"], &shown["grid_data"]), (&Value::Null, &Value::Null, &json!([])));
        assert_eq!((&shown["product"]["_key"], &shown["product"]["description"]), (&json!("pump"), &json!("Pump")));
        let read = plant.read(&pu2).await;
        for (name, value) in read.as_object().unwrap() {
            assert_eq!(shown[name], *value, "{name}");
        }
        // A unit that is taken out is found no more under what contained it.
        unlink(&plant.operator, &va1, &pu1, json!({})).await.expect(200);
        assert_eq!(found(&plant, &[("is_contained_in", "pu-1")]).await, Vec::<String>::new());
        assert_eq!(found(&plant, &[("contains", "seat")]).await, ["VA-1"]);
    }

    async fn lists_are_sorted_and_paged(site) {
        let plant = plant(site).await;
        plant.products(&["q", "P"]).await;
        let order = plant.order("W", Some("Alpha"), &[]).await;
        for (product, code) in [("q", "B"), ("P", "C"), ("q", "A")] {
            plant.unit(product, code).await;
            site.clock.advance_seconds(10);
        }
        plant.made(json!({ "product_key": "W", "wo_key": order.key, "code": "D", "released": null })).await;
        for (sort_by, sorting_order, codes) in [
            ("created", "desc", "D A C B"), ("created", "asc", "B C A D"), ("released", "asc", "B C A D"), ("released", "desc", "A C B D"),
            ("code", "asc", "A B C D"), ("code", "desc", "D C B A"),
        ] {
            let query = [("sort_by", sort_by), ("sorting_order", sorting_order)];
            assert_eq!(listed(&plant, &query).await.join(" "), codes, "{query:?}");
        }
        assert_eq!(listed(&plant, &[]).await.join(" "), "D A C B", "the newest first");
        let first = async |sort_by: &str, order: &str| listed(&plant, &[("sort_by", sort_by), ("sorting_order", order)]).await[0].clone();
        assert_eq!(first("product_code", "asc").await, "C");
        assert_eq!(first("product_code", "desc").await, "D");
        for sort_by in ["wo_code", "project_code"] {
            assert_eq!((first(sort_by, "asc").await.as_str(), first(sort_by, "desc").await.as_str()), ("D", "D"), "empty last");
        }
        assert_eq!(listed(&plant, &[("limit", "2"), ("offset", "1")]).await, ["A", "C"]);
        let counted = plant.admin.get("/serial?count=true&limit=1&state=released").await.expect(200);
        assert_eq!(counted.header("x-total-count"), "3");
        for wrong in [
            ("sort_by", "colour"), ("sorting_order", "up"), ("limit", "0"), ("limit", "10001"), ("offset", "-1"), ("state", "new"),
            ("time_created_from", "soon"), ("filter_unreleased", "2"), ("advanced_filters", "rubbish"), ("advanced_filters", "{}"),
            ("advanced_filters", r#"{"operator": "NOT", "filters": []}"#), ("advanced_filters", "[1]"),
        ] {
            plant.ask("/serial", &[wrong]).await.expect(422);
        }
    }

    async fn values_are_searched_by_their_type(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({})).await;
        for (code, colour, weight, grade, passed, made) in [
            ("A", "Dark red", json!(1.5), json!("g1"), json!(true), "2026-01-05"),
            ("B", "red", json!(-2), json!("g2"), json!(false), "2026-01-06"),
            ("C", "Blue", json!(10), json!(null), json!(null), "2026-02-01"),
        ] {
            let data = json!([
                { "custom_field_key": "colour", "value": colour }, { "custom_field_key": "weight", "value": weight },
                { "custom_field_key": "grade", "value": grade }, { "custom_field_key": "passed", "value": passed },
                { "custom_field_key": "made", "value": made },
            ]);
            plant.made(json!({ "product_key": "P", "code": code, "data": data })).await;
        }
        plant.unit("P", "D").await;
        let search = async |operator: &str, filters: &[(&str, Value)]| {
            let filters: Vec<Value> = filters.iter().map(|(key, value)| json!({ "_key": key, "value": value })).collect();
            let plain = json!({ "operator": operator, "filters": filters }).to_string();
            let codes = found(&plant, &[("advanced_filters", &plain)]).await;
            for encoded in [STANDARD.encode(&plain), STANDARD_NO_PAD.encode(&plain), URL_SAFE_NO_PAD.encode(&plain)] {
                assert_eq!(found(&plant, &[("advanced_filters", &encoded)]).await, codes, "{plain}");
            }
            codes.join(" ")
        };
        assert_eq!(search("AND", &[("colour", json!("RED"))]).await, "A B");
        assert_eq!(search("AND", &[("weight", json!(1.5))]).await, "A");
        let many = [vec![("colour", json!("RED")); 99], vec![("weight", json!(1.5))]].concat();
        assert_eq!(search("AND", &many).await, "A");
        assert_eq!(search("AND", &[("weight", json!({ "min": -2, "max": 1.5 }))]).await, "A B");
        assert_eq!(search("AND", &[("weight", json!({ "min": 2 }))]).await, "C");
        assert_eq!(search("AND", &[("grade", json!("FIRST"))]).await, "A");
        assert_eq!(search("AND", &[("grade", json!({ "_key": "g2" }))]).await, "B");
        assert_eq!(search("AND", &[("passed", json!(true))]).await, "A");
        assert_eq!(search("AND", &[("passed", json!(false))]).await, "B");
        assert_eq!(search("AND", &[("made", json!({ "from": "2026-01-06", "to": "2026-02-01" }))]).await, "B C");
        assert_eq!(search("AND", &[("colour", json!("red")), ("weight", json!({ "max": 0 }))]).await, "B");
        assert_eq!(search("OR", &[("colour", json!("blue")), ("weight", json!({ "max": 0 }))]).await, "B C");

        // The columns of the list, matched by either key of a value.
        let columns = json!([{ "_key": "weight", "type": "number", "name": "Weight" }, { "_key": "nothing", "type": "text", "name": "Nothing" }]);
        plant.admin.patch("/config", json!({ "serial_fields": columns })).await.expect(200);
        let row = plant.get("/serial?serial_search=A").await[0].clone();
        let grid = row["grid_data"].as_array().unwrap();
        assert_eq!((&grid[0]["_key"], &grid[0]["name"], grid[0]["value"].to_string()), (&json!("weight"), &json!("Weight"), "1.5".to_owned()));
        assert_eq!((&grid[1]["_key"], &grid[1]["value"]), (&json!("nothing"), &Value::Null));
    }

    async fn too_many_units_to_look_below_are_refused(site) {
        let plant = plant(site).await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        create(&plant.operator, json!({ "product_key": "P", "count": 10_001 })).await.expect(200);
        for name in ["is_contained_in", "contains"] {
            plant.ask("/serial", &[(name, "sn-")]).await.expect(422);
            assert_eq!(found(&plant, &[(name, "sn-00001")]).await, Vec::<String>::new());
        }
    }
}
