//! What tasks are linked to: by the settings of their types, seen from both ends.

use domain::key::id_to_text;
use testkit::on_both_engines;

use super::*;

#[track_caller]
fn not_linked(answer: Answer, code: &str) {
    rule(answer, "TaskNotLinkedError", code);
}

/// A record of each kind, by the names of the kinds, with its code; of an issue there is none.
async fn records(team: &Team) -> Vec<(&'static str, String, Value)> {
    team.traced("T").await;
    let kind = team.linking_type("Other").await;
    vec![
        ("issue", team.issue(json!({ "title": "Bent pin" })).await, Value::Null),
        ("work_order", team.order("A").await.key, json!("A")),
        ("product", "T".to_owned(), json!("T")),
        ("serial", team.unit("T", "SN-1", json!({})).await, json!("SN-1")),
        ("task", team.task(&kind, json!({ "code": "other" })).await, json!("OTHER")),
    ]
}

/// The kinds and keys of what a task is linked to, sorted.
async fn linked(team: &Team, key: &str) -> Vec<Value> {
    let read = team.read_task(key).await;
    let mut links: Vec<Value> =
        read["links"].as_array().unwrap().iter().map(|link| json!([link["type"], link["key"]])).collect();
    links.sort_by_key(Value::to_string);
    links
}

/// Links of the task `FULL` to products that are gone.
const MANY_LINKS: &str = "
    insert into task_rel (key, task_key, type, record_key, created, created_by)
    with recursive number(n) as (select 1 union all select n + 1 from number where n < 999)
    select number.n, task.key, 'product', 'P' || number.n, 0, 'ann'
    from number
    cross join task
    where task.code = 'FULL'";

