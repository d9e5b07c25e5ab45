//! Many at once: on one node of the embedded database, on two nodes of PostgreSQL.

use std::collections::HashSet;

use futures_util::future::join_all;

use super::*;
use crate::serials::together::{at_once, on_nodes};
use crate::warehouse::together::losers;

/// Runs a test on both engines, on all nodes. Whatever it did, what is stored has to be sound.
fn on_all_nodes(test: impl AsyncFn(&Site, &Team, &[String])) {
    on_nodes(async |site, nodes| {
        let team = team(site).await;
        test(site, &team, nodes).await;
        is_sound(site, &team).await;
    });
}

/// Critical is what issues say, codes of tasks differ, tasks have one owner, and no link or message is about nothing.
async fn is_sound(site: &Site, team: &Team) {
    critical_is_true(team).await;
    let tasks = team.get("/task?limit=10000").await;
    let codes: HashSet<String> = each(&tasks, "code").into_iter().collect();
    assert_eq!(codes.len(), tasks.as_array().unwrap().len());
    for task in tasks.as_array().unwrap() {
        let assigned = task["assigned_to"].as_array().unwrap();
        let owners: Vec<&Value> = assigned.iter().filter(|assignee| assignee["role"] == "owner").collect();
        assert_eq!(owners.len(), usize::from(!assigned.is_empty()), "{task}");
        assert_eq!(owners.first().map_or(&Value::Null, |owner| &owner["user_key"]), &task["owner_key"], "{task}");
    }
    let none = async |what: &str, statement: &str| {
        assert_eq!(site.look::<i64>(statement, vec![]).await, Some(0), "{what}");
    };
    none(
        "links of tasks to issues that there are not",
        "select count(*) from task_rel where type = 'issue' and record_id not in (select key from issue)",
    )
    .await;
    none(
        "links of deleted tasks, or to them",
        "select count(*)
         from task_rel
         join task on task.key = task_rel.task_key or (task_rel.type = 'task' and task.key = task_rel.record_id)
         where task.deleted is not null",
    )
    .await;
    none(
        "links between two tasks in both directions",
        "select count(*)
         from task_rel as one
         join task_rel as other on other.task_key = one.record_id and other.record_id = one.task_key
         where one.type = 'task' and other.type = 'task'",
    )
    .await;
}

fn at(who: &Person, nodes: &[String], index: usize) -> Person {
    who.at(&nodes[index % nodes.len()])
}

fn about(step: &str, key: &str) -> (&'static str, Value) {
    let event_type = match step {
        "CLOSED" => "ISSUE_CLOSED",
        "REOPENED" => "ISSUE_REOPENED",
        _ => "ISSUE_DELETED",
    };
    (event_type, json!({ "issue_data": { "_key": key } }))
}

#[test]
fn drawn_codes_have_no_gaps() {
    on_all_nodes(async |_, team, nodes| {
        let kind = team.task_type("Repair", json!({})).await;
        let counter = json!({ "_key": "tasks", "name": "Tasks", "template": ["T", "#4"] });
        team.admin.post("/counter", counter).await.expect(200);
        team.admin.patch("/config", json!({ "system_counters": { "tasks": "tasks" } })).await.expect(200);
        let backwards = json!({ "start_from": "2026-03-02", "due_by": "2026-03-01" });
        let sent = (0..50).map(|index| {
            let dates = if index % 5 == 4 { backwards.clone() } else { json!({}) };
            ("TASK_CREATED", with(json!({ "task_type_key": kind }), dates))
        });
        // These draw a code, and give it back.
        let taken_back = (0..5).map(|index| {
            let who = at(&team.ben, nodes, index);
            let shared = json!({ "event_type": "TASK_CREATED", "task_type_key": kind });
            let bulk = json!({ "shared_data": shared, "events": [{}, backwards] });
            async move { who.post("/event/bulk", bulk).await.expect(422) }
        });
        let (answers, _) = tokio::join!(at_once(&team.ann, nodes, sent.collect()), join_all(taken_back));
        let mut codes = Vec::new();
        for answer in answers {
            match answer.status {
                200 => codes.push(text(&answer.detail()["code"])),
                _ => _ = rule(answer, "TaskNotCreatedError", "bad_dates"),
            }
        }
        codes.sort_unstable();
        let wanted: Vec<String> = (1..=40).map(|number| format!("T{number:04}")).collect();
        assert_eq!(codes, wanted);
    });
}

