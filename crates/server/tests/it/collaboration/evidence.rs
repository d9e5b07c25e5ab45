//! Open critical issues are missing evidence: in history records, and where a site asks for evidence before a release.

use testkit::on_both_engines;

use super::*;

/// A traced product `P` with the unit `part` in the unit `top`, which is made by an order and not released.
struct Built {
    team: Team,
    order: Order,
    top: String,
    part: String,
}

async fn built(site: &Site) -> Built {
    let team = team(site).await;
    let order = team.order("P").await;
    team.admin.patch("/product/P", json!({ "traceability_level": "form_only" })).await.expect(200);
    team.traced("C").await;
    let top = team.unit("P", "TOP", json!({ "wo_key": order.key, "released": null })).await;
    let part = team.unit("C", "PART", json!({})).await;
    crate::serials::link_with(&team.admin, &part, &top, json!({})).await.expect(200);
    Built { team, order, top, part }
}

impl Built {
    async fn record(&self) -> Value {
        self.team.get(&format!("/serial/{}/dhr?format=json", self.top)).await
    }

    /// The issues that are missing evidence of the unit on top.
    async fn open_issues(&self) -> Vec<Value> {
        let record = self.record().await;
        let missing = record["missing_evidence"].as_array().unwrap().iter();
        missing.filter(|one| one["kind"] == "issue_open").cloned().collect()
    }

    async fn release(&self) -> Answer {
        event(&self.team.ann, "SERIAL_RELEASED", json!({ "serial_key": self.top })).await
    }
}

