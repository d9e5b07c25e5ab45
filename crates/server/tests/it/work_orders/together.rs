//! Many at once.

use testkit::{Engine, block_on};

use super::*;

on_both_engines! {
    async fn many_orders_at_once_leave_no_gap(site) {
        orders_leave_no_gap(site, &[site.base()]).await;
    }

    async fn no_order_of_a_product_that_goes(site) {
        let planner = planner(site).await;
        for round in 0..10 {
            let code = format!("P{round}");
            made(&planner, &code, &["a"]).await;
            let path = format!("/product/{code}");
            let (order, deleted) = tokio::join!(order(&planner, json!({ "product_key": code, "qt_planned": 1 })), planner.delete(&path));
            match (order.status, deleted.status) {
                (200, 409) => assert_eq!(deleted.body["detail"]["work_order_codes"], json!([order.body["detail"]["work_order"]["wo_code"]])),
                (404, 200) => {}
                other => panic!("{other:?}: {} {}", order.text, deleted.text),
            }
        }
    }

    async fn an_order_has_one_process_and_its_media(site) {
        let planner = planner(site).await;
        product(&planner, "P", json!({})).await;
        let media = async |name: &str| key(&planner.upload(Method::POST, "/media/create", &[], &[("file", name, b"1")]).await.detail()).to_owned();
        for round in 0..10 {
            let (one, two) = (media("one").await, media("two").await);
            let version = |name: &str, media: &str| -> Value {
                let step = json!({ "title": name, "media": [media] });
                (0..3).map(|index| phase(&format!("{name} {index}"), json!([step]))).collect()
            };
            process(&planner, "P", version(&format!("old {round}"), &one)).await;
            let first = planner.get("/product/P/process").await.body[0]["steps"][0]["_key"].clone();
            let unlink = format!("/step/{}/media/one", first.as_str().unwrap());
            let (order, replaced, unlinked) = tokio::join!(
                order(&planner, json!({ "product_key": "P", "qt_planned": 1 })),
                planner.put("/product/P/process", version(&format!("new {round}"), &two)),
                planner.delete(&unlink),
            );
            replaced.expect(200);
            assert!([200, 404].contains(&unlinked.status), "{}", unlinked.text);
            let made = order.detail();
            let aliases = each(&made["jobs"], "phase_alias");
            let old = aliases[0].starts_with("old");
            assert!(aliases.len() == 3 && aliases.iter().all(|alias| alias.starts_with("old") == old), "{aliases:?}");
            for job in made["jobs"].as_array().unwrap() {
                for media in job["step_sequence"][0]["media"].as_array().unwrap() {
                    planner.get(&format!("/media/{}", key(media))).await.expect(200);
                }
            }
        }
    }

    async fn a_chosen_code_is_nobody_elses_draw(site) {
        let planner = planner(site).await;
        made(&planner, "P", &["a"]).await;
        for round in 1..=10 {
            let chosen = format!("26{:06}", 2 * round - 1);
            let (chosen, drawn) = tokio::join!(
                order(&planner, json!({ "product_key": "P", "qt_planned": 1, "wo_code": chosen })),
                order(&planner, json!({ "product_key": "P", "qt_planned": 1 })),
            );
            drawn.expect(200);
            assert!([200, 409].contains(&chosen.status), "{}", chosen.text);
            if chosen.status == 409 {
                order_of(&planner, "P", 1).await;
            }
        }
        let twice: i64 = site.look("select count(*) - count(distinct wo_code) from work_order", vec![]).await.unwrap();
        assert_eq!(twice, 0);
    }
}

#[test]
fn many_orders_at_once_on_two_nodes_leave_no_gap() {
    block_on(async {
        let site = Site::start(Engine::Postgres).await;
        let second = site.second_node().await;
        orders_leave_no_gap(&site, &[site.base(), format!("http://{}", second.address)]).await;
        second.stop().await;
        site.check_audit().await;
        site.stop().await;
    });
}

/// Every fifth of fifty is refused, two products take turns.
async fn orders_leave_no_gap(site: &Site, nodes: &[String]) {
    let planner = planner(site).await;
    for code in ["P", "Q"] {
        made(&planner, code, &["a", "b"]).await;
    }
    let tries = (0..50).map(|index| {
        let planner = planner.at(&nodes[index % nodes.len()]);
        let product = if index % 2 == 0 { "P" } else { "Q" };
        let lines = if index % 5 == 0 { json!([{ "component_key": "nobody", "qt": 1 }]) } else { json!([]) };
        async move { order(&planner, json!({ "product_key": product, "qt_planned": 1, "wo_bom": lines })).await }
    });
    let answers = join_all(tries).await;
    let mut codes = Vec::new();
    for (index, answer) in answers.into_iter().enumerate() {
        if index % 5 == 0 {
            answer.expect(422);
        } else {
            codes.push(answer.detail()["work_order"]["wo_code"].as_str().unwrap().to_owned());
        }
    }
    codes.sort();
    assert_eq!(codes, (1..=40).map(|tick| format!("26{tick:06}")).collect::<Vec<_>>());
    assert_eq!((site.count("job").await, site.count("event").await), (80, 40));
    let places: i64 = site.look("select count(distinct place) from work_order", vec![]).await.unwrap();
    assert_eq!(places, 40);
}
