//! What `make fuzz` found once, so that it need not find it again.

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use testkit::{json, on_both_engines};

on_both_engines! {
    async fn files_of_a_record_are_listed(site) {
        let admin = site.admin().await;
        let form = Form::new()
            .text("bucket", "user")
            .text("object_key", admin.key.clone())
            .text("subfolder", "notes/old")
            .part("contents", Part::bytes(b"one".as_slice()).file_name("a.txt"));
        admin.send(admin.request(Method::POST, "/files").multipart(form)).await.expect(200);
        let of_admin = format!("/files?bucket=user&object_key={}", admin.key);
        let listed = admin.get(&format!("{of_admin}&recursive=true&count=true")).await.expect(200);
        assert_eq!((listed.body[0]["name"].as_str(), listed.header("x-total-count")), (Some("a.txt"), "1"));
        assert_eq!(admin.get(&of_admin).await.expect(200).body, json!([]));
        admin.get("/files?bucket=user&object_key=nobody").await.expect(404);
    }

    async fn a_range_beyond_the_file_is_refused_like_everything_else(site) {
        let admin = site.admin().await;
        let form = Form::new().part("file", Part::bytes(b"0123456789".as_slice()).file_name("a.png"));
        let media = admin.send(admin.request(Method::POST, "/media/create").multipart(form)).await.detail();
        let part = async |range: &str| {
            let path = format!("/media/{}", media["_key"].as_str().unwrap());
            admin.send(admin.request(Method::GET, &path).header("range", range)).await
        };
        assert_eq!(part("bytes=2-3").await.expect(206).text, "23");
        let refused = part("bytes=10-").await.expect(416);
        assert_eq!((refused.header("content-type"), refused.header("content-range")), ("application/json", "bytes */10"));
        assert!(refused.body["detail"].is_string(), "{}", refused.text);
    }

    async fn numbers_and_null_are_read_as_the_document_says(site) {
        let admin = site.admin().await;
        let body = r##"{"template": ["#6"], "next_tick": 7.0}"##;
        let request = admin.request(Method::POST, "/counter").header("content-type", "application/json").body(body);
        let key = admin.send(request).await.detail()["counter_key"].as_str().unwrap().to_owned();
        assert_eq!(admin.get(&format!("/counter?key={key}")).await.expect(200).body[0]["next_tick"], 7);
        admin.get("/tag?context=null").await.expect(200);
        assert_eq!(admin.get("/tag?context=nothing").await.faults(), ["enum query.context", "missing query.context_key"]);
    }
}