#[test]
fn one_of_many_gets_the_code() {
    on_all_nodes(async |_, team, nodes| {
        let kind = team.task_type("Repair", json!({})).await;
        for round in 0..3 {
            let code =
                |index: usize| if index.is_multiple_of(2) { format!("a-{round}") } else { format!(" A-{round}") };
            let sent = (0..20).map(|index| ("TASK_CREATED", json!({ "task_type_key": kind, "code": code(index) })));
            for loser in losers(at_once(&team.ann, nodes, sent.collect()).await, 1) {
                rule(loser, "TaskNotCreatedError", "code_taken");
            }
        }
        let sent = (0..12).map(|index| {
            let who = at(&team.admin, nodes, index);
            async move { who.post(ISSUE_TYPES, json!({ "name": "x", "code": "one" })).await }
        });
        let made = join_all(sent).await;
        assert_eq!(made.iter().filter(|answer| answer.status == 201).count(), 1);
        assert!(made.iter().all(|answer| [201, 409].contains(&answer.status)));
    });
}

#[test]
fn a_task_has_one_owner_whoever_assigns_it() {
    on_all_nodes(async |_, team, nodes| {
        let kind = team.task_type("Repair", json!({})).await;
        let key = team.task(&kind, json!({})).await;
        let people = [&team.ann, &team.ben, &team.cat];
        let sent: Vec<(&'static str, Value)> = (0..18)
            .map(|index| {
                let (owner, other) = (people[index % 3], people[(index + 1) % 3]);
                let assigned = json!([{ "user_key": other.key }, { "user_key": owner.key, "role": "owner" }]);
                ("TASK_UPDATED", json!({ "task_key": key, "assigned_to": assigned }))
            })
            .collect();
        losers(at_once(&team.ann, nodes, sent).await, 18);
        let read = team.read_task(&key).await;
        assert_eq!(read["assigned_to"].as_array().unwrap().len(), 2, "one of the assignments, whole: {read}");
        for user in people {
            let found = team.get(&format!("/task?assigned_to={}", user.key)).await;
            let assigned =
                read["assigned_to"].as_array().unwrap().iter().any(|assignee| assignee["user_key"] == user.key);
            assert_eq!(found.as_array().unwrap().len(), usize::from(assigned));
        }
    });
}

/// Two who change different members at once keep both changes.
#[test]
fn changes_of_a_task_are_all_kept() {
    on_all_nodes(async |_, team, nodes| {
        team.fields().await;
        let form: Vec<Value> =
            (0..12).map(|number| json!({ "_key": format!("f{number}"), "custom_field_key": "weight" })).collect();
        let kind = team.task_type("Repair", json!({ "form_fields": form })).await;
        let key = team.task(&kind, json!({})).await;
        let sent = (0..12).map(|index| {
            let value = json!({ "form_field_key": format!("f{index}"), "value": index });
            ("TASK_UPDATED", json!({ "task_key": key, "form_fields": [value] }))
        });
        losers(at_once(&team.ann, nodes, sent.collect()).await, 12);
        let read = team.read_task(&key).await;
        for (number, field) in read["form_fields"].as_array().unwrap().iter().enumerate() {
            assert_eq!(field["value"], number, "{read}");
        }
    });
}

#[test]
fn one_link_where_only_one_is_allowed() {
    on_all_nodes(async |site, team, nodes| {
        let kind = team.task_type("Repair", json!({ "link_settings": [{ "type": "product", "enabled": true }] })).await;
        for number in 0..10 {
            team.traced(&format!("P{number}")).await;
        }
        for round in 0..3 {
            let key = team.task(&kind, json!({})).await;
            let sent = (0..10).map(|index| {
                ("TASK_LINKED", json!({ "task_key": key, "link_type": "product", "link_key": format!("P{index}") }))
            });
            for loser in losers(at_once(&team.ann, nodes, sent.collect()).await, 1) {
                rule(loser, "TaskNotLinkedError", "only_one");
            }
            assert_eq!(site.count("task_rel").await, round + 1);
        }
        let key = team.task(&kind, json!({})).await;
        let same = json!({ "task_key": key, "link_type": "product", "link_key": "P1" });
        for loser in losers(at_once(&team.ann, nodes, vec![("TASK_LINKED", same.clone()); 10]).await, 1) {
            rule(loser, "TaskNotLinkedError", "exists");
        }
        for loser in losers(at_once(&team.ann, nodes, vec![("TASK_UNLINKED", same); 10]).await, 1) {
            rule(loser, "TaskNotLinkedError", "no_such_link");
        }
    });
}

/// From both ends at once, which would wait for each other for ever if each locked its own first.
#[test]
fn tasks_are_linked_from_both_ends() {
    on_all_nodes(async |_, team, nodes| {
        let kind = team.linking_type("Repair").await;
        for _ in 0..6 {
            let [one, two] = [team.task(&kind, json!({})).await, team.task(&kind, json!({})).await];
            let link = |from: &str, to: &str| {
                ("TASK_LINKED", json!({ "task_key": from, "link_type": "task", "link_key": to }))
            };
            let sent = vec![link(&one, &two), link(&two, &one), link(&one, &two), link(&two, &one)];
            for loser in losers(at_once(&team.ann, nodes, sent).await, 1) {
                rule(loser, "TaskNotLinkedError", "exists");
            }
            let gone = ("TASK_DELETED", json!({ "task_key": one }));
            let other = team.task(&kind, json!({})).await;
            let answers = at_once(&team.ann, nodes, vec![gone, link(&other, &one), link(&two, &other)]).await;
            assert_eq!(answers[0].status, 200, "{}", answers[0].text);
            assert!([200, 422].contains(&answers[1].status), "{}", answers[1].text);
            assert_eq!(answers[2].status, 200, "{}", answers[2].text);
        }
    });
}

#[test]
fn a_task_ends_once() {
    on_all_nodes(async |_, team, nodes| {
        let kind = team.task_type("Repair", json!({})).await;
        for _ in 0..6 {
            let key = team.task(&kind, json!({})).await;
            let sent = (0..8).map(|index| {
                (if index % 2 == 0 { "TASK_COMPLETED" } else { "TASK_CANCELED" }, json!({ "task_key": key }))
            });
            let answers = at_once(&team.ann, nodes, sent.collect()).await;
            let status = team.read_task(&key).await["status"].clone();
            for loser in losers(answers, 1) {
                assert_eq!(refused(loser, "TaskStatusError")["status"], status);
            }
            let again = vec![("TASK_REOPENED", json!({ "task_key": key })); 6];
            for loser in losers(at_once(&team.ann, nodes, again).await, 1) {
                wrong_status(loser, "open");
            }
        }
    });
}

#[test]
fn an_issue_is_closed_and_opened_once() {
    on_all_nodes(async |_, team, nodes| {
        let kind = team.issue_type("Scratch", json!({})).await;
        let key = team.issue(json!({ "issue_type_key": kind })).await;
        for _ in 0..4 {
            for loser in losers(at_once(&team.ann, nodes, vec![about("CLOSED", &key); 8]).await, 1) {
                rule(loser, "IssueNotClosedError", "already_closed");
            }
            for loser in losers(at_once(&team.ann, nodes, vec![about("REOPENED", &key); 8]).await, 1) {
                rule(loser, "IssueNotUpdatedError", "already_open");
            }
        }
        for loser in losers(at_once(&team.admin, nodes, vec![about("DELETED", &key); 8]).await, 1) {
            nobody(loser, &key);
        }
    });
}

/// Issues about two orders, named in either order, are opened, closed, changed and deleted all at once.
#[test]
fn orders_and_jobs_are_critical_as_issues_say() {
    on_all_nodes(async |_, team, nodes| {
        let kind = team.issue_type("Scratch", json!({ "critical": true })).await;
        let (one, two) = (team.order("A").await, team.order("B").await);
        let mut links = [
            link("work_order", &one.key),
            link("job", &two.jobs[0]),
            link("work_order", &two.key),
            link("job", &one.jobs[0]),
        ];
        for _ in 0..4 {
            let mut keys = Vec::new();
            for _ in 0..12 {
                links.rotate_left(1);
                keys.push(team.issue(json!({ "issue_type_key": kind, "linked_to": links[..3] })).await);
            }
            let mut sent: Vec<(&'static str, Value)> = Vec::new();
            for (index, key) in keys.iter().enumerate() {
                links.rotate_left(1);
                let changed = json!({ "_key": key, "linked_to": links[..2] });
                sent.push(match index % 4 {
                    0 => about("CLOSED", key),
                    1 => about("DELETED", key),
                    2 => ("ISSUE_UPDATED", json!({ "issue_data": { "_key": key, "critical": false } })),
                    _ => ("ISSUE_UPDATED", json!({ "issue_data": changed })),
                });
                let new = json!({ "issue_type_key": kind, "open": index % 3 > 0, "linked_to": links[1..] });
                sent.push(("ISSUE_CREATED", json!({ "issue_data": new })));
            }
            let all = sent.len();
            losers(at_once(&team.admin, nodes, sent).await, all);
            critical_is_true(team).await;
            // All of them go at once, so that nothing is critical any more.
            let open = each(&team.get("/issue?limit=10000").await, "_key");
            let sent: Vec<_> = open.iter().map(|key| about("DELETED", key)).collect();
            let all = sent.len();
            losers(at_once(&team.admin, nodes, sent).await, all);
            for order in [&one, &two] {
                assert_eq!(team.shop.read(order).await["critical"], false);
            }
        }
    });
}

/// The flag is settled under the lock of the order, by which work goes on as well.
#[test]
fn work_goes_on_while_issues_come_and_go() {
    on_all_nodes(async |_, team, nodes| {
        let kind = team.issue_type("Scratch", json!({ "critical": true })).await;
        let order = team.shop.order("A", &[json!({ "production_batch_qt": 1 })], 8.0).await;
        let started = event(&team.ann, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let links = json!([link("work_order", &order.key), link("job", &order.jobs[0])]);
        let issues = (0..12).map(|index| {
            let data = json!({ "issue_type_key": kind, "open": index % 2 == 0, "linked_to": links });
            ("ISSUE_CREATED", json!({ "issue_data": data }))
        });
        let work = async {
            let mut batch = started["batch_data"].clone();
            for _ in 0..4 {
                let done = crate::production::complete(&team.ann, &batch, json!({})).await.detail();
                batch = done["batch_data"].clone();
            }
        };
        let (answers, ()) = tokio::join!(at_once(&team.ben, nodes, issues.collect()), work);
        losers(answers, 12);
        let read = team.shop.read(&order).await;
        assert_eq!(
            (&read["critical"], &read["jobs"][0]["critical"], &read["jobs"][0]["qt_completed"]),
            (&json!(true), &json!(true), &json!(4))
        );
    });
}

#[test]
fn a_type_is_deleted_or_used() {
    on_all_nodes(async |_, team, nodes| {
        for round in 0..6 {
            let (task_type, issue_type) =
                (team.task_type("Repair", json!({})).await, team.issue_type("Scratch", json!({})).await);
            let (first, second) = (at(&team.admin, nodes, round), at(&team.ann, nodes, round + 1));
            let task_path = format!("{TASK_TYPES}/{task_type}");
            let (gone, used) = tokio::join!(first.delete(&task_path), create(&second, &task_type, json!({})));
            match (gone.status, used.status) {
                (200, _) => nobody(used, &task_type),
                (409, 200) => assert_eq!(gone.body["detail"]["task_count"], 1),
                _ => panic!("{} {}", gone.text, used.text),
            }
            let issue_path = format!("{ISSUE_TYPES}/{issue_type}");
            let untyped = team.issue(json!({})).await;
            let typed = json!({ "issue_type_key": issue_type });
            let (gone, used, closed) = tokio::join!(
                first.delete(&issue_path),
                issue(&second, "CREATED", typed.clone()),
                issue_step(&first, "CLOSED", &untyped, typed.clone()),
            );
            let users = [&used, &closed].iter().filter(|answer| answer.status == 200).count();
            match gone.status {
                200 => {
                    nobody(used, &issue_type);
                    nobody(closed, &issue_type);
                }
                _ => assert!(users > 0 && gone.status == 409, "{} {} {}", gone.text, used.text, closed.text),
            }
        }
    });
}

#[test]
fn nothing_is_said_or_linked_about_what_is_gone() {
    on_all_nodes(async |site, team, nodes| {
        let kind = team.linking_type("Repair").await;
        let task_key = team.task(&kind, json!({})).await;
        for _ in 0..6 {
            let key = team.issue(json!({})).await;
            let mut sent = vec![about("DELETED", &key)];
            sent.push(("TASK_LINKED", json!({ "task_key": task_key, "link_type": "issue", "link_key": key })));
            for number in 0..4 {
                let said = json!({ "recipient": format!("Issue/{key}"), "content": number.to_string() });
                sent.push(("MESSAGE_POSTED", said));
            }
            let answers = at_once(&team.admin, nodes, sent).await;
            assert_eq!(answers[0].status, 200, "{}", answers[0].text);
            for answer in answers.into_iter().filter(|answer| answer.status != 200) {
                refused(answer, "RecordNotFoundError");
            }
            team.admin.get(&format!("/message?recipient_id=Issue/{key}")).await.expect(404);
        }
        assert_eq!((site.count("message").await, site.count("issue").await), (0, 0));
        assert_eq!(team.read_task(&task_key).await["links"], json!([]));
    });
}

#[test]
fn a_message_is_changed_and_deleted() {
    on_all_nodes(async |site, team, nodes| {
        let recipient = format!("Issue/{}", team.issue(json!({})).await);
        for _ in 0..4 {
            let key = said(&team.ann, &recipient, "one").await;
            let mut sent = vec![("MESSAGE_UPDATED", json!({ "message_key": key, "content": "two" })); 6];
            sent.push(("MESSAGE_DELETED", json!({ "message_key": key })));
            let answers = at_once(&team.ann, nodes, sent).await;
            assert_eq!(answers[6].status, 200, "{}", answers[6].text);
            for answer in answers.into_iter().filter(|answer| answer.status != 200) {
                rule(answer, "MessageNotUpdatedError", "deleted");
            }
        }
        let left: i64 = site.look("select count(*) from message where content <> ''", vec![]).await.unwrap();
        assert_eq!(left, 0, "what was deleted stays so");
    });
}

#[test]
fn time_is_recorded_or_the_task_is_closed() {
    on_all_nodes(async |site, team, nodes| {
        let kind = team.task_type("Repair", json!({ "require_time_entry": true })).await;
        let time =
            |key: &str| json!({ "task_key": key, "start": "2026-02-01T08:00:00Z", "end": "2026-02-01T08:00:01Z" });
        let mut recorded = 0;
        for _ in 0..4 {
            let key = team.task(&kind, json!({})).await;
            event(&team.ann, "TASK_TIME_RECORDED", time(&key)).await.expect(200);
            let mut sent = vec![("TASK_TIME_RECORDED", time(&key)); 6];
            sent.push(("TASK_COMPLETED", json!({ "task_key": key })));
            let answers = at_once(&team.ann, nodes, sent).await;
            assert_eq!(answers[6].status, 200, "{}", answers[6].text);
            let spent = 1 + answers[..6].iter().filter(|answer| answer.status == 200).count();
            for answer in answers.into_iter().filter(|answer| answer.status != 200) {
                wrong_status(answer, "completed");
            }
            assert_eq!(team.read_task(&key).await["time_spent"][0]["duration"], spent * 1_000);
            recorded += spent;
        }
        assert_eq!(site.count("work_session").await, recorded as i64);
    });
}
