use domain::key::{DepartmentKey, TokenKey, UserSessionKey};
use domain::search::Pattern;
use store::organisation::{accounts, api_tokens, departments};
use store::security::{sessions as user_sessions, users};
use store::{Db, StoreError, Tx};

use super::run;
use super::samples::{NOW, PAGE, user};

pub(super) async fn run(db: &Db) {
    run!(db, tx:
        accounts::find(tx, &user(), NOW),
        accounts::list(tx, &accounts::Wanted {
            active_only: true,
            search: Some(Pattern::substring("m")),
            department: Some(DepartmentKey::trusted("D")),
            scope: Some("admin".to_owned()),
        }, NOW, &PAGE),
        accounts::with_scope(tx, "admin"),
        accounts::lock(tx, &user()),
        api_tokens::list(tx, &user(), &PAGE),
        api_tokens::lock(tx, &TokenKey::trusted("T")),
        departments::list(tx, Some(&Pattern::substring("d")), &PAGE),
        departments::find(tx, &DepartmentKey::trusted("D")),
        departments::lock(tx, &DepartmentKey::trusted("D")),
        user_sessions::find(tx, UserSessionKey(1)),
        user_sessions::lock(tx, UserSessionKey(1)),
        user_sessions::list(tx, Some(&user()), NOW, &PAGE),
        users::by_username(tx, "Mario"),
        users::by_username(tx, "e\u{301}"),
        users::by_key(tx, &user()),
        users::lock(tx, &user()),
    );
}
