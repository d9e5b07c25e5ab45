//! Steps with their media and files.

use super::*;

on_both_engines! {
    async fn media_of_a_step_come_are_replaced_and_go(site) {
        let library = shop(site).await;
        let written = put(&library, "p", json!([phase("a", json!([{ "title": "s" }]))])).await;
        let step = key(&written[0]["steps"][0]).to_owned();
        let path = format!("/step/{step}/media");
        for name in ["a.png", "b.txt"] {
            assert_eq!(add_media(&library, &step, name, b"1").await.expect(200).body, name);
        }
        let first = library.get(&path).await.expect(200).body;
        assert_eq!(each(&first, "name"), ["a.png", "b.txt"]);
        assert_eq!(process(&library, "p").await[0]["steps"][0]["media"], first);
        add_media(&library, &step, "a.png", b"22").await.expect(200);
        let second = library.get(&path).await.body;
        assert_eq!((each(&second, "name"), &second[0]["size"]), (vec!["a.png", "b.txt"], &json!(2)), "in the place of the first");
        assert_ne!(key(&second[0]), key(&first[0]));
        assert_eq!((site.count("media").await, site.objects()), (2, 2));
        assert_eq!(library.media(&format!("/api/media/{}", key(&second[0]))).await.text().await.unwrap(), "22");
        assert_eq!(each(&library.get(&format!("{path}?limit=1&offset=1")).await.body, "name"), ["b.txt"]);
        library.delete(&format!("{path}/c")).await.expect(404);
        assert_eq!(library.delete(&format!("{path}/b.txt")).await.expect(200).detail(), Value::Null);
        library.delete(&format!("{path}/b.txt")).await.expect(404);
        assert_eq!((site.count("media").await, site.objects()), (1, 1));
        for (method, path) in [(Method::GET, "/step/nobody/media"), (Method::DELETE, "/step/nobody/media/a.png")] {
            library.send(library.request(method, path)).await.expect(404);
        }
        add_media(&library, "nobody", "a.png", b"1").await.expect(404);
        library.upload(Method::POST, &path, &[], &[("file", "a.png", b"1")]).await.expect(422);
        add_media(&library, &step, "a/b", b"1").await.expect(422);
        assert_eq!(site.objects(), 1, "what was refused left nothing");
        let shared = key(&library.get(&path).await.body[0]).to_owned();
        let refused = library.delete(&format!("/media/{shared}")).await.expect(422).body;
        assert_eq!(refused["detail"]["connections"], json!([format!("Step/{step}")]));

        library.post("/operation", json!({ "_key": "o", "name": "o", "default_phase_steps": [{ "title": "t", "media": [shared] }] })).await.expect(200);
        library.delete(&format!("{path}/a.png")).await.expect(200);
        assert_eq!(site.count("media").await, 1, "another step has it");
        library.delete("/operation/o").await.expect(200);
        assert_eq!((site.count("media").await, site.objects()), (0, 0), "nobody has it");
        library.delete("/product/p").await.expect(200);
        add_media(&library, &step, "a.png", b"1").await.expect(404);
    }

    async fn media_of_overwritten_steps_go_and_those_of_trashed_ones_stay(site) {
        let library = shop(site).await;
        let keys = [media(&library, "a").await, media(&library, "b").await, media(&library, "c").await];
        let steps = json!([{ "title": "1", "media": [keys[1], keys[0]] }, { "title": "2", "media": [keys[2]] }]);
        let written = put(&library, "p", json!([phase("x", steps)])).await;
        assert_eq!(each(&written[0]["steps"][0]["media"], "name"), ["b", "a"], "in the order sent");
        let mut sent = written.clone();
        sent[0]["steps"] = json!([{ "_key": written[0]["steps"][0]["_key"], "title": "1", "media": [written[0]["steps"][0]["media"][1]] }]);
        let after = put(&library, "p", sent).await;
        assert_eq!(each(&after[0]["steps"][0]["media"], "name"), ["a"]);
        library.get(&format!("/media/{}", keys[1])).await.expect(404);
        let trashed = format!("/step/{}/media", key(&written[0]["steps"][1]));
        assert_eq!(each(&library.get(&trashed).await.body, "_key"), [keys[2].as_str()]);
        assert_eq!((site.count("media").await, site.objects()), (2, 2));
        put(&library, "p", json!([])).await;
        assert_eq!(each(&library.get(&format!("/procedure/{}", key(&written[0]))).await.body[0]["media"], "name"), ["a"]);
        assert_eq!((site.count("media").await, site.objects()), (2, 2));
    }

    async fn files_belong_to_live_steps(site) {
        let library = shop(site).await;
        let written = put(&library, "p", json!([phase("a", json!([{ "title": "s" }, { "title": "t" }]))])).await;
        let step = key(&written[0]["steps"][0]).to_owned();
        let folder = [("bucket", "step"), ("object_key", step.as_str())];
        library.upload(Method::POST, "/files", &folder, &[("contents", "a.txt", b"1")]).await.expect(200);
        let list = format!("/files?bucket=step&object_key={step}");
        assert_eq!(each(&library.get(&list).await.expect(200).body, "name"), ["a.txt"]);
        let mut sent = written.clone();
        sent[0]["steps"][0]["title"] = json!("other");
        put(&library, "p", sent).await;
        assert_eq!(each(&library.get(&list).await.expect(200).body, "name"), ["a.txt"], "an overwritten step keeps its files");
        let made = library.post("/operation", json!({ "name": "o", "default_phase_steps": [{ "title": "t" }] })).await.detail();
        let template = key(&made["default_phase_steps"][0]);
        let other = [("bucket", "step"), ("object_key", template)];
        library.upload(Method::POST, "/files", &other, &[("contents", "a.txt", b"1")]).await.expect(200);
        library.delete(&format!("/operation/{}", key(&made))).await.expect(200);
        library.get(&format!("/files?bucket=step&object_key={template}")).await.expect(404);
        assert_eq!((site.count("file").await, site.objects()), (1, 1), "files of an operation's steps go with it");
        put(&library, "p", json!([])).await;
        library.upload(Method::POST, "/files", &folder, &[("contents", "b.txt", b"1")]).await.expect(404);
        library.get(&list).await.expect(404);
        library.get("/files?bucket=step&object_key=nobody").await.expect(404);
        assert_eq!(library.media(&format!("/media/step/{step}/a.txt")).await.status(), 200, "what a trashed step had can be read");
    }

    async fn a_step_moves_to_another_phase_of_its_process(site) {
        let library = site.user("library", "library").await;
        library.post("/operation", json!({ "_key": "work", "name": "Work" })).await.expect(200);
        library.post("/product", json!({ "_key": "p", "code": "P" })).await.expect(201);
        let phase = |alias: &str, steps: Value| json!({ "alias": alias, "operation_key": "work", "steps": steps });
        let first = json!([phase("One", json!([{ "title": "a" }, { "title": "b" }])), phase("Two", json!([]))]);
        let mut process = library.put("/product/p/process", first).await.expect(200).body;
        let revision = library.get("/product/p").await.body["_rev"].clone();
        let moved = process[0]["steps"].as_array_mut().unwrap().remove(0);
        process[1]["steps"] = json!([moved]);
        let after = library.put("/product/p/process", process.clone()).await.expect(200).body;
        assert_eq!(after[1]["steps"][0]["_key"], moved["_key"], "it is the same step");
        let titles = |phase: &Value| -> Vec<Value> { phase["steps"].as_array().unwrap().iter().map(|step| step["title"].clone()).collect() };
        assert_eq!((titles(&after[0]), titles(&after[1])), (vec![json!("b")], vec![json!("a")]));
        assert_ne!(library.get("/product/p").await.body["_rev"], revision, "the routing is part of the product");
        after.as_array().unwrap().iter().for_each(|phase| assert!(phase["_key"].is_string()));
        let gone = json!([{ "_key": after[1]["_key"], "alias": "Two", "operation_key": "work", "steps": [after[1]["steps"][0], after[0]["steps"][0]] }]);
        let last = library.put("/product/p/process", gone).await.expect(200).body;
        assert_eq!(titles(&last[0]), [json!("a"), json!("b")], "also from a phase that goes");
        let trashed = library.get(&format!("/procedure/{}", after[0]["_key"].as_str().unwrap())).await.expect(200).body;
        assert_eq!(trashed, json!([]), "it went along");
    }
}
