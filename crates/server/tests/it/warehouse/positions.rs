//! Scenarios 2 to 4, and everything else that makes, changes or deletes one position.

use testkit::{Method, on_both_engines};

use super::*;

on_both_engines! {
    async fn a_position_is_made_with_defaults_and_with_everything(site) {
        let keeper = keeper(site).await;
        let plain = keeper.post("/position", json!({ "_key": "A", "code": " A " })).await.expect(200).detail();
        assert_eq!(plain, json!({
            "_id": "Position/A", "_key": "A", "_rev": plain["_rev"], "code": "A", "owned": true, "available": true, "fixed": true,
            "disposable": false, "allow_consumption": null, "extra": {}, "parent_position_key": "IN", "tags": [],
            "created": "2026-03-01T08:00:00.000Z", "updated": "2026-03-01T08:00:00.000Z", "deleted": false,
        }));
        let all = json!({
            "code": "B", "parent_position_key": "A", "owned": false, "available": false, "fixed": false, "disposable": true,
            "allow_consumption": false, "extra": { "n": 1.50, "deep": [{ "a": null }] },
        });
        let made = keeper.post("/position", all.clone()).await.expect(200).detail();
        for (member, value) in all.as_object().unwrap() {
            assert_eq!(made[member], *value, "{member}");
        }
        assert_eq!(made["_key"].as_str().unwrap().len(), 13);
        let read = keeper.get(&format!("/position/{}", made["_key"].as_str().unwrap())).await.expect(200).body;
        assert_eq!(read["position"], made);
        let audit = site.admin().await.get("/audit?target=Position/A").await.body;
        assert_eq!((&audit[0]["operation"], &audit[0]["outcome"]), (&json!("create_position"), &json!("ok")));
        assert_eq!(site.count("position_link").await, 2);
    }

    async fn all_faults_of_a_body_are_told(site) {
        let keeper = keeper(site).await;
        let bad = json!({ "_key": "a b", "code": "", "owned": "yes", "fixed": null, "extra": 1, "parent_position_key": null, "colour": "red" });
        let mut faults = keeper.post("/position", bad).await.faults();
        faults.sort();
        let places: Vec<&str> = faults.iter().map(|fault| fault.split_once(' ').unwrap().1).collect();
        for place in ["_key", "code", "owned", "fixed", "extra", "parent_position_key", "colour"] {
            assert!(places.contains(&format!("body.{place}").as_str()), "{place}: {faults:?}");
        }
        for parent in ["nowhere", "NULL"] {
            let refused = keeper.post("/position", json!({ "code": "A", "parent_position_key": parent })).await;
            let kind = if parent == "NULL" { "value_error" } else { "position_not_found" };
            assert_eq!(refused.faults(), [format!("{kind} body.parent_position_key")]);
        }
        assert_eq!(site.count("position").await, 3);
    }

    async fn codes_and_keys_are_taken_once(site) {
        let keeper = keeper(site).await;
        shelves(&keeper).await;
        keeper.post("/position", json!({ "code": "a1" })).await.expect(409);
        keeper.post("/position", json!({ "_key": "A1", "code": "other" })).await.expect(409);
        keeper.post("/position", json!({ "_key": "IN", "code": "other" })).await.expect(409);
        keeper.post("/position", json!({ "code": "in" })).await.expect(409);
        keeper.patch("/position/A2", json!({ "code": "a1" })).await.expect(409);
        keeper.patch("/position/A1", json!({ "code": "a1" })).await.expect(200);
        keeper.delete("/position/A1").await.expect(200);
        for gone in [keeper.get("/position/A1").await, keeper.patch("/position/A1", json!({})).await, keeper.delete("/position/A1").await] {
            gone.expect(404);
        }
        let again = keeper.post("/position", json!({ "code": "a1" })).await.expect(200).detail();
        assert_eq!((&again["code"], &again["parent_position_key"]), (&json!("a1"), &json!("IN")));
        keeper.post("/position", json!({ "_key": "A1", "code": "new" })).await.expect(409);
        keeper.post("/position", json!({ "code": "new", "parent_position_key": "A1" })).await.expect(422);
        assert_eq!(site.look::<i64>("select count(*) from position_link where child_key = 'A1'", vec![]).await, Some(0));
    }

    async fn codes_come_from_the_counter(site) {
        let (admin, keeper) = (site.admin().await, keeper(site).await);
        admin.post("/counter", json!({ "_key": "places", "template": ["p-", "#3"] })).await.expect(200);
        admin.patch("/config", json!({ "system_counters": { "positions": "places" } })).await.expect(200);
        keeper.post("/position", json!({ "code": "P-001" })).await.expect(200);
        let first = keeper.post("/position", json!({})).await.expect(200).detail();
        assert_eq!(first["code"], "p-002", "taken values are skipped, whatever their case");
        keeper.post("/position", json!({ "parent_position_key": "nowhere" })).await.expect(422);
        assert_eq!(keeper.post("/position", json!({ "code": null })).await.expect(200).detail()["code"], "p-003", "nothing is lost");
        site.execute("update config set value = '{}' where key = 'system_counters'", vec![]).await;
        let refused = keeper.post("/position", json!({})).await.expect(422);
        assert_eq!(refused.body["detail"]["error_type"], "CounterNotDefinedError");
    }

    async fn a_change_leaves_the_rest(site) {
        let keeper = keeper(site).await;
        shelves(&keeper).await;
        let before = keeper.get("/position/A1").await.body["position"].clone();
        site.clock.advance_seconds(60);
        let changed = keeper
            .patch("/position/A1", json!({ "_key": "A1", "available": false, "allow_consumption": true, "extra": { "a": 1 } }))
            .await
            .expect(200)
            .detail();
        assert_eq!((&changed["available"], &changed["allow_consumption"], &changed["extra"]), (&json!(false), &json!(true), &json!({ "a": 1 })));
        assert_eq!((&changed["code"], &changed["parent_position_key"]), (&json!("A1"), &json!("A")));
        assert_eq!((&changed["created"], &changed["updated"]), (&json!("2026-03-01T08:00:00.000Z"), &json!("2026-03-01T08:01:00.000Z")));
        assert_ne!(changed["_rev"], before["_rev"]);
        let cleared = keeper.patch("/position/A1", json!({ "allow_consumption": null, "code": " A-1 " })).await.detail();
        assert_eq!((&cleared["allow_consumption"], &cleared["code"], &cleared["extra"]), (&json!(null), &json!("A-1"), &json!({ "a": 1 })));
        let stale = || before["_rev"].as_str().unwrap();
        let patch = keeper.request(Method::PATCH, "/position/A1").header("if-match", stale()).json(&json!({}));
        keeper.send(patch).await.expect(412);
        keeper.send(keeper.request(Method::DELETE, "/position/A1").header("if-match", stale())).await.expect(412);
        for bad in [json!({ "code": null }), json!({ "owned": null }), json!({ "_key": "other" }), json!({ "colour": "red" })] {
            keeper.patch("/position/A1", bad).await.expect(422);
        }
    }

    async fn a_position_that_was_read_can_be_sent_back(site) {
        let keeper = keeper(site).await;
        shelves(&keeper).await;
        let mut read = keeper.get("/position/A1").await.expect(200).body["position"].clone();
        assert_eq!(keeper.patch("/position/A1", read.clone()).await.detail()["code"], "A1");
        for (member, value) in [("tags", json!(["x"])), ("created", json!("2020-01-01")), ("updated", Value::Null), ("deleted", json!(true))] {
            read[member] = value;
        }
        keeper.patch("/position/A1", read).await.expect(200);
        let after = keeper.get("/position/A1").await.expect(200).body["position"].clone();
        assert_eq!((&after["tags"], &after["deleted"]), (&json!([]), &json!(false)), "what only the service sets is ignored");
        assert_eq!((&after["created"], &after["parent_position_key"]), (&json!("2026-03-01T08:00:00.000Z"), &json!("A")));
    }

    async fn a_position_moves_with_everything_in_it(site) {
        let keeper = keeper(site).await;
        shelves(&keeper).await;
        make(&keeper, "B", "IN").await;
        make(&keeper, "A11", "A1").await;
        let link: i64 = site.look("select key from position_link where child_key = 'A1'", vec![]).await.unwrap();
        let moved = keeper.patch("/position/A1", json!({ "parent_position_key": "B" })).await.expect(200).detail();
        assert_eq!(moved["parent_position_key"], "B");
        assert_eq!(tree(&keeper, "").await, json!(["IN", [["A", [["A2", []]]], ["B", [["A1", [["A11", []]]]]]]]));
        assert_eq!(site.look::<i64>("select key from position_link where child_key = 'A1'", vec![]).await, Some(link), "the link stays");
        keeper.patch("/position/B", json!({ "parent_position_key": "OUT" })).await.expect(200);
        assert_eq!(tree(&keeper, "?position_key=OUT").await, json!(["OUT", [["B", [["A1", [["A11", []]]]]]]]));
        keeper.patch("/position/B", json!({ "parent_position_key": "OUT" })).await.expect(200);
        for parent in ["NULL", "nowhere"] {
            keeper.patch("/position/B", json!({ "parent_position_key": parent })).await.expect(422);
        }
    }

    async fn no_position_is_in_itself(site) {
        let keeper = keeper(site).await;
        shelves(&keeper).await;
        let before = site.contents().await;
        assert_eq!(cycle(keeper.patch("/position/A", json!({ "parent_position_key": "A1" })).await), json!(["A", "A1"]));
        assert_eq!(cycle(keeper.patch("/position/A", json!({ "parent_position_key": "A" })).await), json!(["A"]));
        assert_eq!(site.contents().await, before);
    }

    async fn no_position_is_deeper_than_99(site) {
        let keeper = keeper(site).await;
        make(&keeper, "L1", "IN").await;
        for level in 2..=99 {
            make(&keeper, &format!("L{level}"), &format!("L{}", level - 1)).await;
        }
        let deep = keeper.post("/position", json!({ "code": "x", "parent_position_key": "L99" })).await;
        assert_eq!(deep.faults(), ["position_too_deep body.parent_position_key"]);
        make(&keeper, "top", "IN").await;
        make(&keeper, "low", "top").await;
        let moved = keeper.patch("/position/top", json!({ "parent_position_key": "L98" })).await;
        assert_eq!(moved.faults(), ["position_too_deep body.parent_position_key"], "what is in it counts");
        keeper.patch("/position/top", json!({ "parent_position_key": "L97" })).await.expect(200);
        let path = keeper.get("/position/L99").await.expect(200).body["path"].clone();
        assert_eq!((path.as_array().unwrap().len(), &path[0]["position_key"], &path[98]["position_code"]), (99, &json!("L1"), &json!("L99")));
    }

    async fn only_what_holds_nothing_is_deleted(site) {
        let (admin, keeper) = (site.admin().await, keeper(site).await);
        shelves(&keeper).await;
        admin.post("/product", json!({ "_key": "P", "code": "P" })).await.expect(201);
        stock(site, 1, "P", "A2", 500_000).await;
        let refused = |answer: Answer| {
            let detail = answer.expect(400).body["detail"].clone();
            assert!(detail["message"].is_string());
            json!([detail["child_positions"], detail["stock_rows"], detail["counts"]])
        };
        assert_eq!(refused(keeper.delete("/position/A").await), json!([2, 0, 0]));
        assert_eq!(refused(keeper.delete("/position/A2").await), json!([0, 1, 0]));
        site.execute("update stock_pair set counting = true, count_by = 'mario'", vec![]).await;
        assert_eq!(refused(keeper.delete("/position/A2").await), json!([0, 1, 1]));
        admin.delete("/reset/inventory").await.expect(200);
        assert_eq!(keeper.delete("/position/A2").await.expect(200).detail(), Value::Null);
        keeper.delete("/position/A1").await.expect(200);
        keeper.delete("/position/A").await.expect(200);
        assert_eq!(site.count("position_link").await, 0);
        assert_eq!(tree(&keeper, "").await, json!(["IN", []]));
    }

    async fn reserved_positions_stay(site) {
        let keeper = keeper(site).await;
        for key in ["IN", "OUT", "NULL"] {
            let path = format!("/position/{key}");
            keeper.delete(&path).await.expect(400);
            for change in [
                json!({ "owned": true }), json!({ "available": true }), json!({ "fixed": true }), json!({ "disposable": false }),
                json!({ "allow_consumption": null }), json!({ "parent_position_key": "IN" }), json!({ "code": "x", "fixed": false }),
            ] {
                keeper.patch(&path, change).await.expect(400);
            }
            let changed = keeper.patch(&path, json!({ "code": format!("{key}!"), "extra": { "name": "x" } })).await.expect(200).detail();
            assert_eq!((&changed["code"], &changed["parent_position_key"]), (&json!(format!("{key}!")), &Value::Null));
            assert_eq!((&changed["owned"], &changed["available"]), (&json!(key == "IN"), &json!(key == "IN")));
        }
    }

    async fn tags_are_shown(site) {
        let keeper = keeper(site).await;
        shelves(&keeper).await;
        let admin = site.admin().await;
        for key in ["t2", "t1"] {
            admin.post("/tag", json!({ "_key": key, "name": key })).await.expect(200);
        }
        let link = |tag: &str, key: &str| json!({ "type": "add", "tag_key": tag, "context": "position", "context_key": key });
        admin.post("/tag/update-connections", json!([link("t2", "A1"), link("t1", "A1"), link("t1", "A")])).await.expect(200);
        let gone = admin.post("/tag/update-connections", json!([link("t1", "gone")])).await.expect(404);
        assert_eq!(gone.body["detail"]["missing"], json!(["Position/gone"]));
        let listed = keeper.get("/position").await.expect(200).body;
        assert_eq!(each(&listed, "code"), ["A", "A1", "A2"]);
        let tags: Vec<Vec<String>> = listed.as_array().unwrap().iter().map(|row| each(&row["tags"], "_key")).collect();
        assert_eq!(tags, [vec!["t1"], vec!["t1", "t2"], vec![]]);
        assert_eq!(each(&keeper.get("/position/A1").await.body["position"]["tags"], "name"), ["t1", "t2"]);
    }

    async fn repeated_requests_change_once(site) {
        let keeper = keeper(site).await;
        let send = async || {
            let request = keeper.request(Method::POST, "/position").header("idempotency-key", "once").json(&json!({ "code": "A" }));
            keeper.send(request).await.expect(200)
        };
        let (first, again) = (send().await, send().await);
        assert_eq!((again.header("idempotency-replayed"), &first.body), ("true", &again.body));
        assert_eq!(site.count("position").await, 4);
    }

    async fn each_operation_needs_its_own_right(site) {
        let keeper = keeper(site).await;
        shelves(&keeper).await;
        let reader = site.user("reader", "viewer").await;
        for path in ["/position", "/position/A", "/position-hierarchy", "/position-export"] {
            reader.get(path).await.expect(200);
        }
        let needed = |answer: Answer| answer.expect(403).body["detail"]["required_scope"].clone();
        assert_eq!(needed(reader.post("/position", json!({ "code": "B" })).await), "inventory:position:create");
        assert_eq!(needed(reader.patch("/position/A1", json!({})).await), "inventory:position:update");
        assert_eq!(needed(reader.delete("/position/A1").await), "inventory:position:delete");
        let table = reader.upload(Method::POST, "/position-import", &[], &[("file", "a.csv", b"code\nB\n")]).await;
        assert_eq!(needed(table), "inventory:position:create");
        let maker = site.user("maker", "inventory:position:create").await;
        maker.post("/position", json!({ "code": "B" })).await.expect(200);
        assert_eq!(needed(maker.get("/position").await), "inventory:position:read");
    }
}
