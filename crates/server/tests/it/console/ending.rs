//! How the cookie ends, and where its token never shows.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use reqwest::Method;
use testkit::engine::{Engine, Place};
use testkit::{block_on, json, on_both_engines};

use super::{CONSOLE, ask, client, cookie_of, cookies};
use crate::process::{Server, sign_in, tracewright};

on_both_engines! {
    async fn signing_out_ends_the_session_and_drops_the_cookie(site) {
        let mario = site.user("mario", "operator").await;
        let session = mario.open_session().await;
        let cookie = cookie_of(site, &mario).await;
        let path = format!("/session/{session}");
        ask(site, Method::DELETE, &path, &[("cookie", &cookie)]).await.expect(401);
        ask(site, Method::DELETE, &path, &[("cookie", &cookie), CONSOLE]).await.expect(200);
        assert!(site.session_ended(&session).await);
        ask(site, Method::GET, "/whoami", &[("cookie", &cookie)]).await.expect(401);

        let dropped = client().delete(format!("{}/console/session", site.base())).send().await.unwrap();
        assert_eq!((dropped.status().as_u16(), dropped.headers()["cache-control"].to_str().unwrap()), (204, "no-store"));
        let dropped = cookies(&dropped);
        assert_eq!(dropped.len(), 2, "over http and over https");
        assert!(dropped.iter().all(|cookie| cookie.contains("tracewright=; Max-Age=0; Path=/; HttpOnly")), "{dropped:?}");
    }

    /// The console opens the session anew whenever it is loaded.
    async fn a_session_is_opened_by_cookie(site) {
        let mario = site.user("mario", "operator").await;
        let cookie = cookie_of(site, &mario).await;
        let session = mario.open_session().await;
        let visitor = site.visitor("");
        let again = visitor.request(Method::POST, "/session").json(&json!({ "user_key": mario.key }));
        let again = visitor.send(again.header("cookie", &cookie).header(CONSOLE.0, CONSOLE.1)).await.detail();
        assert_eq!(again["session_key"], session);
    }

    async fn a_sign_in_elsewhere_ends_it(site) {
        let mario = site.user("mario", "operator").await;
        let cookie = cookie_of(site, &mario).await;
        ask(site, Method::GET, "/whoami", &[("cookie", &cookie)]).await.expect(200);
        site.visitor("mario").sign_in(site.password()).await;
        let ended = ask(site, Method::GET, "/whoami", &[("cookie", &cookie)]).await.expect(401);
        assert_eq!(ended.body["detail"]["code"], "token");
    }

    async fn it_ends_with_its_user(site) {
        let mario = site.user("mario", "operator").await;
        let cookie = cookie_of(site, &mario).await;
        site.execute("update user_account set active = false where username = 'mario'", vec![]).await;
        ask(site, Method::GET, "/whoami", &[("cookie", &cookie)]).await.expect(401);
    }

    async fn it_ends_with_its_token_which_still_closes_its_session(site) {
        let mario = site.user("mario", "operator").await;
        let session = mario.open_session().await;
        let cookie = cookie_of(site, &mario).await;
        site.clock.advance_seconds(24 * 3600);
        ask(site, Method::GET, "/whoami", &[("cookie", &cookie)]).await.expect(401);
        let path = format!("/session/{session}");
        ask(site, Method::DELETE, &path, &[("cookie", &cookie), CONSOLE]).await.expect(200);
    }
}

/// Not even in a log that says everything.
#[test]
fn the_log_never_shows_it() {
    block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let mut command = tracewright(&["serve", "--listen", "127.0.0.1:0", "--log", "trace"]);
        command.args(place.flags()).stdout(Stdio::piped()).stderr(std::fs::File::create(&log).unwrap());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let base = line.trim().strip_prefix("Tracewright serves ").expect("the address").to_owned();
        let server = Server { child, base };

        let http = client();
        let token = sign_in(&http, &server.base).await;
        let url = format!("{}/console/session", server.base);
        let kept = http.post(url).bearer_auth(&token).header(CONSOLE.0, CONSOLE.1).send().await.unwrap();
        assert_eq!(kept.status(), 204);
        let whoami = format!("{}/api/whoami", server.base);
        for (cookie, status) in [(format!("tracewright={token}"), 200), (format!("tracewright={token}x"), 401)] {
            let answer = http.get(&whoami).header("cookie", cookie).send().await.unwrap();
            assert_eq!(answer.status(), status);
        }
        drop(server);
        let said = std::fs::read_to_string(&log).unwrap();
        let signature = token.rsplit('.').next().unwrap();
        assert!(said.contains("whoami") && !said.contains(signature), "{said}");
        place.remove().await;
    });
}
