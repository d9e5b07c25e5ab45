//! Many at once: on one node of the embedded database, on two nodes of PostgreSQL.

use futures_util::future::join_all;
use testkit::{Engine, block_on};

use super::*;

/// How many events are sent at once.
const WRITERS: usize = 64;

/// Runs a test on both engines, with a second node where there can be one; it gets the addresses of the nodes.
pub(crate) fn on_nodes(test: impl AsyncFn(&Site, &[String])) {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        block_on(async {
            let site = Site::start(engine).await;
            let second = match engine {
                Engine::Postgres => Some(site.second_node().await),
                Engine::Sqlite => None,
            };
            let mut nodes = vec![site.base()];
            nodes.extend(second.iter().map(|node| format!("http://{}", node.address)));
            test(&site, &nodes).await;
            if let Some(second) = second {
                second.stop().await;
            }
            site.check_audit().await;
            site.stop().await;
        });
    }
}

/// The same in a plant; people go to the nodes in turn. Whatever the test did, what is stored has to be sound.
fn on_all_nodes(test: impl AsyncFn(&Site, &Plant, &[String])) {
    on_nodes(async |site, nodes| {
        test(site, &plant(site).await, nodes).await;
        is_sound(site).await;
    });
}

/// No unit is in two others, no two live units of a product have the same code, and no unit is a part of itself.
async fn is_sound(site: &Site) {
    let none = async |what: &str, statement: &str| {
        assert_eq!(site.look::<i64>(statement, vec![]).await, Some(0), "{what}");
    };
    none(
        "units in two others",
        "select count(*)
         from (select child_key from serial_link where not replaced group by child_key having count(*) > 1) as twice",
    )
    .await;
    none(
        "codes that two units have",
        "select count(*)
         from (select product_id, code
               from serial
               where deleted is null and code is not null
               group by product_id, code
               having count(*) > 1) as twice",
    )
    .await;
    none(
        "units that are parts of themselves",
        "with recursive up (id, above) as (
             select child_key, parent_key
             from serial_link
             where not replaced and parent_key is not null
             union
             select up.id, next.parent_key
             from up
             join serial_link as next on next.child_key = up.above
             where not next.replaced and next.parent_key is not null
         )
         select count(*) from up where id = above",
    )
    .await;
}

