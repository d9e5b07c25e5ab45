//! The check every request with a token passes: judged by what the database says right now.

use axum::http::{HeaderMap, header};
use domain::key::TokenKey;
use domain::scope::Rights;
use domain::text;
use store::Tx;
use store::security::tokens;
use subtle::ConstantTimeEq;

use super::token::TokenContext;
use crate::Result;
use crate::app::App;
use crate::cx::Caller;
use crate::error::{ApiError, Unauthorized};
use crate::operation::{Ruling, TokenRules};

/// `last_used` is written at most so often.
const TOUCH_AFTER_MILLIS: i64 = 60_000;

pub async fn authenticate(app: &std::sync::Arc<App>, headers: &HeaderMap, rules: TokenRules) -> Result<Caller> {
    let refused = || ApiError::unauthorized(Unauthorized::Token);
    let signed = bearer(headers).and_then(|token| app.signer.read(token)).ok_or_else(refused)?;
    let key = TokenKey::new(signed.claims.jti).map_err(|_| refused())?;
    let judged = app.db.glance(async |tx: &mut Tx| tokens::judge(tx, &key).await).await.map_err(ApiError::from)?;
    let judged = judged.ok_or_else(refused)?;
    let same: bool = judged.signature.ct_eq(&signed.signature).into();
    if !same || judged.revoked || !judged.user_usable {
        return Err(refused());
    }

    let now = app.now();
    let expired = now.seconds() >= signed.claims.exp;
    if expired && !rules.expired {
        return Err(refused());
    }
    let context = signed.claims.ctx;
    let ruling = match context {
        TokenContext::UserSession => Ruling::Pass,
        TokenContext::PasswordReset => rules.password_reset,
        TokenContext::Api => rules.api,
    };
    match ruling {
        Ruling::Pass => {}
        Ruling::Forbidden => return Err(ApiError::forbidden("This kind of token is not good for that.")),
        Ruling::Unauthorized => return Err(refused()),
        Ruling::Revoke => {
            app.write("revoke token", async move |tx: &mut Tx| Ok(tokens::revoke(tx, &key).await?)).await?;
            return Err(refused());
        }
    }

    let stale = judged.last_used.is_none_or(|last| now.millis() - last.millis() >= TOUCH_AFTER_MILLIS);
    if stale && !expired {
        touch_later(app, key.clone());
    }
    let scope = judged.token_scope.filter(|_| context == TokenContext::Api);
    let rights = match &scope {
        None => Rights::of(&judged.user_scope),
        Some(narrowed) => Rights::of(&judged.user_scope).intersect(Rights::of(narrowed)),
    };
    Ok(Caller {
        user_key: judged.user_key,
        username: judged.username,
        scope: scope.unwrap_or_else(|| judged.user_scope.clone()),
        user_scope: judged.user_scope,
        rights,
        token_key: key,
        context,
        expires_at: judged.expires_at,
        expired,
    })
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    text::same_ignoring_case(scheme, "bearer").then(|| token.trim())
}

/// Beside the request, which does not wait for it; if it is lost, the next request does it again.
fn touch_later(app: &std::sync::Arc<App>, key: TokenKey) {
    if !app.touches.begin(&key) {
        return;
    }
    let app = app.clone();
    tokio::spawn(async move {
        let now = app.now();
        let touched = key.clone();
        let done = app.write("touch token", async move |tx: &mut Tx| Ok(tokens::touch(tx, &touched, now).await?)).await;
        if let Err(error) = done {
            tracing::debug!(?error, "last_used was not written");
        }
        app.touches.end(&key);
    });
}

/// The tokens whose `last_used` is being written, so that a burst of requests writes it once.
#[derive(Default)]
pub struct Touches(parking_lot::Mutex<std::collections::HashSet<TokenKey>>);

impl Touches {
    fn begin(&self, key: &TokenKey) -> bool {
        self.0.lock().insert(key.clone())
    }

    fn end(&self, key: &TokenKey) {
        self.0.lock().remove(key);
    }
}
