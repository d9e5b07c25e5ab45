//! `GET /issue`: each parameter alone, orders, pages, and what is linked.

use domain::Timestamp;
use testkit::on_both_engines;

use super::*;

/// Four issues, a minute apart: `pin` about an order, its job and its product; `paint` about a unit and a phase; `noise`, without
/// a type, about an operation, a project and a user; `crack`, closed by `cat` ten minutes after the first was opened.
struct World {
    team: Team,
    start: Timestamp,
    scratch: String,
    dent: String,
    order: Order,
    other: Order,
    unit: String,
    keys: Vec<String>,
}

async fn world(site: &Site) -> World {
    let team = team(site).await;
    team.fields().await;
    team.traced("T").await;
    let form = json!([
        { "_key": "w", "custom_field_key": "weight" },
        { "_key": "n", "custom_field_key": "note" },
        { "_key": "g", "custom_field_key": "grade" },
    ]);
    let scratch = team.issue_type("Scratch", json!({ "critical": true, "icon": "brush", "form_template": form })).await;
    let dent = team.issue_type("dent", json!({ "form_template": form })).await;
    let (order, other) = (team.order("W-1").await, team.order("X-2").await);
    let unit = team.unit("T", "SN-7", json!({})).await;
    let phase = text(&team.shop.job(&other, 0).await["phase_key"]);
    let start = site.clock.now();
    let pin = json!({
        "title": "pin", "issue_type_key": scratch,
        "data": values(&[("w", json!(1.5)), ("n", json!("Dark red")), ("g", json!("g1"))]),
        "linked_to": [link("work_order", &order.key), link("job", &order.jobs[0]), link("product", "W-1")],
    });
    let paint = json!({
        "title": "paint", "issue_type_key": dent, "data": values(&[("w", json!(-2)), ("n", json!("red"))]),
        "linked_to": [link("phase", &phase), link("serial", &unit), link("product", "X-2")],
    });
    let noise = json!({
        "title": "noise", "description": "A loud HUM", "critical": true,
        "linked_to": [link("operation", "work"), link("project", "Alpha-9"), link("user", &team.ben.key)],
    });
    let crack =
        json!({ "title": "crack", "issue_type_key": dent, "data": values(&[("w", json!(10)), ("g", json!("g2"))]) });
    let mut keys = Vec::new();
    for (who, data) in [(&team.ann, pin), (&team.ben, paint), (&team.ann, noise), (&team.ben, crack)] {
        keys.push(text(&issue(who, "CREATED", data).await.detail()["issue_key"]));
        site.clock.advance_seconds(60);
    }
    site.clock.advance_seconds(360);
    issue_step(&team.cat, "CLOSED", &keys[3], json!({})).await.expect(200);
    site.clock.advance_seconds(60);
    issue_step(&team.ann, "UPDATED", &keys[0], json!({ "description": "on the left" })).await.expect(200);
    World { team, start, scratch, dent, order, other, unit, keys }
}

impl World {
    async fn found(&self, query: &[(&str, &str)]) -> Vec<String> {
        self.team.titles("/issue", query).await
    }

    fn at(&self, seconds: i64) -> String {
        self.start.plus_seconds(seconds).to_string()
    }
}

