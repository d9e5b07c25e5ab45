//! Taking accounts over, imitating them, and finding out which there are.

use futures_util::future::join_all;
use reqwest::Method;
use store::Tx;
use store::organisation::accounts;
use testkit::{Engine, Site, block_on, json, on_both_engines};

on_both_engines! {
    /// A program's token that leaked must not become its owner.
    async fn an_api_token_does_not_reset_its_own_user(site) {
        let (admin, mario) = (site.admin().await, site.user("mario", "admin").await);
        let program = site.api_token(&mario, "admin").await;
        let own = format!("/user/{}/password", mario.key);
        program.delete(&own).await.expect(403);
        mario.get("/whoami").await.expect(200);
        program.delete(&format!("/user/{}/password", admin.key)).await.expect(200);
        mario.delete(&own).await.expect(200);
    }

    async fn what_a_user_costs_is_not_in_the_log_for_everybody(site) {
        let (admin, viewer) = (site.admin().await, site.user("viewer", "viewer").await);
        admin.post("/user", json!({ "username": "mario", "scope": "", "hourly_cost": 31.25 })).await.expect(201);
        admin.patch(&format!("/user/{}", viewer.key), json!({ "hourly_cost": 32.25 })).await.expect(200);
        let long = json!({ "hourly_cost": 33.25, "preferences": { "x": "y".repeat(9_000) } });
        admin.patch(&format!("/user/{}", viewer.key), long).await.expect(200);
        let seen = viewer.get("/audit").await.expect(200);
        assert!(!["31.25", "32.25", "33.25"].iter().any(|cost| seen.text.contains(cost)), "{}", seen.text);
        assert!(seen.text.contains("mario"));
        let seen = admin.get("/audit").await.expect(200);
        assert!(seen.text.contains("31.25") && seen.text.contains("32.25"), "{}", seen.text);
    }

    /// Whether there is a user with a key must not show, whatever is tried under its text.
    async fn failures_of_a_key_and_of_a_username_are_two_things(site) {
        let mario = site.user("mario", "operator").await;
        let witness = site.new_user("witness", "operator").await;
        for key in [witness.key.as_str(), "NoBody"] {
            for _ in 0..10 {
                mario.post(&format!("/user/{key}/verify"), json!({ "password": "wrong" })).await.expect(401);
            }
            mario.post(&format!("/user/{key}/verify"), json!({ "password": "wrong" })).await.expect(429);
            site.visitor(key).try_sign_in("wrong").await.expect(401);
        }
        mario.post("/user/nobody/verify", json!({ "password": "wrong" })).await.expect(401);
    }

    async fn a_temporary_password_lives_three_days(site) {
        let admin = site.admin().await;
        let made = admin.post("/user", json!({ "username": "mario", "scope": "operator" })).await.expect(201);
        let first = made.body["detail"]["temp_psw"].as_str().unwrap().to_owned();
        let key = made.body["detail"]["user_key"].as_str().unwrap().to_owned();
        site.clock.advance_seconds(72 * 3600 - 1);
        let mario = site.visitor("mario").sign_in(&first).await;
        let own = format!("/user/{key}/password");
        let same = mario.put(&own, json!({ "new_password": first })).await;
        assert_eq!(same.faults(), ["value_error body.new_password"]);
        assert!(!same.text.contains(&first));
        site.clock.advance_seconds(1);
        let late = site.visitor("mario").try_sign_in(&first).await.expect(401);
        let wrong = site.visitor("mario").try_sign_in("wrong").await.expect(401);
        assert_eq!(late.body, wrong.body);

        let admin = site.admin().await;
        let again = admin.delete(&own).await.detail()["temp_psw"].as_str().unwrap().to_owned();
        let mario = site.visitor("mario").sign_in(&again).await;
        mario.put(&own, json!({ "new_password": "an own password" })).await.expect(200);
        site.clock.advance_seconds(1000 * 24 * 3600);
        let mario = site.visitor("mario").sign_in("an own password").await;
        let same = json!({ "new_password": "an own password", "current_password": "an own password" });
        assert_eq!(mario.put(&own, same).await.faults(), ["value_error body.new_password"]);
    }

    async fn usernames_are_told_apart_by_the_eye(site) {
        let admin = site.admin().await;
        let create = async |username: &str| admin.post("/user", json!({ "username": username, "scope": "" })).await;
        for unseen in ["ad\u{200b}min", "ad\u{202e}min", "\u{feff}mario", "a\u{2066}b"] {
            assert_eq!(create(unseen).await.faults(), ["value_error body.username"], "{unseen:?}");
        }
        // Cyrillic, full width, mathematical, Greek.
        for alike in ["аdmin", "ａｄｍｉｎ", "𝐚dmin", "admιn"] {
            create(alike).await.expect(409);
        }
        let rene = create("rene\u{301}").await.expect(201).body["detail"]["user_key"].as_str().unwrap().to_owned();
        assert_eq!(admin.get(&format!("/user/{rene}")).await.detail()["username"], "ren\u{e9}");
        create("ren\u{e9}").await.expect(409);
        create("rene").await.expect(201);
        create("мария").await.expect(201);
        admin.patch(&format!("/user/{rene}"), json!({ "username": "аdmin" })).await.expect(409);
        admin.patch(&format!("/user/{rene}"), json!({ "username": "mariа" })).await.expect(200);
        create("maria").await.expect(409);
        admin.delete(&format!("/user/{rene}")).await.expect(200);
        create("maria").await.expect(201);
    }

    /// However it was typed: a password is proved, and failures count, under one name.
    async fn a_username_is_one_in_both_of_its_spellings(site) {
        site.new_user("ren\u{e9}", "operator").await;
        site.visitor("rene\u{301}").sign_in(site.password()).await;
        for username in ["ren\u{e9}", "rene\u{301}", "nobody\u{e9}", "nobodye\u{301}"] {
            for _ in 0..5 {
                site.visitor(username).try_sign_in("wrong").await.expect(401);
            }
        }
        for username in ["ren\u{e9}", "rene\u{301}", "nobody\u{e9}", "nobodye\u{301}"] {
            site.visitor(username).try_sign_in("wrong").await.expect(429);
        }
    }

    async fn two_who_look_alike_at_once(site) {
        let admin = site.admin().await;
        for round in 0..3 {
            let names = [format!("mario{round}"), format!("mаriо{round}"), format!("MАRIO{round}")];
            let both = names.iter().map(|name| admin.post("/user", json!({ "username": name, "scope": "" })));
            let made = join_all(both).await.iter().filter(|answer| answer.status == 201).count();
            assert_eq!(made, 1);
        }
    }

    async fn names_of_files_hide_nothing(site) {
        let admin = site.admin().await;
        let folder = [("bucket", "user"), ("object_key", admin.key.as_str())];
        for name in ["invoice\u{202e}fdp.exe", "a\u{200b}.txt", "a\u{2066}b.txt"] {
            let refused = admin.upload(Method::POST, "/files", &folder, &[("contents", name, b"1")]).await;
            assert_eq!(refused.faults(), ["value_error body.contents"], "{name:?}");
        }
        admin.upload(Method::POST, "/files", &folder, &[("contents", "می\u{200c}خواهم.pdf", b"1")]).await.expect(200);
        let below = [folder[0], folder[1], ("subfolder", "a\u{202e}b")];
        admin.upload(Method::POST, "/files", &below, &[("contents", "a.txt", b"1")]).await.expect(404);
    }
}

