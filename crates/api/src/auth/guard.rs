//! The check every request with a token passes: judged by what the database says right now.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use domain::key::TokenKey;
use domain::scope::Rights;
use domain::text;
use parking_lot::Mutex;
use store::Tx;
use store::security::tokens::{self, Judged};
use subtle::ConstantTimeEq;

use super::token::TokenContext;
use crate::Result;
use crate::app::App;
use crate::cx::Caller;
use crate::error::{ApiError, Unauthorized};
use crate::operation::{Ruling, TokenRules};
use crate::trail::Trail;

/// `last_used` is written at most so often.
const TOUCH_AFTER_MILLIS: i64 = 60_000;

/// Who asks: by the token in the header or, where an operation takes one, by a ticket for this very address. `trail` learns
/// of everybody whose token holds, whatever becomes of the request.
pub async fn authenticate(
    app: &Arc<App>,
    headers: &HeaderMap,
    ticket: Option<Ticket<'_>>,
    rules: TokenRules,
    trail: Option<&Trail>,
) -> Result<Caller> {
    let refused = || ApiError::unauthorized(Unauthorized::Token);
    let bearer = bearer(headers);
    let text = bearer.or(ticket.as_ref().map(|ticket| ticket.text)).ok_or_else(refused)?;
    let signed = app.signer.read(text).ok_or_else(refused)?;
    let key = TokenKey::new(signed.claims.jti).map_err(|_| refused())?;
    let judged = judge(app, &key).await?.ok_or_else(refused)?;
    let topic = signed.claims.topic.as_deref();
    let genuine: bool = match (bearer, &ticket) {
        (Some(_), _) => judged.signature.ct_eq(&signed.signature).into(),
        // A ticket has no record of its own: it lives as long as the token that asked for it.
        (None, Some(ticket)) => {
            let alive = app.now().seconds() < judged.expires_at.seconds();
            alive && signed.claims.ctx == TokenContext::Ticket && topic == Some(ticket.topic.as_str())
        }
        (None, None) => false,
    };
    if !genuine || judged.revoked || !judged.user_usable {
        return Err(refused());
    }

    let now = app.now();
    let expired = now.seconds() >= signed.claims.exp;
    if expired && !rules.expired {
        return Err(refused());
    }
    let context = TokenContext::parse(&judged.context).ok_or_else(refused)?;
    let scope = judged.token_scope.clone().filter(|_| context == TokenContext::Api);
    let rights = match &scope {
        None => Rights::of(&judged.user_scope),
        Some(narrowed) => Rights::of(&judged.user_scope).intersect(Rights::of(narrowed)),
    };
    let caller = Caller {
        user_key: judged.user_key.clone(),
        username: judged.username.clone(),
        scope: scope.unwrap_or_else(|| judged.user_scope.clone()),
        user_scope: judged.user_scope.clone(),
        rights,
        token_key: key.clone(),
        session_key: judged.session_key,
        context,
        expires_at: judged.expires_at,
        expired,
    };
    if let Some(trail) = trail {
        trail.caller(&caller);
    }
    let ruling = match context {
        TokenContext::UserSession => Ruling::Pass,
        TokenContext::PasswordReset => rules.password_reset,
        TokenContext::Api => rules.api,
        TokenContext::Ticket => Ruling::Unauthorized,
    };
    match ruling {
        Ruling::Pass => {}
        Ruling::Forbidden => return Err(ApiError::forbidden("This kind of token is not good for that.")),
        Ruling::Unauthorized => return Err(refused()),
        Ruling::Revoke => {
            app.urgent.write("revoke token", async move |tx: &mut Tx| tokens::revoke(tx, &key).await).await?;
            return Err(refused());
        }
    }
    let stale = judged.last_used.is_none_or(|last| now.millis() - last.millis() >= TOUCH_AFTER_MILLIS);
    if stale && !expired {
        touch_later(app, key);
    }
    Ok(caller)
}

/// A ticket that came with an address.
pub struct Ticket<'a> {
    text: &'a str,
    topic: String,
}

/// The ticket in a query, good for exactly that address.
pub fn ticket<'a>(query: &'a [(String, String)], path: &str) -> Option<Ticket<'a>> {
    let (_, text) = query.iter().find(|(name, _)| name == "ticket")?;
    Some(Ticket { text, topic: media_topic(path) })
}

/// What a ticket for a stored file is good for.
pub fn media_topic(address: &str) -> String {
    format!("media:{address}")
}

/// What the database says of a token right now. A server that owns its database knows without asking whether anything at all
/// has changed since it last asked.
async fn judge(app: &App, key: &TokenKey) -> Result<Option<Arc<Judged>>> {
    let version = app.db.version();
    if let Some(known) = version.and_then(|version| app.judgements.get(key, version)) {
        return Ok(Some(known));
    }
    let judged = app.urgent.glance(async |tx: &mut Tx| tokens::judge(tx, key).await).await?;
    let judged = judged.map(Arc::new);
    if let (Some(version), Some(judged)) = (version, &judged) {
        app.judgements.keep(key, version, judged);
    }
    Ok(judged)
}

/// Judgements with the version of the database they were read at; worthless as soon as it has another.
#[derive(Default)]
pub struct Judgements(Mutex<HashMap<TokenKey, (u64, Arc<Judged>)>>);

/// More tokens than anybody has in use; beyond it the memory starts afresh.
const JUDGEMENTS: usize = 10_000;

impl Judgements {
    fn get(&self, key: &TokenKey, version: u64) -> Option<Arc<Judged>> {
        let kept = self.0.lock();
        kept.get(key).filter(|(read_at, _)| *read_at == version).map(|(_, judged)| judged.clone())
    }

    /// `version` is from before the read, so that a change during it makes the judgement worthless, never wrong.
    fn keep(&self, key: &TokenKey, version: u64, judged: &Arc<Judged>) {
        let mut kept = self.0.lock();
        if kept.len() >= JUDGEMENTS {
            kept.clear();
        }
        kept.insert(key.clone(), (version, judged.clone()));
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    text::same_ignoring_case(scheme, "bearer").then(|| token.trim())
}

/// Beside the request, which does not wait for it; if it is lost, the next request does it again.
fn touch_later(app: &Arc<App>, key: TokenKey) {
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
pub struct Touches(Mutex<HashSet<TokenKey>>);

impl Touches {
    fn begin(&self, key: &TokenKey) -> bool {
        self.0.lock().insert(key.clone())
    }

    fn end(&self, key: &TokenKey) {
        self.0.lock().remove(key);
    }
}