on_both_engines! {
    async fn each_parameter_finds_what_it_names(site) {
        let world = world(site).await;
        let team = &world.team;
        let all = vec!["crack", "noise", "paint", "pin"];
        let [pin, _, noise, _]: [&str; 4] = std::array::from_fn(|at| world.keys[at].as_str());
        let phase = text(&team.shop.job(&world.other, 0).await["phase_key"]);
        let [at_one, before_two, at_closing] = [60, 119, 600].map(|seconds| world.at(seconds));
        for (query, titles) in [
            (vec![], all.clone()),
            (vec![("issue_key", pin), ("issue_key", noise), ("issue_key", NOBODY)], vec!["noise", "pin"]),
            (vec![("issue_type_key", world.scratch.as_str())], vec!["pin"]),
            (vec![("issue_type_key", world.scratch.as_str()), ("issue_type_key", world.dent.as_str())], vec!["crack", "paint", "pin"]),
            (vec![("product_key", "W-1")], vec!["pin"]),
            (vec![("product_key", "W-1"), ("product_key", "X-2")], vec!["paint", "pin"]),
            (vec![("work_order_key", world.order.key.as_str()), ("work_order_key", NOBODY)], vec!["pin"]),
            (vec![("work_order_key", world.other.key.as_str())], vec![]),
            (vec![("job_key", world.order.jobs[0].as_str())], vec!["pin"]),
            (vec![("phase_key", phase.as_str())], vec!["paint"]),
            (vec![("operation_key", "work")], vec!["noise"]),
            (vec![("serial_key", world.unit.as_str())], vec!["paint"]),
            (vec![("created_by", team.ann.key.as_str())], vec!["noise", "pin"]),
            (vec![("created_by", team.ann.key.as_str()), ("created_by", team.ben.key.as_str())], all.clone()),
            (vec![("closed_by", team.cat.key.as_str())], vec!["crack"]),
            (vec![("closed_by", team.ann.key.as_str())], vec![]),
            (vec![("search", "HUM")], vec!["noise"]),
            (vec![("search", "P")], vec!["paint", "pin"]),
            (vec![("search", pin)], vec!["pin"]),
            (vec![("search", "p*n")], vec![]),
            (vec![("issue_key_search", &pin[4..])], vec!["pin"]),
            (vec![("product_code_search", "-")], vec!["paint", "pin"]),
            (vec![("product_code_search", "x-")], vec!["paint"]),
            (vec![("work_order_code_search", "w-")], vec!["pin"]),
            (vec![("project_search", "alpha")], vec!["noise"]),
            (vec![("project_search", "beta")], vec![]),
            (vec![("serial_search", "n-7")], vec!["paint"]),
            (vec![("phase_alias_search", "phase")], vec!["paint"]),
            (vec![("time_created_from", at_one.as_str())], vec!["crack", "noise", "paint"]),
            (vec![("time_created_to", at_one.as_str())], vec!["paint", "pin"]),
            (vec![("time_created_to", before_two.as_str())], vec!["paint", "pin"]),
            (vec![("time_created_to", "2026-03-01")], all.clone()),
            (vec![("time_created_from", "2026-03-02")], vec![]),
            (vec![("time_closed_from", at_closing.as_str())], vec!["crack"]),
            (vec![("time_closed_to", at_closing.as_str())], vec!["crack"]),
            (vec![("time_closed_to", before_two.as_str())], vec![]),
            (vec![("time_closed_from", "2026-03-01")], vec!["crack"]),
            (vec![("product_key", "X-2"), ("created_by", team.ben.key.as_str()), ("search", "ai")], vec!["paint"]),
            (vec![("product_key", "X-2"), ("created_by", team.ann.key.as_str())], vec![]),
        ] {
            assert_eq!(world.found(&query).await, titles, "{query:?}");
        }
    }

    async fn flags_come_in_pairs(site) {
        let world = world(site).await;
        let (open, critical) = (["noise", "paint", "pin"], ["noise", "pin"]);
        for (query, titles) in [
            (vec![("issue_open", "true")], open.to_vec()),
            (vec![("issue_closed", "true")], vec!["crack"]),
            (vec![("issue_open", "true"), ("issue_closed", "true")], vec!["crack", "noise", "paint", "pin"]),
            (vec![("issue_open", "false")], vec!["crack"]),
            (vec![("issue_closed", "false")], open.to_vec()),
            (vec![("issue_open", "true"), ("issue_closed", "false")], open.to_vec()),
            (vec![("issue_open", "false"), ("issue_closed", "false")], vec![]),
            (vec![("issue_critical", "true")], critical.to_vec()),
            (vec![("issue_non_critical", "true")], vec!["crack", "paint"]),
            (vec![("issue_critical", "false")], vec!["crack", "paint"]),
            (vec![("issue_non_critical", "false")], critical.to_vec()),
            (vec![("issue_critical", "false"), ("issue_non_critical", "false")], vec![]),
            (vec![("issue_critical", "false"), ("issue_open", "true")], vec!["paint"]),
        ] {
            assert_eq!(world.found(&query).await, titles, "{query:?}");
        }
    }

    async fn values_are_searched_by_their_type(site) {
        let world = world(site).await;
        for (operator, sent, titles) in [
            ("AND", vec![("note", json!("RED"))], vec!["paint", "pin"]),
            ("AND", vec![("weight", json!(1.5))], vec!["pin"]),
            ("AND", vec![("weight", json!({ "min": -2, "max": 1.5 }))], vec!["paint", "pin"]),
            ("AND", vec![("grade", json!("first"))], vec!["pin"]),
            ("AND", vec![("grade", json!({ "_key": "g2" }))], vec!["crack"]),
            ("AND", vec![("note", json!("red")), ("weight", json!({ "max": 0 }))], vec!["paint"]),
            ("AND", [vec![("note", json!("red")); 99], vec![("weight", json!({ "max": 0 }))]].concat(), vec!["paint"]),
            ("OR", vec![("grade", json!("sec")), ("weight", json!({ "max": 0 }))], vec!["crack", "paint"]),
        ] {
            for sent in filters(operator, &sent) {
                assert_eq!(world.found(&[("advanced_filters", &sent)]).await, titles, "{sent}");
            }
        }
        // A value that was changed is found by what it is now.
        issue_step(&world.team.ann, "UPDATED", &world.keys[0], json!({ "data": values(&[("n", json!("blue"))]) })).await.expect(200);
        let [red, _] = filters("AND", &[("note", json!("red"))]);
        assert_eq!(world.found(&[("advanced_filters", &red)]).await, ["paint"]);
        for wrong in ["rubbish", "{}", "[1]", r#"{"operator": "NOT", "filters": []}"#, "e30="] {
            world.team.ask("/issue", &[("advanced_filters", wrong)]).await.expect(422);
        }
    }

    /// What nobody has answered is null, as issues show it: also where the type asked for it only later, or asks twice.
    async fn a_ternary_that_nobody_answered_is_null(site) {
        let team = team(site).await;
        team.fields().await;
        let asked = |keys: &[&str]| keys.iter().map(|key| json!({ "_key": key, "custom_field_key": "passed" })).collect::<Value>();
        let once = team.issue_type("Once", json!({ "form_template": asked(&["p"]) })).await;
        let twice = team.issue_type("Twice", json!({ "form_template": asked(&["p", "q"]) })).await;
        let later = team.issue_type("Later", json!({})).await;
        let create = async |title: &str, kind: &str, data: Value| {
            team.issue(json!({ "title": title, "issue_type_key": kind, "data": data })).await
        };
        create("asked", &once, json!([])).await;
        create("yes", &once, values(&[("p", json!(true))])).await;
        create("no", &once, values(&[("p", json!(false))])).await;
        let cleared = create("cleared", &once, values(&[("p", json!(true))])).await;
        issue_step(&team.ann, "UPDATED", &cleared, json!({ "data": values(&[("p", Value::Null)]) })).await.expect(200);
        create("half", &twice, values(&[("q", json!(true))])).await;
        create("both", &twice, values(&[("p", json!(true)), ("q", json!(false))])).await;
        create("later", &later, json!([])).await;
        team.issue(json!({ "title": "untyped" })).await;
        let found = async |answer: Value| {
            let [plain, _] = filters("AND", &[("passed", answer)]);
            team.titles("/issue", &[("advanced_filters", &plain)]).await
        };
        assert_eq!(found(Value::Null).await, ["asked", "cleared", "half"]);
        assert_eq!(found(json!(true)).await, ["both", "half", "yes"]);
        assert_eq!(found(json!(false)).await, ["both", "no"]);
        team.admin.patch(&format!("{ISSUE_TYPES}/{later}"), json!({ "form_template": asked(&["p"]) })).await.expect(200);
        assert_eq!(found(Value::Null).await, ["asked", "cleared", "half", "later"]);
        let [either, _] = filters("OR", &[("passed", Value::Null), ("passed", json!(false))]);
        assert_eq!(team.titles("/issue", &[("advanced_filters", &either)]).await, ["asked", "both", "cleared", "half", "later", "no"]);
    }

    async fn lists_are_sorted_and_paged(site) {
        let world = world(site).await;
        let team = &world.team;
        let listed = async |sort_by: &str, order: &str| team.listed("/issue", &[("sort_by", sort_by), ("sorting_order", order)]).await;
        assert_eq!(team.listed("/issue", &[]).await, ["crack", "noise", "paint", "pin"], "the newest first");
        assert_eq!(listed("created", "asc").await, ["pin", "paint", "noise", "crack"]);
        for order in ["asc", "desc"] {
            assert_eq!(listed("closed", order).await[0], "crack", "empty last");
        }
        assert_eq!(listed("issue_type_name", "asc").await[2..], ["pin", "noise"], "no type last");
        assert_eq!(listed("issue_type_name", "desc").await[0], "pin");
        let critical = listed("critical", "desc").await;
        assert!(critical[..2].contains(&"pin".to_owned()) && critical[..2].contains(&"noise".to_owned()), "{critical:?}");
        assert_eq!(listed("open", "asc").await[0], "crack");
        assert_eq!(listed("open", "desc").await[3], "crack");
        assert_eq!(team.listed("/issue", &[("limit", "2"), ("offset", "1")]).await, ["noise", "paint"]);
        let page = team.admin.get("/issue?count=true&limit=1&issue_open=true").await.expect(200);
        assert_eq!((page.header("x-total-count"), page.body.as_array().unwrap().len()), ("3", 1));
        for wrong in [
            ("sort_by", "title"), ("sorting_order", "up"), ("limit", "0"), ("limit", "10001"), ("offset", "-1"), ("issue_open", "2"),
            ("time_created_from", "soon"), ("with_links", "2"),
        ] {
            team.ask("/issue", &[wrong]).await.expect(422);
        }
        for order in ["asc", "desc"] {
            for sort_by in ["created", "closed", "updated", "issue_type_name", "critical", "open"] {
                let whole = listed(sort_by, order).await;
                let mut paged = Vec::new();
                for offset in ["0", "1", "2", "3"] {
                    paged.extend(team.listed("/issue", &[("sort_by", sort_by), ("sorting_order", order), ("limit", "1"), ("offset", offset)]).await);
                }
                assert_eq!(paged, whole, "{sort_by} {order}: pages neither overlap nor skip");
            }
        }
    }

    async fn links_are_shown_whole_when_asked_for(site) {
        let world = world(site).await;
        let team = &world.team;
        let row = async |key: &str, query: &str| team.get(&format!("/issue?issue_key={key}{query}")).await[0].clone();
        let plain = row(&world.keys[0], "").await;
        assert_eq!(plain.get("links"), None);
        assert_eq!(each(&plain["linked_to"], "code"), ["W-1", "W-1", "W-1"], "of a job, that of its order");
        let full = row(&world.keys[0], "&with_links=true").await;
        assert_eq!(full, team.read_issue(&world.keys[0]).await, "a list and a single read show the same");
        for (member, value) in plain.as_object().unwrap() {
            assert_eq!(full[member], *value, "{member}");
        }
        let links = &full["links"];
        assert_eq!((&links["job"]["_key"], &links["job"]["wo_key"]), (&json!(world.order.jobs[0]), &json!(world.order.key)));
        assert_eq!((&links["product"]["code"], &links["work_order"]["wo_code"]), (&json!("W-1"), &json!("W-1")));
        assert_eq!((&links["operation"], &links["phase"], &links["serial"]), (&json!(null), &json!(null), &json!(null)));
        let other = team.read_issue(&world.keys[1]).await;
        assert_eq!((&other["links"]["serial"]["code"], &other["links"]["phase"]["alias"]), (&json!("SN-7"), &json!("Phase 0")));
        assert_eq!((&other["phase_alias"], &other["links"]["job"]), (&json!("Phase 0"), &json!(null)));
        let third = team.read_issue(&world.keys[2]).await;
        assert_eq!((&third["links"]["operation"]["name"], &third["linked_to"][2]["code"]), (&json!("Work"), &json!("o2")));
        team.admin.get(&format!("/issue/{NOBODY}")).await.expect(404);
    }
}
