use domain::password::TEMPORARY_SECONDS;
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::security::{sessions, throttle, tokens, users};

use super::guard::load;
use crate::Result;
use crate::areas::paths::UserPath;
use crate::auth::{TokenContext, temporary_password};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Path;
use crate::reply::{Done, Envelope, NoStore, envelope};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TemporaryPassword")]
pub(super) struct Temporary {
    /// Shown here and never again.
    temp_psw: String,
}

pub(super) async fn reset(cx: Cx, Path(path): Path<UserPath>) -> Result<Done<NoStore<Envelope<Temporary>>>> {
    // Otherwise somebody with a program's token could sign in as its owner.
    if cx.caller.context == TokenContext::Api && cx.caller.user_key == path.user_key {
        return Err(ApiError::forbidden("An API token does not reset the password of its own user."));
    }
    let password = temporary_password();
    let hash = cx.passwords.hash(cx.caller.user_key.as_str(), password.clone()).await?;
    let (asking, now) = (cx.clone(), cx.now());
    let until = now.plus_seconds(TEMPORARY_SECONDS);
    cx.change("reset password", async move |tx: &mut Tx| {
        let account = load(tx, &asking, &path.user_key).await?;
        users::set_password(tx, &account.key, &hash, Some(until)).await?;
        sessions::close_all(tx, &account.key, None, now).await?;
        tokens::revoke_personal(tx, &account.key, None).await?;
        throttle::clear(tx, &account.username).await?;
        Ok(NoStore(envelope("Password reset.", Temporary { temp_psw: password.clone() })?))
    })
    .await
}