on_both_engines! {
    async fn a_task_is_linked_to_records_of_every_kind(site) {
        let team = team(site).await;
        let kind = team.linking_type("Repair").await;
        let key = team.task(&kind, json!({})).await;
        for (link_type, record, code) in records(&team).await {
            let made = task_link(&team.ann, "LINKED", &key, link_type, &record).await.detail();
            let read = team.read_task(&key).await;
            let links = read["links"].as_array().unwrap();
            let shown = links.iter().find(|link| link["type"] == link_type).unwrap();
            assert_eq!((&shown["key"], &shown["l"]["_key"]), (&json!(record), &json!(record)), "{shown}");
            assert_eq!(shown["link_key"], made["link_key"], "of the link itself");
            let edge: i64 = site.look("select key from task_rel order by key desc limit 1", vec![]).await.unwrap();
            assert_eq!(made["link_key"], id_to_text(edge));
            if !code.is_null() {
                assert_eq!(shown["code"], code, "{shown}");
            }
            let edge: (i64, String) = site.look("select created, created_by from task_rel order by key desc limit 1", vec![]).await.unwrap();
            assert_eq!(edge, (site.clock.now().millis(), team.ann.key.clone()));
            not_linked(task_link(&team.ann, "LINKED", &key, link_type, &record).await, "exists");
            nobody(task_link(&team.ann, "LINKED", &key, link_type, NOBODY).await, NOBODY);
            let stored = team.stored(&made).await;
            assert_eq!((&stored["task_key"], &stored["payload"]["link_type"]), (&json!(key), &json!(link_type)));
        }
        assert_eq!(linked(&team, &key).await.len(), 5);
        for link in team.read_task(&key).await["links"].as_array().unwrap() {
            let (link_type, record) = (text(&link["type"]), text(&link["key"]));
            let gone = task_link(&team.ben, "UNLINKED", &key, &link_type, &record).await.detail();
            assert_eq!(gone["link_key"], link["link_key"]);
            not_linked(task_link(&team.ben, "UNLINKED", &key, &link_type, &record).await, "no_such_link");
        }
        assert_eq!((linked(&team, &key).await, site.count("task_rel").await), (vec![], 0));
    }

    async fn the_type_says_what_is_linked(site) {
        let team = team(site).await;
        team.traced("T").await;
        team.traced("U").await;
        let settings = json!([{ "type": "product", "enabled": true }]);
        let kind = team.task_type("Repair", json!({ "link_settings": settings })).await;
        let key = team.task(&kind, json!({})).await;
        let unit = team.unit("T", "T-1", json!({})).await;
        not_linked(task_link(&team.ann, "LINKED", &key, "serial", &unit).await, "not_enabled");
        task_link(&team.ann, "LINKED", &key, "product", "T").await.expect(200);
        not_linked(task_link(&team.ann, "LINKED", &key, "product", "U").await, "only_one");
        not_linked(task_link(&team.ann, "LINKED", &key, "product", "T").await, "exists");
        task_link(&team.ann, "UNLINKED", &key, "product", "T").await.expect(200);
        task_link(&team.ann, "LINKED", &key, "product", "U").await.expect(200);
        let more = json!({ "name": "Repair", "link_settings": [{ "type": "product", "enabled": true, "allow_multiple": true }] });
        team.admin.put(&format!("{TASK_TYPES}/{kind}"), more).await.expect(200);
        task_link(&team.ann, "LINKED", &key, "product", "T").await.expect(200);
        let off = json!({ "name": "Repair", "link_settings": [] });
        team.admin.put(&format!("{TASK_TYPES}/{kind}"), off).await.expect(200);
        assert_eq!(linked(&team, &key).await.len(), 2, "what is linked stays");
        task_link(&team.ann, "UNLINKED", &key, "product", "T").await.expect(200);
        for (members, place) in [
            (json!({ "link_type": "user", "link_key": "x" }), "body.link_type"),
            (json!({ "link_type": "product" }), "body.link_key"),
            (json!({ "link_key": "T" }), "body.link_type"),
        ] {
            faulty(task(&team.ann, "LINKED", &key, members).await, place);
        }
        nobody(task_link(&team.ann, "LINKED", NOBODY, "product", "T").await, NOBODY);
    }

    async fn tasks_see_each_other(site) {
        let team = team(site).await;
        let kind = team.linking_type("Repair").await;
        let [one, two] = [team.task(&kind, json!({ "code": "ONE" })).await, team.task(&kind, json!({ "code": "TWO" })).await];
        not_linked(task_link(&team.ann, "LINKED", &one, "task", &one).await, "self");
        task_link(&team.ann, "LINKED", &one, "task", &two).await.expect(200);
        assert_eq!((linked(&team, &one).await, linked(&team, &two).await), (vec![json!(["task", two])], vec![json!(["task", one])]));
        let shown = team.read_task(&two).await["links"][0].clone();
        assert_eq!((&shown["code"], &shown["l"]["code"]), (&json!("ONE"), &json!("ONE")));
        not_linked(task_link(&team.ann, "LINKED", &two, "task", &one).await, "exists");
        task_link(&team.ann, "UNLINKED", &two, "task", &one).await.expect(200);
        assert_eq!((linked(&team, &one).await, linked(&team, &two).await), (vec![], vec![]), "the same link from both ends");
    }

    /// A link between two tasks is one of each of them.
    async fn both_tasks_have_to_allow_a_link_between_them(site) {
        let team = team(site).await;
        let setting = |several: bool| json!({ "link_settings": [{ "type": "task", "enabled": true, "allow_multiple": several }] });
        let one_only = team.task_type("One", setting(false)).await;
        let many = team.task_type("Many", setting(true)).await;
        let none = team.task_type("None", json!({})).await;
        let [a, b] = [team.task(&many, json!({})).await, team.task(&many, json!({})).await];
        let (one, off) = (team.task(&one_only, json!({})).await, team.task(&none, json!({})).await);
        for (from, to) in [(&a, &off), (&off, &a)] {
            not_linked(task_link(&team.ann, "LINKED", from, "task", to).await, "not_enabled");
        }
        task_link(&team.ann, "LINKED", &a, "task", &one).await.expect(200);
        for (from, to) in [(&b, &one), (&one, &b)] {
            not_linked(task_link(&team.ann, "LINKED", from, "task", to).await, "only_one");
        }
        for (from, to) in [(&a, &one), (&one, &a)] {
            not_linked(task_link(&team.ann, "LINKED", from, "task", to).await, "exists");
        }
        task_link(&team.ann, "LINKED", &a, "task", &b).await.expect(200);
        task_link(&team.ann, "UNLINKED", &one, "task", &a).await.expect(200);
        task_link(&team.ann, "LINKED", &b, "task", &one).await.expect(200);
        assert_eq!((linked(&team, &one).await, linked(&team, &off).await), (vec![json!(["task", b])], vec![]));
    }

    async fn a_task_has_at_most_a_thousand_links(site) {
        let team = team(site).await;
        team.traced("T").await;
        team.traced("U").await;
        let kind = team.linking_type("Repair").await;
        let [full, other] = [team.task(&kind, json!({ "code": "FULL" })).await, team.task(&kind, json!({})).await];
        assert_eq!(site.execute(MANY_LINKS, vec![]).await, 999);
        task_link(&team.ann, "LINKED", &full, "product", "T").await.expect(200);
        not_linked(task_link(&team.ann, "LINKED", &full, "product", "U").await, "too_many");
        not_linked(task_link(&team.ann, "LINKED", &full, "product", "T").await, "exists");
        not_linked(task_link(&team.ann, "LINKED", &other, "task", &full).await, "too_many");
        task_link(&team.ann, "UNLINKED", &full, "product", "T").await.expect(200);
        task_link(&team.ann, "LINKED", &other, "task", &full).await.expect(200);
        not_linked(task_link(&team.ann, "LINKED", &full, "product", "T").await, "too_many");
        assert_eq!(linked(&team, &full).await.len(), 1000);
        task(&team.ann, "COMPLETED", &full, json!({})).await.expect(200);
    }

    /// Links go with what they lead to.
    async fn links_end_with_their_records(site) {
        let team = team(site).await;
        let kind = team.linking_type("Repair").await;
        let key = team.task(&kind, json!({})).await;
        let records = records(&team).await;
        for (link_type, record, _) in &records {
            task_link(&team.ann, "LINKED", &key, link_type, record).await.expect(200);
        }
        let record = |kind: &str| records.iter().find(|(name, _, _)| *name == kind).unwrap().1.clone();
        issue_step(&team.admin, "DELETED", &record("issue"), json!({})).await.expect(200);
        task(&team.ann, "DELETED", &record("task"), json!({})).await.expect(200);
        team.admin.delete(&format!("/work-order/{}", record("work_order"))).await.expect(200);
        let left = linked(&team, &key).await;
        for kind in ["issue", "task", "work_order"] {
            assert!(left.iter().all(|link| link[0] != kind), "{kind}: {left:?}");
        }
        assert!(left.contains(&json!(["product", "T"])), "{left:?}");
    }
}
