//! Many at once, and what a large process costs.

use super::*;

on_both_engines! {
    async fn many_replaces_at_once_leave_one_of_them(site) {
        let library = shop(site).await;
        let process_of = |name: &str| -> Value {
            let steps: Value = (0..3).map(|step| json!({ "title": format!("{name}{step}") })).collect();
            (0..3).map(|index| phase(&format!("{name}{index}"), steps.clone())).collect()
        };
        let tries = (0..8).map(|index| {
            let library = library.clone();
            let body = process_of(&index.to_string());
            async move { library.put("/product/p/process", body).await.expect(200).body }
        });
        let answers = join_all(tries).await;
        let left = process(&library, "p").await;
        assert!(answers.contains(&left), "one of them, as it was answered: {left}");
        let live: i64 = site.look("select count(*) from step where trashed is null", vec![]).await.unwrap();
        assert_eq!(live, 9);
        // Overwriting the same phases in different orders must not end in each other's way.
        let mut turned = left.as_array().unwrap().clone();
        turned.reverse();
        let tries = (0..8).map(|index| library.put("/product/p/process", if index % 2 == 0 { left.clone() } else { json!(turned) }));
        join_all(tries).await.into_iter().for_each(|answer| drop(answer.expect(200)));
        let after = process(&library, "p").await;
        assert_eq!(each(&after, "_key").into_iter().collect::<HashSet<_>>(), each(&left, "_key").into_iter().collect::<HashSet<_>>());
    }

    async fn no_process_starts_using_an_operation_that_goes(site) {
        let library = shop(site).await;
        for round in 0..10 {
            let name = format!("o{round}");
            operation(&library, &name).await;
            let body = json!([{ "alias": "a", "operation_key": name }]);
            let path = format!("/operation/{name}");
            let (put, deleted) = tokio::join!(library.put("/product/p/process", body), library.delete(&path));
            match (put.status, deleted.status) {
                (200, 403) | (422, 200) => {}
                other => panic!("{other:?}: {} {}", put.text, deleted.text),
            }
            self::put(&library, "p", json!([])).await;
        }
        let dangling: i64 = site
            .look(
                "select count(*) from phase join operation on operation.key = phase.operation_key
                 where phase.trashed is null and operation.deleted",
                vec![],
            )
            .await
            .unwrap();
        assert_eq!(dangling, 0);
    }

    async fn no_step_keeps_a_media_that_goes(site) {
        let library = shop(site).await;
        for _ in 0..10 {
            let key = media(&library, "a").await;
            let path = format!("/media/{key}");
            let body = json!([phase("a", json!([{ "title": "s", "media": [key] }]))]);
            let (put, deleted) = tokio::join!(library.put("/product/p/process", body), library.delete(&path));
            match (put.status, deleted.status) {
                (200, 422) => assert_eq!(deleted.body["detail"]["error_type"], "MediaInUse"),
                (422, 200) => {}
                other => panic!("{other:?}: {} {}", put.text, deleted.text),
            }
        }
    }

    async fn copies_and_changes_of_the_same_media_at_once(site) {
        let library = shop(site).await;
        for product_key in ["q", "r"] {
            product(&library, product_key).await;
        }
        let (one, two) = (media(&library, "one").await, media(&library, "two").await);
        let body = |media: &str| json!([phase("a", json!([{ "title": "s", "media": [media] }]))]);
        let both = [put(&library, "p", body(&one)).await, put(&library, "q", body(&two)).await];
        let step = |index: usize| key(&both[index][0]["steps"][0]).to_owned();
        let (first, second) = (step(0), step(1));
        let targets = json!({ "target_product_keys": ["r"] });
        for _ in 0..5 {
            let exchange = |index: usize, media: &str| {
                let mut sent = both[index].clone();
                sent[0]["steps"][0]["media"] = json!([media]);
                sent
            };
            let (a, b, c, d, e) = tokio::join!(
                library.put("/product/p/process", exchange(0, &two)),
                library.put("/product/q/process", exchange(1, &one)),
                library.post("/product/p/process/copy", targets.clone()),
                add_media(&library, &first, "one", b"new"),
                add_media(&library, &second, "two", b"new"),
            );
            for answer in [a, b, c, d, e] {
                assert!([200, 422].contains(&answer.status), "{}", answer.text);
            }
        }
        let unlinked: i64 = site
            .look("select count(*) from media where key not in (select media_key from media_connection)", vec![])
            .await
            .unwrap();
        assert_eq!(unlinked, 0, "no media is left that nothing links to");
        assert_eq!(site.objects() as i64, site.count("media").await);
    }

    async fn a_large_process_costs_few_statements(site) {
        let library = shop(site).await;
        library.post("/field", json!({ "_key": "f", "name": "F", "type": "text" })).await.expect(200);
        let picture = media(&library, "a").await;
        let step = |index: usize| json!({
            "title": format!("step {index}"), "type": "form", "media": [picture],
            "form_fields": [{ "custom_field_key": "f" }],
        });
        let steps: Value = (0..20).map(step).collect();
        let phases: Value = (0..20).map(|index| phase(&format!("phase {index}"), steps.clone())).collect();
        let (first, answer) = site.statements(library.put("/product/p/process", phases)).await;
        let written = answer.expect(200).body;
        let (again, answer) = site.statements(library.put("/product/p/process", written)).await;
        answer.expect(200);
        // One of them judges who asks, and one more does if it takes long.
        assert!(first <= 23 && again <= 26, "{first} and {again}");
        let (reading, answer) = site.statements(library.get("/product/p/process")).await;
        assert_eq!(answer.expect(200).body[19]["steps"].as_array().unwrap().len(), 20);
        assert!(reading <= 7, "{reading}");
        for index in 0..5 {
            product(&library, &format!("t{index}")).await;
        }
        let targets = json!({ "target_product_keys": ["t0", "t1", "t2", "t3", "t4"] });
        let (copying, answer) = site.statements(library.post("/product/p/process/copy", targets)).await;
        answer.expect(200);
        assert!(copying <= 18, "{copying}");
        let (listing, answer) = site.statements(library.get("/operation")).await;
        assert_eq!(answer.expect(200).body[0]["used_for"].as_array().unwrap().len(), 6);
        assert!(listing <= 7, "{listing}");
    }
}
