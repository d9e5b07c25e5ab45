//! The check every request with a token passes: judged by what the database says right now.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, header};
use domain::key::TokenKey;
use domain::scope::{Rights, Scope, coarse_scopes, has_word};
use domain::text;
use futures_util::future::BoxFuture;
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

/// Whether a judgement of a moment ago will do. Its request's own transaction then insists on it, and whatever else is answered
/// is judged before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Belief {
    Recent,
    None,
}

/// Who asks, if that user has the `required` scope: by the token in the header or, where an operation takes one, by a ticket
/// for this very address. `trail` learns of everybody whose token holds, whatever becomes of the request.
pub async fn authenticate(app: &Arc<App>, shown: &Shown<'_>, trail: Option<&Trail>, belief: Belief) -> Result<Caller> {
    match admit(app, shown, trail, belief).await {
        Err(_) if belief == Belief::Recent => admit(app, shown, trail, Belief::None).await,
        admitted => admitted,
    }
}

/// What a request shows, and what its operation asks for.
pub struct Shown<'a> {
    pub headers: &'a HeaderMap,
    pub ticket: Option<Ticket<'a>>,
    pub rules: TokenRules,
    pub required: Scope,
}

async fn admit(app: &Arc<App>, shown: &Shown<'_>, trail: Option<&Trail>, belief: Belief) -> Result<Caller> {
    let Shown { headers, ticket, rules, required } = shown;
    let (rules, required) = (*rules, *required);
    let refused = || ApiError::unauthorized(Unauthorized::Token);
    let bearer = bearer(headers);
    let text = bearer.or(ticket.as_ref().map(|ticket| ticket.text)).ok_or_else(refused)?;
    let signed = app.signer.read(text).ok_or_else(refused)?;
    let key = TokenKey::new(signed.claims.jti).map_err(|_| refused())?;
    let believed = if belief == Belief::Recent { app.judgements.recent(&key) } else { None };
    let is_believed = believed.is_some();
    let (version, judged) = match believed {
        Some(judged) => (None, Some(judged)),
        None => judge(app, &key).await?,
    };
    let judged = judged.ok_or_else(refused)?;
    let topic = signed.claims.topic.as_deref();
    let genuine: bool = match (bearer, ticket) {
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
    let rights = rights(&judged, context);
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
        required,
        standing: Standing::new(version, &judged.user_scope, is_believed),
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
    if !caller.rights.contains(required) {
        return Err(ApiError::scope(required.name()));
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

fn rights(judged: &Judged, context: TokenContext) -> Rights {
    match judged.token_scope.as_deref().filter(|_| context == TokenContext::Api) {
        None => Rights::of(&judged.user_scope),
        Some(narrowed) => Rights::of(&judged.user_scope).intersect(Rights::of(narrowed)),
    }
}

/// What the database says of a token right now, and its version from before it was asked. A server that owns its database knows
/// without asking whether anything at all has changed since it last asked.
async fn judge(app: &App, key: &TokenKey) -> Result<(Option<u64>, Option<Arc<Judged>>)> {
    let version = app.db.version();
    if let Some(known) = version.and_then(|version| app.judgements.get(key, version)) {
        return Ok((version, Some(known)));
    }
    let judged = app.urgent.glance(async |tx: &mut Tx| tokens::judge(tx, key).await).await?;
    let judged = judged.map(Arc::new);
    if let Some(judged) = &judged {
        app.judgements.keep(key, version, judged);
    }
    Ok((version, judged))
}

/// On what a judgement rests: as long as neither is another, it holds.
#[derive(Debug, Clone)]
pub struct Standing(Arc<Mutex<Ground>>);

#[derive(Debug)]
struct Ground {
    version: Option<u64>,
    user_scope: String,
    /// It is of a moment ago, and no transaction has insisted on it yet.
    believed: bool,
}

impl Standing {
    fn new(version: Option<u64>, user_scope: &str, believed: bool) -> Self {
        Self(Arc::new(Mutex::new(Ground { version, user_scope: user_scope.to_owned(), believed })))
    }

    fn set(&self, version: Option<u64>, user_scope: &str) {
        *self.0.lock() = Ground { version, user_scope: user_scope.to_owned(), believed: false };
    }

    fn version(&self) -> Option<u64> {
        self.0.lock().version
    }

    pub(crate) fn user_scope(&self) -> String {
        self.0.lock().user_scope.clone()
    }

    pub(crate) fn is_believed(&self) -> bool {
        self.0.lock().believed
    }

    /// A transaction that insisted on it has been committed.
    pub(crate) fn confirm(&self) {
        self.0.lock().believed = false;
    }
}

/// Insists in a transaction that the caller's token and rights are still those that were judged.
pub(crate) fn insist<'a>(app: &'a App, tx: &'a mut Tx, caller: &'a Caller) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        must_be_alive(app, caller)?;
        // Nothing at all was committed since.
        if app.db.version().is_some_and(|version| caller.standing.version() == Some(version)) {
            return Ok(());
        }
        Ok(tokens::insist(tx, &caller.token_key, &caller.standing.user_scope()).await?)
    })
}

