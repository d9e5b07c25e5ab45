//! People and their accounts, departments, and API tokens.

mod api_token;
mod department;
mod password;
mod user;

use crate::auth::Ruling;
use crate::operation::{Operation, Tag, put};
use crate::scope;

pub fn operations() -> Vec<Operation> {
    let own = vec![
        put("change_password", "/user/{user_key}/password", Tag::Organisation, "Change my password", password::change)
            .scope(scope!("auth:password:reset"))
            .password_reset_token(Ruling::Pass)
            .api_token(Ruling::Unauthorized)
            .describe(
                "Sets your own password, either with the short-lived token of a sign-in that asked for a new one, \
                 or with a session token and the current password. All your other sessions end.",
            )
            .error(401, "It is not your own account, the token is an API token, or `current_password` is wrong.")
            .error(429, "Too many failed attempts."),
    ];
    [user::operations(), own, department::operations(), api_token::operations()].into_iter().flatten().collect()
}
