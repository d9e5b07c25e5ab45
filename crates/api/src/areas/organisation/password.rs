use domain::fault::Faults;
use domain::password::objection;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::Tx;
use store::security::{sessions, throttle, tokens, users};

use crate::Result;
use crate::areas::paths::UserPath;
use crate::auth::{TokenContext, Verdict};
use crate::cx::Cx;
use crate::error::{ApiError, Unauthorized};
use crate::input::{Json, Path};
use crate::prove::{PasswordOwner, prove};
use crate::reply::{Done, Envelope, envelope};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangePassword {
    /// 10 to 256 characters, neither the username nor the previous password.
    #[schemars(extend("format" = "password"))]
    new_password: String,
    /// Required with a session token.
    #[schemars(length(max = 1024), extend("format" = "password"))]
    current_password: Option<String>,
}

pub(super) async fn change(
    cx: Cx,
    Path(path): Path<UserPath>,
    Json(body): Json<ChangePassword>,
) -> Result<Done<Envelope<()>>> {
    let caller = cx.caller.clone();
    if caller.user_key != path.user_key {
        return Err(ApiError::unauthorized(Unauthorized::Owner));
    }
    let signed_in = caller.context == TokenContext::UserSession;
    check(&body, &caller.username, signed_in)?;
    // The new password must differ from this one: the proven password, or the temporary one.
    let present = match body.current_password {
        Some(current) if signed_in => prove(&cx, PasswordOwner::Key(path.user_key), current).await?.user.password_hash,
        _ => {
            let user = cx.read(async |tx: &mut Tx| Ok(users::by_key(tx, &caller.user_key).await?)).await?;
            user.ok_or_else(|| ApiError::unauthorized(Unauthorized::Token))?.password_hash
        }
    };
    let hash = {
        let turn = cx.passwords.turn(caller.user_key.as_str()).await?;
        let verdict = cx.passwords.verify(&turn, body.new_password.clone(), Some(present.clone())).await?;
        if verdict != Verdict::Wrong {
            return Err(refused("The new password must differ from the previous one."));
        }
        cx.passwords.hash_on(&turn, body.new_password).await?
    };
    let now = cx.now();
    cx.change("change password", async move |tx: &mut Tx| {
        let user = users::lock(tx, &caller.user_key).await?;
        let token = tokens::judge(tx, &caller.token_key).await?;
        let gone = || ApiError::unauthorized(Unauthorized::Token);
        let user = user.ok_or_else(gone)?;
        // Both may have changed since they were read: a token works once, and a proof holds only for what was proven.
        if token.is_none_or(|token| token.revoked) || present != user.password_hash {
            return Err(gone());
        }
        users::set_password(tx, &user.key, &hash, None).await?;
        let stays = signed_in.then_some(&caller.token_key);
        sessions::close_all(tx, &user.key, stays, now).await?;
        tokens::revoke_personal(tx, &user.key, stays).await?;
        throttle::clear(tx, &user.username).await?;
        envelope("Password changed.", ())
    })
    .await
}

fn refused(why: &str) -> ApiError {
    let mut faults = Faults::at("body");
    // The value is not repeated: it may be a password somewhere else.
    faults.within("new_password", |faults| faults.add("value_error", why, &Value::Null));
    ApiError::validation(faults.into_vec())
}

fn check(body: &ChangePassword, username: &str, current_needed: bool) -> Result<()> {
    let mut faults = Faults::at("body");
    if let Some(why) = objection(&body.new_password, username) {
        faults.within("new_password", |faults| faults.add("value_error", why, &Value::Null));
    }
    if current_needed && body.current_password.is_none() {
        faults.within("current_password", |faults| faults.add("missing", "Is required.", &Value::Null));
    }
    ApiError::check(faults)
}
