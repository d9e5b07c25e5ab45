use domain::Timestamp;
use domain::key::UserKey;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Result;
use crate::auth::TokenContext;
use crate::cx::Cx;
use crate::reply::{Envelope, envelope};

#[derive(Serialize, JsonSchema)]
pub(super) struct WhoAmI {
    user_key: UserKey,
    username: String,
    /// The effective scope text of this token.
    scope: String,
    context: TokenContext,
    expires_at: Timestamp,
}

pub(super) async fn whoami(cx: Cx) -> Result<Envelope<WhoAmI>> {
    let caller = &cx.caller;
    envelope(
        "Current user found.",
        WhoAmI {
            user_key: caller.user_key.clone(),
            username: caller.username.clone(),
            scope: caller.scope.clone(),
            context: caller.context,
            expires_at: caller.expires_at,
        },
    )
}