on_both_engines! {
    async fn open_critical_issues_are_missing_evidence(site) {
        let built = built(site).await;
        let team = &built.team;
        let kind = team.issue_type("Scratch", json!({ "critical": true })).await;
        for (kind_of_record, key) in [("serial", &built.top), ("serial", &built.part), ("work_order", &built.order.key)] {
            let data = json!({ "issue_type_key": kind, "title": "Bent", "linked_to": [link(kind_of_record, key)] });
            let issue_key = team.issue(data).await;
            let open = built.open_issues().await;
            assert_eq!(open.len(), 1, "{kind_of_record}: {open:?}");
            assert_eq!((&open[0]["issue_key"], &open[0]["issue_type_name"]), (&json!(issue_key), &json!("Scratch")));
            assert!(open[0]["message"].is_string());
            assert_eq!(built.record().await["complete"], false);
            issue_step(&team.ann, "UPDATED", &issue_key, json!({ "critical": false })).await.expect(200);
            assert_eq!(built.open_issues().await, Vec::<Value>::new(), "not critical");
            issue_step(&team.ann, "UPDATED", &issue_key, json!({ "critical": true })).await.expect(200);
            issue_step(&team.ann, "CLOSED", &issue_key, json!({})).await.expect(200);
            assert_eq!(built.open_issues().await, Vec::<Value>::new(), "closed");
        }
        // About something else.
        team.issue(json!({ "critical": true, "linked_to": [link("product", "P"), link("job", &built.order.jobs[0])] })).await;
        assert_eq!(built.open_issues().await, Vec::<Value>::new());
    }

    async fn a_record_tells_all_issues_about_its_unit(site) {
        let built = built(site).await;
        let team = &built.team;
        let kind = team.issue_type("Scratch", json!({})).await;
        let units = json!([link("serial", &built.part), link("serial", &built.top)]);
        let closed = team.issue(json!({ "issue_type_key": kind, "title": "One", "open": false, "linked_to": units })).await;
        site.clock.advance_seconds(1);
        let open = team.issue(json!({ "title": "Two", "linked_to": [link("work_order", &built.order.key)] })).await;
        let issues = built.record().await["acceptance_records"]["issues"].clone();
        assert_eq!(each(&issues, "issue_key"), [closed.clone(), open.clone()], "each once, with those that are no evidence");
        let read = team.read_issue(&closed).await;
        for member in ["issue_type_name", "title", "critical", "open", "created", "closed", "closed_by"] {
            assert_eq!(issues[0][member], read[member], "{member}");
        }
        assert_eq!((&issues[1]["issue_type_name"], &issues[1]["closed"]), (&json!(null), &json!(null)));
        let part = team.get(&format!("/serial/{}/dhr?format=json", built.part)).await;
        assert_eq!(each(&part["acceptance_records"]["issues"], "issue_key"), [closed], "an ancestor's are not its own");
    }

    /// The part of scenario 10 that is about issues.
    async fn no_release_while_a_critical_issue_is_open(site) {
        let built = built(site).await;
        let team = &built.team;
        let kind = team.issue_type("Scratch", json!({ "critical": true })).await;
        let keys = [
            team.issue(json!({ "issue_type_key": kind, "linked_to": [link("serial", &built.part)] })).await,
            team.issue(json!({ "issue_type_key": kind, "linked_to": [link("work_order", &built.order.key), link("serial", &built.top)] })).await,
        ];
        team.admin.patch("/config", json!({ "block_release_on_missing_evidence": true })).await.expect(200);
        let told = rule(built.release().await, "SerialNotReleasedError", "missing_evidence");
        let missing: Vec<&Value> = told["missing_evidence"].as_array().unwrap().iter().filter(|one| one["kind"] == "issue_open").collect();
        let mut named: Vec<String> = missing.iter().map(|one| text(&one["issue_key"])).collect();
        named.sort_unstable();
        assert_eq!(named, keys, "each once: {told}");
        assert!(missing.iter().all(|one| one["serial_key"] == built.top), "{told}");
        issue_step(&team.ann, "CLOSED", &keys[0], json!({})).await.expect(200);
        rule(built.release().await, "SerialNotReleasedError", "missing_evidence");
        issue_step(&team.admin, "DELETED", &keys[1], json!({})).await.expect(200);
        let open = team.issue(json!({ "issue_type_key": kind, "critical": false, "linked_to": [link("serial", &built.top)] })).await;
        built.release().await.expect(200);
        // What comes up later is in the record, and takes no release back.
        issue_step(&team.ann, "UPDATED", &open, json!({ "critical": true })).await.expect(200);
        let record = built.record().await;
        assert_eq!((each(&record["missing_evidence"], "kind"), &record["complete"]), (vec!["issue_open".to_owned()], &json!(false)));
    }

    async fn a_unit_with_an_issue_did_not_pass_at_once(site) {
        let team = team(site).await;
        team.admin.post("/counter", json!({ "_key": "units", "name": "Units", "template": ["S", "#5"] })).await.expect(200);
        let members = json!({ "traceability_level": "form_only", "counter_key": "units" });
        let order = team.shop.order_of("P", members, &all_at_once(1), 2.0).await;
        let made = team.shop.make(&team.ann, &order.jobs[0]).await;
        let passed = async || team.get("/product/P/stats").await["first_pass_units"].clone();
        assert_eq!(passed().await, 2);
        let unit = text(&made["released_serial_keys"][0]);
        let kind = team.issue_type("Scratch", json!({})).await;
        team.issue(json!({ "issue_type_key": kind, "open": false, "linked_to": [link("serial", &unit)] })).await;
        assert_eq!(passed().await, 1, "though the issue is closed");
    }

    async fn issues_are_in_the_printed_record(site) {
        let built = built(site).await;
        let team = &built.team;
        let kind = team.issue_type("Deep scratch", json!({ "critical": true })).await;
        team.issue(json!({ "issue_type_key": kind, "title": "Housing", "linked_to": [link("serial", &built.top)] })).await;
        let answer = team.admin.media(&format!("/api/serial/{}/dhr", built.top)).await;
        assert_eq!(answer.status(), 200);
        let bytes = answer.bytes().await.unwrap();
        let document = lopdf::Document::load_mem(&bytes).unwrap();
        let pages: Vec<u32> = document.get_pages().into_keys().collect();
        let printed: String = document.extract_text(&pages).unwrap().split_whitespace().collect();
        for words in ["Deepscratch", "Housing"] {
            assert!(printed.contains(words), "no {words} in {printed}");
        }
    }
}
