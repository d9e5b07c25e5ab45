use reqwest::Method;
use testkit::{Engine, Site, block_on, form, json, on_both_engines};

use super::{CONSOLE, ask, client, cookie_of, cookies, hand_in};

on_both_engines! {
    async fn a_cookie_stands_for_the_token(site) {
        let admin = site.admin().await;
        let answer = hand_in(site, &admin, &[]).await;
        assert_eq!((answer.status().as_u16(), answer.headers()["cache-control"].to_str().unwrap()), (204, "no-store"));
        let token = admin.token.as_ref().unwrap();
        let kept = format!("tracewright={token}; Max-Age=86400; Path=/; HttpOnly; SameSite=Strict");
        assert_eq!(cookies(&answer), [kept]);

        let cookie = cookie_of(site, &admin).await;
        let me = ask(site, Method::GET, "/whoami", &[("cookie", &cookie)]).await.detail();
        assert_eq!((me["username"].as_str(), me["context"].as_str()), (Some("admin"), Some("USER_SESSION")));
        let foreign = format!("theme=dark; {cookie}; other=\u{fc}");
        ask(site, Method::GET, "/whoami", &[("cookie", &foreign)]).await.expect(200);
        site.clock.advance_seconds(3600);
        let later = cookies(&hand_in(site, &admin, &[]).await);
        assert!(later[0].contains("; Max-Age=82800; "), "it ends with its token: {later:?}");
    }

    /// Pictures and documents that a page shows or links to carry no header.
    async fn files_are_read_by_cookie(site) {
        let mario = site.user("mario", "operator").await;
        let cookie = cookie_of(site, &mario).await;
        let fields = [("bucket", "user"), ("object_key", mario.key.as_str())];
        let stored = mario.upload(Method::POST, "/files", &fields, &[("contents", "a.txt", b"first")]).await.detail();
        let url = format!("{}{}", site.base(), stored[0]["path"].as_str().unwrap());
        assert_eq!(client().get(&url).send().await.unwrap().status(), 401);
        let read = client().get(&url).header("cookie", &cookie).header("sec-fetch-site", "same-origin").send().await.unwrap();
        assert_eq!((read.status().as_u16(), read.text().await.unwrap().as_str()), (200, "first"));
        let head = client().head(&url).header("cookie", &cookie).send().await.unwrap();
        assert_eq!(head.status(), 200);
        let elsewhere = client().get(&url).header("cookie", &cookie).header("sec-fetch-site", "same-site");
        assert_eq!(elsewhere.send().await.unwrap().status(), 401);
    }

    async fn only_the_console_changes_things_by_cookie(site) {
        let admin = site.admin().await;
        admin.get("/whoami").await.expect(200);
        let cookie = cookie_of(site, &admin).await;
        let change = async |headers: &[(&str, &str)]| {
            let visitor = site.visitor("");
            let request = visitor.request(Method::PATCH, "/config").json(&json!({ "company_name": "Velmora" }));
            let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
            visitor.send(request.header("cookie", &cookie)).await
        };
        let missing = site.visitor("").patch("/config", json!({})).await.expect(401);
        let strange: [&[(&str, &str)]; 6] = [
            &[],
            &[("x-tracewright-console", "0")],
            &[("sec-fetch-site", "same-origin")],
            &[("sec-fetch-site", "same-site"), CONSOLE],
            &[("sec-fetch-site", "cross-site"), CONSOLE],
            &[("sec-fetch-site", "none"), CONSOLE],
        ];
        for headers in strange {
            let refused = change(headers).await.expect(401);
            assert_eq!(refused.body, missing.body, "{headers:?}: as if nothing had been sent");
        }
        change(&[CONSOLE]).await.expect(200);
        change(&[("sec-fetch-site", "same-origin"), CONSOLE]).await.expect(200);
        let by: Vec<(String, i64)> = site.all("select username, status from audit where method = 'PATCH'").await;
        assert_eq!(by, [("admin".to_owned(), 200), ("admin".to_owned(), 200)], "strangers leave no entry");
        // Uploads are changes as well.
        let visitor = site.visitor("");
        let upload = visitor.request(Method::POST, "/media/create").multipart(form(&[], &[("file", "a.txt", b"text")]));
        visitor.send(upload.header("cookie", &cookie)).await.expect(401);
    }

    async fn other_pages_do_not_even_read(site) {
        let cookie = cookie_of(site, &site.admin().await).await;
        for (from, status) in [("same-origin", 200), ("none", 200), ("same-site", 401), ("cross-site", 401), ("x", 401)] {
            let headers = [("cookie", cookie.as_str()), ("sec-fetch-site", from)];
            ask(site, Method::GET, "/whoami", &headers).await.expect(status);
        }
    }

    async fn what_is_sent_on_purpose_goes_first(site) {
        let (admin, viewer) = (site.admin().await, site.user("viewer", "viewer").await);
        let cookie = cookie_of(site, &admin).await;
        let both = viewer.request(Method::PATCH, "/config").json(&json!({})).header("cookie", &cookie).header(CONSOLE.0, CONSOLE.1);
        viewer.send(both).await.expect(403);
        for header in ["Bearer nonsense", "Basic YWRtaW46eA==", "", "Bearer"] {
            ask(site, Method::GET, "/whoami", &[("authorization", header), ("cookie", &cookie)]).await.expect(401);
        }
        ask(site, Method::GET, "/notification/task?ticket=nonsense", &[("cookie", &cookie)]).await.expect(401);
    }

    async fn odd_cookies_are_no_token(site) {
        let admin = site.admin().await;
        let cookie = cookie_of(site, &admin).await;
        let token = admin.token.as_ref().unwrap();
        let api_token = site.api_token(&admin, "admin").await.token.unwrap();
        let missing = site.visitor("").get("/whoami").await.expect(401);
        for odd in [
            format!("{cookie}; {cookie}"),
            format!("tracewright=x; {cookie}"),
            format!("{cookie}; __Host-tracewright=x"),
            format!("{cookie}x"),
            format!("Tracewright={token}"),
            format!("session={token}"),
            format!("tracewright=\"{token}\""),
            format!("tracewright={api_token}"),
            "tracewright=".to_owned(),
            "tracewright".to_owned(),
            ";;=;".to_owned(),
        ] {
            let refused = ask(site, Method::GET, "/whoami", &[("cookie", &odd)]).await.expect(401);
            assert_eq!(refused.body, missing.body, "{odd}");
        }
        let twice = site.visitor("").request(Method::GET, "/whoami").header("cookie", &cookie).header("cookie", &cookie);
        admin.send(twice).await.expect(401);
        admin.with_token(&api_token).get("/whoami").await.expect(200);
    }

    async fn only_a_token_of_a_session_is_kept(site) {
        let admin = site.admin().await;
        let cookie = cookie_of(site, &admin).await;
        let url = format!("{}/console/session", site.base());
        let token = admin.token.as_ref().unwrap();
        let api_token = site.api_token(&admin, "admin").await;
        site.new_user("mario", "operator").await;
        site.execute("update user_account set reset_password = true where username = 'mario'", vec![]).await;
        let mario = site.visitor("mario").sign_in(site.password()).await;
        for (person, status) in [(&admin, 204), (&api_token, 403), (&mario, 403), (&admin.with_token("x"), 401)] {
            let answer = hand_in(site, person, &[]).await;
            assert_eq!((answer.status().as_u16(), cookies(&answer).len()), (status, usize::from(status == 204)));
        }
        api_token.get("/whoami").await.expect(200);
        mario.get("/whoami").await.expect(200);
        let refused = [
            (client().post(&url).bearer_auth(token), 403),
            (client().post(&url).bearer_auth(token).header(CONSOLE.0, "true"), 403),
            (client().post(&url).bearer_auth(token).header(CONSOLE.0, CONSOLE.1).header("sec-fetch-site", "same-site"), 403),
            (client().post(&url).header(CONSOLE.0, CONSOLE.1), 401),
            (client().post(&url).header(CONSOLE.0, CONSOLE.1).header("cookie", &cookie), 401),
        ];
        for (request, status) in refused {
            let answer = request.send().await.unwrap();
            assert_eq!((answer.status().as_u16(), cookies(&answer).len()), (status, 0));
        }
        site.clock.advance_seconds(24 * 3600);
        assert_eq!(hand_in(site, &admin, &[]).await.status(), 401);
    }
}

