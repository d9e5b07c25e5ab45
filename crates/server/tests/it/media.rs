//! Files that records link to.

use testkit::{Answer, Method, Person, json, on_both_engines};

async fn create(person: &Person, name: &str, bytes: &[u8]) -> Answer {
    person.upload(Method::POST, "/media/create", &[], &[("file", name, bytes)]).await
}

on_both_engines! {
    async fn a_media_is_made_replaced_and_goes(site) {
        let library = site.user("library", "library").await;
        let made = create(&library, "drawing.svg", b"<svg onload='alert(1)'/>").await.expect(200).detail();
        assert_eq!((&made["name"], &made["size"], &made["content_type"]), (&json!("drawing.svg"), &json!(24), &json!("image/svg+xml")));
        let key = made["_key"].as_str().unwrap();
        assert_eq!(made["_id"], format!("Media/{key}"));
        let path = format!("/media/{key}");
        let served = library.media(&format!("/api{path}")).await;
        assert!(served.headers()["content-disposition"].to_str().unwrap().starts_with("attachment"), "no picture that runs");
        assert_eq!(served.headers()["x-content-type-options"], "nosniff");
        assert_eq!(served.text().await.unwrap(), "<svg onload='alert(1)'/>");
        let replaced = library.upload(Method::PATCH, &path, &[], &[("file", "b.pdf", b"%PDF-1.7")]).await.detail();
        assert_eq!((&replaced["_key"], &replaced["name"], &replaced["content_type"]), (&made["_key"], &json!("b.pdf"), &json!("application/pdf")));
        assert_ne!(replaced["_rev"], made["_rev"]);
        assert_eq!(site.objects(), 1);
        let served = library.media(&format!("/api{path}")).await;
        assert!(served.headers()["content-disposition"].to_str().unwrap().starts_with("inline"));
        let stale = library.request(Method::DELETE, &path).header("if-match", made["_rev"].as_str().unwrap());
        library.send(stale).await.expect(412);
        assert_eq!(library.delete(&path).await.detail()["name"], "b.pdf");
        assert_eq!(site.objects(), 0);
        library.get(&path).await.expect(404);
        library.delete(&path).await.expect(404);
        library.upload(Method::PATCH, &path, &[], &[("file", "c", b"1")]).await.expect(404);
        assert_eq!(site.objects(), 0, "what finds no record is not kept");
        create(&library, "../x", b"1").await.expect(422);
        library.upload(Method::POST, "/media/create", &[("x", "1")], &[]).await.expect(422);
        site.user("op", "operator").await.upload(Method::POST, "/media/create", &[], &[("file", "a", b"1")]).await.expect(403);
    }

    async fn what_is_linked_stays(site) {
        let library = site.user("library", "library").await;
        let key = create(&library, "a", b"1").await.detail()["_key"].as_str().unwrap().to_owned();
        let id = domain::key::id_from_text(&key).unwrap();
        site.execute("insert into media_connection (key, media_key, from_id) values (1, $1, 'Step/s')", vec![id.into()]).await;
        let refused = library.delete(&format!("/media/{key}")).await.expect(422);
        assert_eq!((&refused.body["detail"]["error_type"], &refused.body["detail"]["connections"]), (&json!("MediaInUse"), &json!(["Step/s"])));
    }

    async fn a_ticket_needs_both_rights(site) {
        let library = site.user("library", "library").await;
        let key = create(&library, "a.txt", b"bytes").await.detail()["_key"].as_str().unwrap().to_owned();
        let path = json!({ "path": format!("/api/media/{key}") });
        let ticket = library.post("/files/ticket", path.clone()).await.expect(200).body["ticket"].as_str().unwrap().to_owned();
        let visitor = site.visitor("");
        assert_eq!(visitor.get(&format!("/media/{key}?ticket={ticket}")).await.expect(200).text, "bytes");
        let other = create(&library, "b.txt", b"other").await.detail()["_key"].as_str().unwrap().to_owned();
        visitor.get(&format!("/media/{other}?ticket={ticket}")).await.expect(401);
        visitor.get(&format!("/media/{key}")).await.expect(401);
        let clerk = site.user("clerk", "attachment:file:read").await;
        let refused = clerk.post("/files/ticket", path).await.expect(403);
        assert_eq!(refused.body["detail"]["required_scope"], "attachment:media:read");
        library.post("/files/ticket", json!({ "path": "/api/media/none" })).await.expect(404);
        library.delete(&format!("/media/{key}")).await.expect(200);
        visitor.get(&format!("/media/{key}?ticket={ticket}")).await.expect(404);
    }
}
