//! People and their accounts.

mod password;

use domain::key::UserKey;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::{Operation, Ruling, SMALL_BODY, Tag, put};
use crate::scope;

#[derive(Deserialize, JsonSchema)]
pub(super) struct UserPath {
    pub(super) user_key: UserKey,
}

pub fn operations() -> Vec<Operation> {
    vec![
        put("/user/{user_key}/password", Tag::Security, "Change my password", password::change)
            .scope(scope!("auth:password:reset"))
            .body_limit(SMALL_BODY)
            .password_reset_token(Ruling::Pass)
            .api_token(Ruling::Unauthorized)
            .describe(
                "Chooses a new password: with the short-lived token of a sign-in that asked for it, or with a session token \
                 and the current password. All other sessions of the user end; the calling session stays.",
            )
            .error(401, "Not your own account, an API token, or a wrong `current_password`.")
            .error(429, "Too many failed tries."),
    ]
}
