//! Checks of tokens may be kept until a token or a user changes.

use std::sync::Arc;
use std::time::Duration;

use domain::key::{TokenKey, UserKey};
use store::security::tokens;
use store::{Db, Sql, StoreError, Tx, params};
use testkit::Engine;
use tokio::sync::Notify;

/// Runs one statement, and says whether the version of rights has grown when its answer is there.
async fn grows(db: &Db, text: &'static str) -> bool {
    let before = db.rights_version();
    let run = async move |tx: &mut Tx| tx.run(Sql::raw(text), &[]).await;
    assert!(db.write("change", run).await.unwrap() > 0, "{text}");
    db.rights_version() > before
}

const USER: &str = "insert into user_account (key, username, username_folded, scope, password_hash, created_at)
    values ('u', 'u', 'u', 'admin', '', 0)";
const TOKEN: &str = "insert into token (key, signature, user_key, issued_at, expires_at, context)
    values ('t', x'00', 'u', 0, 0, 'API')";

#[test]
fn every_change_of_tokens_and_users_counts_and_nothing_else_does() {
    super::on(&[Engine::Sqlite], async |db| {
        for text in [
            USER,
            TOKEN,
            "update token set revoked = true where key = 't'",
            "update user_account set scope = 'operator' where key = 'u'",
            "insert into user_account (key, username, username_folded, scope, password_hash, created_at)
             values ('u', 'u', 'u', 'admin', '', 0) on conflict (key) do update set scope = excluded.scope",
            "delete from token where expires_at < 1",
        ] {
            assert!(grows(&db, text).await, "{text}");
        }
        assert!(!grows(&db, "insert into config (key, value) values ('a', '1')").await);
        assert!(!grows(&db, "delete from config where key = 'a'").await);
    });
}

#[test]
fn a_change_counts_in_its_own_transaction_already() {
    super::on(&[Engine::Sqlite], async |db| {
        let seen = db.clone();
        let change = async move |tx: &mut Tx| {
            let before = seen.rights_version();
            tx.run(Sql::raw(USER), &params![]).await?;
            Ok::<_, StoreError>((before, seen.rights_version()))
        };
        let (before, made) = db.write("change", change).await.unwrap();
        assert!(made > before, "whoever comes later in the same transaction checks again");
        assert!(db.rights_version() > made, "and whoever read before the commit");
    });
}

#[test]
fn other_nodes_write_to_postgres() {
    super::on_postgres(async |db| assert_eq!(db.rights_version(), None));
}

async fn relies_to_the_end(tx: &mut Tx) -> Result<(), StoreError> {
    tokens::insist_to_the_end(tx, &UserKey::trusted("u"), &TokenKey::trusted("t"), "admin").await?;
    tx.run(Sql::raw("insert into config (key, value) values ('relied', '1') on conflict do nothing"), &[]).await?;
    Ok(())
}

/// Whoever changes the own account is asked as well, and so are those on whose behalf somebody acts.
#[test]
fn a_change_of_oneself_does_not_outlive_the_token() {
    super::on_postgres(async |db| {
        for text in [USER.to_owned(), TOKEN.replace("x'00'", "'\\x00'")] {
            let fill = async move |tx: &mut Tx| tx.run(Sql::raw(text.clone()), &[]).await;
            db.write("fill", fill).await.unwrap();
        }
        let (user, token) = (UserKey::trusted("u"), TokenKey::trusted("t"));
        let own = async |tx: &mut Tx| {
            tokens::revoke_personal(tx, &UserKey::trusted("u"), Some(&TokenKey::trusted("t"))).await?;
            relies_to_the_end(tx).await
        };
        let acts = async |tx: &mut Tx| {
            tx.act_on_behalf_of(&UserKey::trusted("u"), "viewer");
            relies_to_the_end(tx).await
        };
        let of_another = db.write("of another scope", acts).await;
        assert!(matches!(of_another, Err(StoreError::Outdated)), "{of_another:?}");
        db.write("own", own).await.unwrap();
        let ending = async move |tx: &mut Tx| {
            tokens::revoke(tx, &token).await?;
            tokens::insist_to_the_end(tx, &user, &token, "admin").await
        };
        db.write("end oneself", ending).await.unwrap();
        let late = db.write("late", own).await;
        assert!(matches!(late, Err(StoreError::Outdated)), "{late:?}");
    });
}

/// Nothing is written any more with a right once its withdrawal was answered.
#[test]
fn who_withdraws_rights_waits_for_whoever_relies_on_them() {
    super::on_postgres(async |db| {
        for text in [USER.to_owned(), TOKEN.replace("x'00'", "'\\x00'")] {
            let fill = async move |tx: &mut Tx| tx.run(Sql::raw(text.clone()), &[]).await;
            db.write("fill", fill).await.unwrap();
        }
        let (holds, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (told, waited) = (holds.clone(), go_on.clone());
        let relying = async move |tx: &mut Tx| {
            relies_to_the_end(tx).await?;
            told.notify_one();
            waited.notified().await;
            Ok::<_, StoreError>(())
        };
        let (one, other) = (db.clone(), db.clone());
        let change = tokio::spawn(async move { one.write("change", relying).await });
        holds.notified().await;
        let revoke = async |tx: &mut Tx| tokens::revoke_all(tx, &UserKey::trusted("u")).await;
        let withdrawal = tokio::spawn(async move { other.write("withdraw", revoke).await });
        let waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted";
        while db.read(async |tx: &mut Tx| tx.one::<i64>(Sql::raw(waiting), &[]).await).await.unwrap() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(!withdrawal.is_finished(), "it waits for the change");
        go_on.notify_one();
        change.await.unwrap().unwrap();
        withdrawal.await.unwrap().unwrap();
        let late = db.write("late", relies_to_the_end).await;
        assert!(matches!(late, Err(StoreError::Outdated)), "{late:?}");
    });
}
