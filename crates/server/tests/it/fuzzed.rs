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

    async fn numbers_and_null_are_read_as_the_document_says(site) {
        let admin = site.admin().await;
        let body = r##"{"template": ["#6"], "next_tick": 7.0}"##;
        let request = admin.request(Method::POST, "/counter").header("content-type", "application/json").body(body);
        let key = admin.send(request).await.detail()["counter_key"].as_str().unwrap().to_owned();
        assert_eq!(admin.get(&format!("/counter?key={key}")).await.expect(200).body[0]["next_tick"], 7);
        admin.get("/tag?context=null").await.expect(200);
        assert_eq!(admin.get("/tag?context=nothing").await.faults(), ["enum query.context"]);
    }
}