/// A trusted proxy says how it was reached, and otherwise the browser does by the origin of its page.
#[test]
fn over_https_the_cookie_stays_there() {
    block_on(async {
        let trusting =
            Site::start_with(Engine::Sqlite, |settings| settings.trusted_proxies = Some("127.0.0.1/32".to_owned()))
                .await;
        let plain = Site::start(Engine::Sqlite).await;
        let (proxied, page) = (("x-forwarded-proto", "https"), ("origin", "https://trace.plant.example"));
        for (site, header, secure) in [
            (&trusting, proxied, true),
            (&plain, proxied, false),
            (&plain, page, true),
            (&trusting, ("x-forwarded-proto", "http"), false),
            (&plain, ("origin", "http://127.0.0.1"), false),
        ] {
            let admin = site.admin().await;
            let kept = cookies(&hand_in(site, &admin, &[header]).await);
            assert_eq!(kept[0].starts_with("__Host-tracewright="), secure, "{header:?}");
            assert_eq!(kept[0].ends_with("; Secure"), secure, "{header:?}");
            let cookie = kept[0].split(';').next().unwrap();
            ask(site, Method::GET, "/whoami", &[("cookie", cookie)]).await.expect(200);
            let beside = format!("tracewright=left from before; {cookie}");
            ask(site, Method::GET, "/whoami", &[("cookie", &beside)]).await.expect(if secure { 200 } else { 401 });
        }
        for site in [trusting, plain] {
            site.check_audit().await;
            site.stop().await;
        }
    });
}
