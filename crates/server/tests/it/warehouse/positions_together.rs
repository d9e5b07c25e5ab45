//! Many who change the tree of positions at once.

use futures_util::future::join_all;
use testkit::{Method, form};

use super::together::{on_all_nodes, turn};
use super::*;

fn statuses(answers: &[Answer]) -> Vec<u16> {
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    statuses
}

#[test]
fn one_of_many_gets_the_code() {
    on_all_nodes(async |_, keepers| {
        for round in 0..3 {
            let code =
                |index: usize| if index.is_multiple_of(2) { format!("a-{round}") } else { format!(" A-{round}") };
            let tries = (0..20).map(|index| turn(keepers, index).post("/position", json!({ "code": code(index) })));
            let answers: Vec<Answer> = join_all(tries).await;
            assert_eq!(statuses(&answers)[..2], [200, 409]);
            assert!(answers.iter().all(|answer| [200, 409].contains(&answer.status)));
        }
    });
}

#[test]
fn drawn_codes_are_all_different() {
    on_all_nodes(async |site, keepers| {
        let tries = (0..20).map(|index| turn(keepers, index).post("/position", json!({})));
        let made: std::collections::HashSet<String> = join_all(tries)
            .await
            .into_iter()
            .map(|answer| answer.expect(200).detail()["code"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!((made.len(), site.count("position").await), (20, 23));
    });
}

#[test]
fn two_can_not_go_into_each_other() {
    on_all_nodes(async |_, keepers| {
        for round in 0..8 {
            let (c, d) = (format!("C{round}"), format!("D{round}"));
            make(&keepers[0], &c, "IN").await;
            make(&keepers[0], &d, "IN").await;
            let (first, second) = (format!("/position/{c}"), format!("/position/{d}"));
            let (one, other) = tokio::join!(
                turn(keepers, 0).patch(&first, json!({ "parent_position_key": d })),
                turn(keepers, 1).patch(&second, json!({ "parent_position_key": c })),
            );
            let (won, lost) = if one.status == 200 { (one, other) } else { (other, one) };
            won.expect(200);
            assert_eq!(cycle(lost).as_array().unwrap().len(), 2);
        }
    });
}

#[test]
fn nothing_is_put_into_what_is_deleted() {
    on_all_nodes(async |_, keepers| {
        for round in 0..8 {
            let (parent, moved) = (format!("P{round}"), format!("M{round}"));
            make(&keepers[0], &parent, "IN").await;
            make(&keepers[0], &moved, "IN").await;
            let new = json!({ "code": format!("N{round}"), "parent_position_key": parent });
            let change = json!({ "parent_position_key": parent });
            let (parent, moved) = (format!("/position/{parent}"), format!("/position/{moved}"));
            let file = format!("code,parent_code\nI{round},P{round}\n");
            let keeper = &keepers[0];
            let request = keeper.request(Method::POST, "/position-import");
            let tried =
                keeper.send(request.multipart(form(&[], &[("file", "a.csv", file.as_bytes())]))).await.expect(200);
            let fields = [("dry_run", "false"), ("file_key", tried.body["file_key"].as_str().unwrap())];
            let (gone, made, put, imported) = tokio::join!(
                turn(keepers, 1).delete(&parent),
                turn(keepers, 0).post("/position", new),
                turn(keepers, 1).patch(&moved, change),
                keeper.upload(Method::POST, "/position-import", &fields, &[]),
            );
            let others = [made.status, put.status, imported.status];
            match gone.status {
                200 => assert_eq!(others, [422, 422, 422], "whoever comes later finds no parent"),
                400 => assert!(others.contains(&200), "{others:?}"),
                other => panic!("{other}: {}", gone.text),
            }
        }
    });
}

#[test]
fn random_moves_leave_a_tree() {
    on_all_nodes(async |_, keepers| {
        let names: Vec<String> = (0..10).map(|number| format!("T{number}")).collect();
        for name in &names {
            make(&keepers[0], name, "IN").await;
        }
        // All go at once into one that goes elsewhere itself, so that many rounds are tried.
        for step in [1, 2, 3, 7] {
            let moves = (0..names.len()).map(|index| {
                let parent = json!({ "parent_position_key": names[(index + step) % names.len()] });
                let path = format!("/position/{}", names[index]);
                async move { turn(keepers, index).patch(&path, parent).await }
            });
            for answer in join_all(moves).await {
                if answer.status != 200 {
                    cycle(answer);
                }
            }
        }
    });
}