/// Judges the caller again outside of a transaction, for what changes nothing.
pub(crate) async fn still_stands(app: &App, caller: &Caller) -> Result<()> {
    if app.db.version().is_some_and(|version| caller.standing.version() == Some(version)) {
        return must_be_alive(app, caller);
    }
    judge_again(app, caller).await
}

fn must_be_alive(app: &App, caller: &Caller) -> Result<()> {
    let expired = app.now().seconds() >= caller.expires_at.seconds();
    if expired && !caller.expired { Err(ApiError::unauthorized(Unauthorized::Token)) } else { Ok(()) }
}

/// Says why a caller is refused who was let in before. Whoever has all rights of before goes on with those.
pub(crate) fn judge_again<'a>(app: &'a App, caller: &'a Caller) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        let refused = || ApiError::unauthorized(Unauthorized::Token);
        must_be_alive(app, caller)?;
        let (version, judged) = judge(app, &caller.token_key).await?;
        let judged = judged.filter(|judged| !judged.revoked && judged.user_usable).ok_or_else(refused)?;
        let rights = rights(&judged, caller.context);
        if !rights.contains(caller.required) {
            return Err(ApiError::scope(caller.required.name()));
        }
        let kept = |(word, _, _): (&str, &str, Rights)| {
            !has_word(&caller.user_scope, word) || has_word(&judged.user_scope, word)
        };
        if !caller.rights.within(rights) || !coarse_scopes().all(kept) {
            return Err(ApiError::forbidden("Your rights became fewer while this was on its way: send it again."));
        }
        caller.standing.set(version, &judged.user_scope);
        Ok(())
    })
}

/// Judgements with the version of the database they were read at; worthless as soon as it has another. Where there is none, with
/// the moment they were read.
#[derive(Default)]
pub struct Judgements(Mutex<HashMap<TokenKey, (ReadAt, Arc<Judged>)>>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadAt {
    Version(u64),
    Moment(Instant),
}

/// So long a judgement is believed until the request's own transaction insists on it.
const BELIEVED: Duration = Duration::from_secs(5);

/// More tokens than anybody has in use; beyond it the memory starts afresh.
const JUDGEMENTS: usize = 10_000;

impl Judgements {
    fn get(&self, key: &TokenKey, version: u64) -> Option<Arc<Judged>> {
        let kept = self.0.lock();
        kept.get(key).filter(|(read_at, _)| *read_at == ReadAt::Version(version)).map(|(_, judged)| judged.clone())
    }

    /// One of a moment ago.
    fn recent(&self, key: &TokenKey) -> Option<Arc<Judged>> {
        match self.0.lock().get(key)? {
            (ReadAt::Moment(read), judged) if read.elapsed() < BELIEVED => Some(judged.clone()),
            _ => None,
        }
    }

    /// `version` is from before the read, so that a change during it makes the judgement worthless, never wrong.
    fn keep(&self, key: &TokenKey, version: Option<u64>, judged: &Arc<Judged>) {
        let read_at = version.map_or_else(|| ReadAt::Moment(Instant::now()), ReadAt::Version);
        let mut kept = self.0.lock();
        if kept.len() >= JUDGEMENTS {
            kept.clear();
        }
        kept.insert(key.clone(), (read_at, judged.clone()));
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
