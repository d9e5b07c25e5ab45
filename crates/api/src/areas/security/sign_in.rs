use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::Timestamp;
use domain::config::SESSION_POLICY;
use domain::key::UserKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::administration::config;
use store::security::tokens::{self, NewToken};
use store::security::users::Credentials;
use store::security::{sessions, throttle, users};

use crate::Result;
use crate::auth::{Claims, TokenContext, new_token};
use crate::cx::PublicCx;
use crate::error::{ApiError, Unauthorized};
use crate::input::Form;
use crate::prove::{PasswordOwner, Proven, prove};
use crate::reply::{Bare, Done, NoStore};

const SESSION_SECONDS: i64 = 24 * 60 * 60;
const RESET_SECONDS: i64 = 5 * 60;
/// How often the password is checked again because another sign-in has stored it with newer parameters in between.
const PROOFS: usize = 3;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SignIn {
    /// Case and surrounding blanks are ignored.
    #[schemars(length(min = 1, max = 256))]
    username: String,
    #[schemars(length(max = 1024), extend("format" = "password"))]
    password: String,
    /// `password`, or nothing.
    #[serde(rename = "grant_type")]
    _grant_type: Option<GrantType>,
    /// Accepted and ignored.
    #[serde(rename = "scope")]
    _scope: Option<String>,
    /// Accepted and ignored.
    #[serde(rename = "client_id")]
    _client_id: Option<String>,
    /// Accepted and ignored.
    #[serde(rename = "client_secret")]
    _client_secret: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
enum GrantType {
    #[serde(rename = "password")]
    Password,
    #[serde(rename = "")]
    Empty,
}

#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "AuthAPIResponse")]
pub(super) struct SignedIn {
    status: u16,
    message: &'static str,
    detail: NextStep,
    access_token: String,
    #[schemars(extend("const" = "bearer"))]
    token_type: &'static str,
    /// In seconds.
    expires_in: i64,
}

#[derive(Clone, Serialize, JsonSchema)]
struct NextStep {
    action: NextAction,
    user_key: UserKey,
}

/// What the token is for.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum NextAction {
    /// Open a session with `POST /session`.
    StartSession,
    /// Choose a new password with `PUT /user/{user_key}/password`.
    ResetPassword,
}

pub(super) async fn sign_in(cx: PublicCx, Form(form): Form<SignIn>) -> Result<Done<NoStore<Bare<SignedIn>>>> {
    let username = form.username.trim().to_owned();
    cx.signs_in(&username);
    for _ in 0..PROOFS {
        let proven = prove(&cx, PasswordOwner::Username(username.clone()), form.password.clone()).await?;
        cx.signed_in(&proven.user.key);
        let now = cx.now();
        let (token, answer) = issue(&cx, &proven.user, now)?;
        let changed_since = Arc::new(AtomicBool::new(false));
        let noticed = changed_since.clone();
        let done = cx
            .change("sign in", async move |tx: &mut Tx| {
                if store_token(tx, &proven, &token, now).await? {
                    return Ok(NoStore(Bare(answer.clone())));
                }
                noticed.store(true, Ordering::Relaxed);
                Err(ApiError::unauthorized(Unauthorized::Credentials))
            })
            .await;
        if done.is_ok() || !changed_since.load(Ordering::Relaxed) {
            return done;
        }
    }
    Err(ApiError::unauthorized(Unauthorized::Credentials))
}

/// The token of a user whose password was right, and the answer that shows it.
fn issue(cx: &PublicCx, user: &Credentials, now: Timestamp) -> Result<(NewToken, SignedIn)> {
    let (context, action, seconds) = if user.reset_password {
        (TokenContext::PasswordReset, NextAction::ResetPassword, RESET_SECONDS)
    } else {
        (TokenContext::UserSession, NextAction::StartSession, SESSION_SECONDS)
    };
    let scope = (context == TokenContext::UserSession).then(|| user.scope.clone());
    let claims = Claims::new(user.key.as_str(), context, scope, now, seconds);
    let (token, text) = new_token(&cx.signer, &user.key, claims, None)?;
    let detail = NextStep { action, user_key: user.key.clone() };
    let answer = SignedIn {
        status: 200,
        message: "Signed in.",
        detail,
        access_token: text,
        token_type: "bearer",
        expires_in: seconds,
    };
    Ok((token, answer))
}

/// Ends what the session policy ends and stores the token, if the user has not changed since the password was checked.
async fn store_token(tx: &mut Tx, proven: &Proven, token: &NewToken, now: Timestamp) -> Result<bool> {
    let user = users::lock(tx, &proven.user.key).await?;
    if !user.is_some_and(|user| unchanged(&user, &proven.user)) {
        return Ok(false);
    }
    let policy = config::get(tx, SESSION_POLICY).await?;
    if policy.as_ref().and_then(|value| value.as_str()) == Some("multiple") {
        sessions::close_expired(tx, &token.user_key, now).await?;
    } else {
        sessions::close_all(tx, &token.user_key, None, now).await?;
        tokens::revoke_personal(tx, &token.user_key, None).await?;
    }
    throttle::clear(tx, &proven.user.username).await?;
    if let Some(hash) = &proven.rehashed {
        users::set_hash(tx, &token.user_key, hash).await?;
    }
    tokens::insert(tx, token).await?;
    Ok(true)
}

fn unchanged(now: &Credentials, proven: &Credentials) -> bool {
    now.active && now.password_hash == proven.password_hash && now.reset_password == proven.reset_password
}