/// When more letters count as alike, names from before are compared anew; two that collide stay, and the start says which.
#[test]
fn older_names_are_compared_anew() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        block_on(async {
            let site = Site::start(engine).await;
            let [david, imitator, anna] = ["david", "second", "third"];
            for (name, kept) in [(david, "david"), (imitator, "ᎠᎪᏙᎥᎠ"), (anna, "ꓮꓠꓠꓮ")] {
                let user = site.new_user(name, "operator").await;
                let values = vec![user.key.into(), kept.into(), domain::text::fold(kept).into()];
                let sql = "update user_account set username = $2, username_folded = $3, skeleton = $3 where key = $1";
                site.execute(sql, values).await;
            }
            // What the migration does to a site that is older.
            site.execute(include_str!("../../../../../migrations/0011_look_alikes.sql"), vec![]).await;
            let site = site.restart().await;
            let sql = "select username, skeleton from user_account where username <> 'admin' order by created_at, key";
            let known: Vec<(String, String)> = site.all(sql).await;
            let known: Vec<(&str, &str)> = known.iter().map(|(name, kept)| (name.as_str(), kept.as_str())).collect();
            assert_eq!(known, [("david", "david"), ("ᎠᎪᏙᎥᎠ", ""), ("ꓮꓠꓠꓮ", "anna")]);
            let fill = async |tx: &mut Tx| accounts::fill_skeletons(tx).await;
            let alike = site.app().db.write("fill skeletons", fill).await.unwrap();
            let keys: Vec<String> =
                site.all("select key from user_account where skeleton in ('', 'david') order by skeleton").await;
            let told: Vec<&str> = alike.iter().flat_map(|pair| [pair.newer.as_str(), pair.older.as_str()]).collect();
            assert_eq!(told, keys);
            let admin = site.admin().await;
            for imitation in ["ᎪNNA", "Ꭰavid"] {
                admin.post("/user", json!({ "username": imitation, "scope": "" })).await.expect(409);
            }
            site.stop().await;
        });
    }
}

/// Users of a site from before keep their names, even two that look alike, and sign in.
#[test]
fn older_users_survive() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        block_on(async {
            let site = Site::start(engine).await;
            let admin = site.admin().await;
            for (name, kept) in [("mario", "mario"), ("luigi", "mаriо"), ("peach", "rene\u{301}")] {
                let user = site.new_user(name, "operator").await;
                let folded = domain::text::fold(kept);
                let values = vec![user.key.into(), kept.into(), folded.into()];
                let sql = "update user_account set username = $2, username_folded = $3, skeleton = '' where key = $1";
                site.execute(sql, values).await;
            }
            drop(admin);
            let site = site.restart().await;
            let known: Vec<(String, String)> =
                site.all("select username, skeleton from user_account where not trash order by created_at, key").await;
            let skeleton = |name: &str| known.iter().find(|known| known.0 == name).unwrap().1.clone();
            assert_eq!((skeleton("mario").as_str(), skeleton("mаriо").as_str()), ("mario", ""));
            assert_eq!((skeleton("admin").as_str(), skeleton("rene\u{301}").as_str()), ("admin", "rene\u{301}"));
            for name in ["mario", "mаriо", "rene\u{301}"] {
                site.visitor(name).sign_in(site.password()).await;
            }
            let admin = site.admin().await;
            let luigi: String = site.look("select key from user_account where skeleton = ''", vec![]).await.unwrap();
            admin.patch(&format!("/user/{luigi}"), json!({ "name": "Luigi" })).await.expect(200);
            admin.patch(&format!("/user/{luigi}"), json!({ "username": "luigi" })).await.expect(200);
            site.stop().await;
        });
    }
}
