//! People and their accounts, departments, and tokens for programs.

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
                "Chooses a new password: with the short-lived token of a sign-in that asked for it, or with a session token \
                 and the current password. All other sessions of the user end; the calling session stays.",
            )
            .error(401, "Not your own account, an API token, or a wrong `current_password`.")
            .error(429, "Too many failed tries."),
    ];
    [user::operations(), own, department::operations(), api_token::operations()].into_iter().flatten().collect()
}