/// Sends all events at once, in turn to the nodes.
pub(crate) async fn at_once(who: &Person, nodes: &[String], events: Vec<(&'static str, Value)>) -> Vec<Answer> {
    let sent = events.into_iter().enumerate().map(|(index, (event_type, members))| {
        let who = who.at(&nodes[index % nodes.len()]);
        async move { event(&who, event_type, members).await }
    });
    join_all(sent).await
}

/// Splits off the answers that are refusals, each of which has to be by this error and this rule, where there is one.
#[track_caller]
fn winners(answers: Vec<Answer>, error_type: &str, by: Option<&str>) -> Vec<Value> {
    let (won, lost): (Vec<Answer>, Vec<Answer>) = answers.into_iter().partition(|answer| answer.status == 200);
    for answer in lost {
        match by {
            Some(by) => _ = rule(answer, error_type, by),
            None => _ = refused(answer, error_type),
        }
    }
    won.into_iter().map(Answer::detail).collect()
}

async fn active_links(site: &Site) -> i64 {
    site.look("select count(*) from serial_link where not replaced", vec![]).await.unwrap()
}

/// Makes so many units; gives their keys.
async fn units(plant: &Plant, count: usize) -> Vec<String> {
    let made = create(&plant.operator, json!({ "product_key": "P", "count": count })).await.detail();
    each(&made["serials"], "serial_key")
}

fn link(child: &str, parent: &str) -> (&'static str, Value) {
    ("SERIAL_LINKED", json!({ "child_serial_key": child, "parent_serial_key": parent }))
}

#[test]
fn one_of_many_gets_the_code() {
    on_all_nodes(async |site, plant, nodes| {
        plant.product("P", json!({ "counter_key": "units" })).await;
        for round in 0..3 {
            let code =
                |index: usize| if index.is_multiple_of(2) { format!("ab-{round}") } else { format!(" AB-{round} ") };
            let tries = (0..WRITERS)
                .map(|index| ("SERIAL_CREATED", json!({ "product_key": "P", "code": code(index) })))
                .collect();
            let won = winners(at_once(&plant.operator, nodes, tries).await, "SerialCodeAlreadyPresent", None);
            assert_eq!(won.len(), 1, "{won:?}");
            assert_eq!(site.count("serial").await, round + 1);
        }
        // The same when units get another code.
        let units = units(plant, WRITERS).await;
        for round in 0..3 {
            let change = |serial: &String| {
                ("SERIAL_UPDATED", json!({ "serial_key": serial, "serial_code": format!("new-{round}") }))
            };
            let tries = units.iter().map(change).collect();
            let won = winners(at_once(&plant.operator, nodes, tries).await, "SerialCodeAlreadyPresent", None);
            assert_eq!(won.len(), 1, "{won:?}");
        }
    });
}

#[test]
fn no_code_is_drawn_twice_and_none_is_left_out() {
    on_all_nodes(async |_, plant, nodes| {
        plant.product("P", json!({ "counter_key": "units" })).await;
        plant.product("Q", json!({ "counter_key": "units" })).await;
        let tries = (0..WRITERS).map(|index| {
            let product = if index.is_multiple_of(2) { "P" } else { "Q" };
            // Every fourth is refused after it has drawn, or before.
            let data = if index % 4 == 3 { json!([{ "custom_field_key": "nobody", "value": 1 }]) } else { json!([]) };
            ("SERIAL_CREATED", json!({ "product_key": product, "count": 5, "data": data }))
        });
        let won = winners(at_once(&plant.operator, nodes, tries.collect()).await, "FormFieldValueError", None);
        assert_eq!(won.len(), WRITERS * 3 / 4);
        let mut codes: Vec<String> = won.iter().flat_map(|made| each(&made["serials"], "code")).collect();
        codes.sort_unstable();
        assert_eq!(codes, (1..=5 * won.len()).map(|tick| format!("SN-{tick:05}")).collect::<Vec<_>>());
    });
}

#[test]
fn two_units_never_contain_each_other() {
    on_all_nodes(async |site, plant, nodes| {
        plant.product("P", json!({ "counter_key": "units" })).await;
        for round in 0..3 {
            let keys = units(plant, 2).await;
            let either_way = |index: usize| link(&keys[index % 2], &keys[1 - index % 2]);
            let answers = at_once(&plant.operator, nodes, (0..WRITERS).map(either_way).collect()).await;
            let won = winners(answers, "SerialNotLinkedError", Some("loop"));
            assert_eq!(won.len(), WRITERS / 2, "the same link again is fine");
            assert!(won.iter().all(|made| made["link_key"] == won[0]["link_key"]), "{won:?}");
            assert_eq!(active_links(site).await, round + 1);
        }
    });
}

/// Each link alone is good; all of them together would be a loop.
#[test]
fn a_ring_is_never_closed() {
    on_all_nodes(async |_, plant, nodes| {
        plant.product("P", json!({ "counter_key": "units" })).await;
        for size in [4, 8, WRITERS] {
            let rings = WRITERS / size;
            let keys = units(plant, WRITERS).await;
            let links = keys
                .chunks(size)
                .flat_map(|ring| (0..size).map(move |place| link(&ring[place], &ring[(place + 1) % size])));
            let answers = at_once(&plant.operator, nodes, links.collect()).await;
            assert_eq!(winners(answers, "SerialNotLinkedError", Some("loop")).len(), WRITERS - rings);
            for ring in keys.chunks(size) {
                let mut open = 0;
                for key in ring {
                    let above = plant.get(&format!("/serial-parents?serial_key={key}")).await;
                    open += usize::from(above == json!([]));
                }
                assert_eq!(open, 1, "one of them is in no other");
            }
        }
    });
}

#[test]
fn one_of_many_builds_the_unit_in() {
    on_all_nodes(async |site, plant, nodes| {
        plant.product("P", json!({ "counter_key": "units" })).await;
        for round in 0..3 {
            let keys = units(plant, WRITERS + 1).await;
            let (child, parents) = keys.split_first().unwrap();
            let links = |replace: bool| -> Vec<(&'static str, Value)> {
                let into = |parent: &String| {
                    let (event_type, mut members) = link(child, parent);
                    members["replace_existing"] = json!(replace);
                    (event_type, members)
                };
                parents.iter().map(into).collect()
            };
            let won = winners(
                at_once(&plant.operator, nodes, links(false)).await,
                "SerialNotLinkedError",
                Some("already_used"),
            );
            assert_eq!(won.len(), 1, "{won:?}");
            assert_eq!(active_links(site).await, round + 1);
            let above = plant.get(&format!("/serial-parents?serial_key={child}")).await;
            assert_eq!(above[0]["link_key"], won[0]["link_key"]);

            // Whoever may take it away does so, one after the other.
            for answer in at_once(&plant.operator, nodes, links(true)).await {
                answer.expect(200);
            }
            assert_eq!(active_links(site).await, round + 1);
            let above = plant.get(&format!("/serial-parents?serial_key={child}")).await;
            assert_eq!(above.as_array().unwrap().len(), 1);
        }
    });
}

#[test]
fn a_unit_ends_once() {
    on_all_nodes(async |_, plant, nodes| {
        plant.product("P", json!({ "counter_key": "units" })).await;
        for _ in 0..5 {
            let unit = plant.made(json!({ "product_key": "P", "released": null })).await;
            let tries = vec![("SERIAL_RELEASED", json!({ "serial_key": unit })); 8];
            let won = winners(
                at_once(&plant.operator, nodes, tries).await,
                "SerialNotReleasedError",
                Some("already_released"),
            );
            assert_eq!(won.len(), 1, "{won:?}");
            let tries = vec![("SERIAL_SCRAPPED", json!({ "serial_key": unit, "reason": "flood" })); 8];
            let won = winners(
                at_once(&plant.operator, nodes, tries).await,
                "SerialNotScrappedError",
                Some("already_scrapped"),
            );
            assert_eq!(won.len(), 1, "{won:?}");
            let tries = vec![("SERIAL_DELETED", json!({ "serial_key": unit })); 8];
            let won = winners(at_once(&plant.admin, nodes, tries).await, "RecordNotFoundError", None);
            assert_eq!(won.len(), 1, "{won:?}");
        }
        let made = create(&plant.operator, json!({ "product_key": "P" })).await.detail();
        assert_eq!(made["code"], "SN-00006", "each unit drew one code");
    });
}

/// A unit that is built in is neither scrapped nor deleted, and one that is scrapped or deleted is not built in.
#[test]
fn a_unit_is_built_in_or_ends() {
    on_all_nodes(async |site, plant, nodes| {
        plant.product("P", json!({ "counter_key": "units" })).await;
        for round in 0..4 {
            let keys = units(plant, WRITERS).await;
            // The second of a pair contains the first, or one of them ends.
            let ended = round / 2;
            let events = keys.chunks(2).flat_map(|pair| {
                let end = match round % 2 {
                    0 => ("SERIAL_SCRAPPED", json!({ "serial_key": pair[ended], "reason": "flood" })),
                    _ => ("SERIAL_DELETED", json!({ "serial_key": pair[ended] })),
                };
                [link(&pair[0], &pair[1]), end]
            });
            let answers = at_once(&plant.admin, nodes, events.collect()).await;
            for pair in answers.chunks(2) {
                let texts: Vec<&String> = pair.iter().map(|answer| &answer.text).collect();
                match (ended, pair[0].status, pair[1].status) {
                    (_, 422, 200) => {}
                    (0, 200, 422) => assert_eq!(pair[1].body["detail"]["rule"], "used", "{texts:?}"),
                    // What contains others may end: scrapped it keeps them, deleted it lets them go.
                    (1, 200, 200) => {}
                    other => panic!("{other:?}: {texts:?}"),
                }
            }
        }
        let wrong: i64 = site
            .look(
                "select count(*) from serial_link
                 join serial as child on child.key = serial_link.child_key
                 join serial as parent on parent.key = serial_link.parent_key
                 where not serial_link.replaced
                   and (child.scrapped is not null or child.deleted is not null or parent.deleted is not null)",
                vec![],
            )
            .await
            .unwrap();
        assert_eq!(wrong, 0);
    });
}

#[test]
fn bulks_over_the_same_units_wait_for_each_other() {
    on_all_nodes(async |site, plant, nodes| {
        plant.fields().await;
        plant.products(&["A"]).await;
        let codes: Vec<String> = (0..300).map(|number| format!("A{number}")).collect();
        event(&plant.operator, "SERIAL_CREATED", json!({ "product_key": "A", "codes": codes })).await.expect(200);
        let units = each(&plant.get("/serial?limit=300").await, "_key");
        let bulks = (0..4).map(|number| {
            let mut rows: Vec<Value> =
                units.iter().map(|unit| json!({ "serial_key": unit, "serial_data": [{ "custom_field_key": "weight", "value": number }] })).collect();
            if number % 2 == 1 {
                rows.reverse();
            }
            let bulk = json!({ "shared_data": { "event_type": "SERIAL_UPDATED" }, "events": rows });
            let admin = plant.admin.at(&nodes[number % nodes.len()]);
            async move { admin.post("/event/bulk", bulk).await.expect(200) }
        });
        join_all(bulks).await;
        if nodes.len() > 1 {
            let deadlocks = "select deadlocks from pg_stat_database where datname = current_database()";
            assert_eq!(site.look::<i64>(deadlocks, vec![]).await, Some(0));
        }
    });
}

/// Whoever releases a unit sees what was taken out of it, at any depth, by anybody who was first.
#[test]
fn nothing_is_released_without_evidence_that_is_gone() {
    on_all_nodes(async |site, plant, nodes| {
        plant.product("C", json!({})).await;
        for product in ["B", "A"] {
            plant.product(product, json!({ "traceability_level": "complete" })).await;
        }
        plant.bom("B", &[("C", 1.0)]).await;
        plant.bom("A", &[("B", 1.0)]).await;
        plant.admin.patch("/config", json!({ "block_release_on_missing_evidence": true })).await.expect(200);
        for round in 0..12 {
            let unit = async |product: &str| {
                let sent = json!({ "product_key": product, "code": format!("{product}-{round}"), "released": null });
                plant.made(sent).await
            };
            let [top, middle, leaf] = [unit("A").await, unit("B").await, unit("C").await];
            plant.link(&leaf, &middle).await.expect(200);
            plant.link(&middle, &top).await.expect(200);
            let (child, parent) = if round % 3 == 0 { (&middle, &top) } else { (&leaf, &middle) };
            let unlink = ("SERIAL_UNLINKED", json!({ "child_serial_key": child, "parent_serial_key": parent }));
            let release = ("SERIAL_RELEASED", json!({ "serial_key": top }));
            let answers = at_once(&plant.admin, nodes, vec![release, unlink]).await;
            let [released, unlinked] = <[Answer; 2]>::try_from(answers).unwrap();
            unlinked.expect(200);
            let seq = async |event_type: &str, serial: &str| {
                let sql = "select max(seq) from event where event_type = $1 and serial_key = $2";
                let key = domain::key::id_from_text(serial).unwrap();
                site.look::<Option<i64>>(sql, vec![event_type.into(), key.into()]).await.flatten()
            };
            match released.status {
                200 => assert!(seq("SERIAL_RELEASED", &top).await < seq("SERIAL_UNLINKED", child).await),
                _ => _ = rule(released, "SerialNotReleasedError", "missing_evidence"),
            }
        }
    });
}
