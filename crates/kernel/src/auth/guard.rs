//! The check of every token, against the current state of the database.

use std::sync::Arc;

use axum::http::{HeaderMap, Method, header};
use domain::key::TokenKey;
use domain::notification::Topics;
use domain::scope::{Rights, Scope, coarse_scopes, has_word};
use domain::text;
use futures_util::future::BoxFuture;
use store::security::tokens::{self, Judged};
use store::{Db, Tx};
use subtle::ConstantTimeEq;

use super::caller::{Caller, Standing};
use super::cookie;
use super::judgements::{Judgements, Touches};
use super::rules::{Ruling, TokenRules};
use super::token::{Signer, TokenContext};
use crate::Result;
use crate::clock::Clock;
use crate::error::{ApiError, Unauthorized};

/// `last_used` is written at most this often.
const TOUCH_AFTER_MILLIS: i64 = 60_000;

/// The token of a request, and what its operation requires.
pub struct Presented<'a> {
    pub method: &'a Method,
    pub headers: &'a HeaderMap,
    /// Whether it is known to have come by https.
    pub https: bool,
    pub ticket: Option<Ticket<'a>>,
    pub rules: TokenRules,
    pub required: Scope,
}

/// Where the token of a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Header,
    Ticket,
    Cookie,
}

impl Presented<'_> {
    /// The token and where it is. What was sent on purpose goes before the cookie, which a browser adds by itself.
    fn token(&self) -> Option<(Place, &str)> {
        let ticket = || self.ticket.as_ref().map(|ticket| (Place::Ticket, ticket.text));
        bearer(self.headers).map(|text| (Place::Header, text)).or_else(ticket).or_else(|| self.cookie())
    }

    fn cookie(&self) -> Option<(Place, &str)> {
        if self.headers.contains_key(header::AUTHORIZATION) || !cookie::is_from_console(self.method, self.headers) {
            return None;
        }
        cookie::token(self.headers, self.https).map(|text| (Place::Cookie, text))
    }
}

/// Checks tokens.
pub struct Guard {
    db: Db,
    /// The database over reserved connections, for checks that must be answered under any load.
    urgent: Db,
    clock: Clock,
    signer: Arc<Signer>,
    touches: Touches,
    judgements: Judgements,
}

impl Guard {
    pub fn new(db: Db, clock: Clock, signer: Arc<Signer>) -> Arc<Self> {
        let urgent = db.urgent();
        Arc::new(Self { db, urgent, clock, signer, touches: Touches::default(), judgements: Judgements::default() })
    }

    /// Returns the caller if they have the `required` scope, by the token in the header, or, if the operation accepts one, by
    /// a ticket for this very address or its topics, or by the cookie of the console. `known` is told every caller with a
    /// valid token, even if the request is then refused.
    pub async fn authenticate(
        self: &Arc<Self>,
        presented: &Presented<'_>,
        known: &(dyn Fn(&Caller) + Send + Sync),
    ) -> Result<Caller> {
        let Presented { ticket, rules, required, .. } = presented;
        let (rules, required) = (*rules, *required);
        let Some((place, text)) = presented.token() else { return Err(ApiError::unauthorized(Unauthorized::Token)) };
        let what = if place == Place::Ticket { Unauthorized::Ticket } else { Unauthorized::Token };
        let refused = || ApiError::unauthorized(what);
        let signed = self.signer.read(text).ok_or_else(refused)?;
        let key = TokenKey::new(signed.claims.jti).map_err(|_| refused())?;
        let (version, judged) = self.judge(&key).await?;
        let judged = judged.ok_or_else(refused)?;
        let topic = signed.claims.topic.as_deref();
        let genuine: bool = match (place, ticket) {
            // Nothing else is handed to a browser to keep.
            (Place::Cookie, _) if signed.claims.ctx != TokenContext::UserSession => false,
            (Place::Header | Place::Cookie, _) => judged.signature.ct_eq(&signed.signature).into(),
            // A ticket has no record of its own: it is valid as long as the token it was requested with.
            (Place::Ticket, Some(ticket)) => {
                let alive = self.clock.now().seconds() < judged.expires_at.seconds();
                alive && signed.claims.ctx == TokenContext::Ticket && topic.is_some_and(|topic| ticket.is_for(topic))
            }
            (Place::Ticket, None) => false,
        };
        if !genuine || judged.revoked || !judged.user_usable {
            return Err(refused());
        }

        let now = self.clock.now();
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
            standing: Standing::new(version, &judged.user_scope),
        };
        known(&caller);
        let ruling = match context {
            TokenContext::UserSession => Ruling::Pass,
            TokenContext::PasswordReset => rules.password_reset,
            TokenContext::Api => rules.api,
            TokenContext::Ticket => Ruling::Unauthorized,
        };
        match ruling {
            Ruling::Pass => {}
            Ruling::Forbidden => return Err(ApiError::forbidden(wrong_kind(context))),
            Ruling::Unauthorized => return Err(refused()),
            Ruling::Revoke => {
                self.urgent.write("revoke token", async move |tx: &mut Tx| tokens::revoke(tx, &key).await).await?;
                return Err(refused());
            }
        }
        let stale = judged.last_used.is_none_or(|last| now.millis() - last.millis() >= TOUCH_AFTER_MILLIS);
        if stale && !expired {
            self.touch_later(key);
        }
        if !caller.rights.contains(required) {
            return Err(ApiError::scope(required.name()));
        }
        Ok(caller)
    }

    /// What the database says about a token right now, and the version of rights from before the query. A server that owns its
    /// database can tell without a query whether any token or user has changed since it last asked.
    async fn judge(&self, key: &TokenKey) -> Result<(Option<u64>, Option<Arc<Judged>>)> {
        let version = self.db.rights_version();
        if let Some(known) = version.and_then(|version| self.judgements.get(key, version)) {
            return Ok((version, Some(known)));
        }
        let judged = self.urgent.glance(async |tx: &mut Tx| tokens::judge(tx, key).await).await?;
        let judged = judged.map(Arc::new);
        if let (Some(version), Some(judged)) = (version, &judged) {
            self.judgements.keep(key, version, judged);
        }
        Ok((version, judged))
    }

    /// Fails the transaction unless the caller's token and rights are still what they were when they were checked.
    pub(crate) fn insist<'a>(&'a self, tx: &'a mut Tx, caller: &'a Caller) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.must_be_alive(caller)?;
            if self.holds(caller) {
                return Ok(());
            }
            Ok(tokens::insist(tx, &caller.token_key, &caller.standing.user_scope()).await?)
        })
    }

    /// Checks the caller once more at the end of a change, where others can write meanwhile: it then holds until the commit.
    pub(crate) fn insist_to_the_end<'a>(&'a self, tx: &'a mut Tx, caller: &'a Caller) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.must_be_alive(caller)?;
            let (user, token, scope) = (&caller.user_key, &caller.token_key, caller.standing.user_scope());
            Ok(tokens::insist_to_the_end(tx, user, token, &scope).await?)
        })
    }

    /// Checks the caller again outside a transaction, for operations that change nothing.
    pub(crate) async fn still_stands(&self, caller: &Caller) -> Result<()> {
        if self.holds(caller) {
            return self.must_be_alive(caller);
        }
        self.judge_again(caller).await
    }

    /// Whether no token and no user has changed since the caller was checked.
    fn holds(&self, caller: &Caller) -> bool {
        self.db.rights_version().is_some_and(|version| caller.standing.version() == Some(version))
    }

    fn must_be_alive(&self, caller: &Caller) -> Result<()> {
        let expired = self.clock.now().seconds() >= caller.expires_at.seconds();
        if expired && !caller.expired { Err(ApiError::unauthorized(Unauthorized::Token)) } else { Ok(()) }
    }

    /// Checks a caller again whose rights have changed, and says why they are refused now. A caller who still has all
    /// earlier rights continues with those.
    pub(crate) fn judge_again<'a>(&'a self, caller: &'a Caller) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let refused = || ApiError::unauthorized(Unauthorized::Token);
            self.must_be_alive(caller)?;
            let (version, judged) = self.judge(&caller.token_key).await?;
            let judged = judged.filter(|judged| !judged.revoked && judged.user_usable).ok_or_else(refused)?;
            let rights = rights(&judged, caller.context);
            if !rights.contains(caller.required) {
                return Err(ApiError::scope(caller.required.name()));
            }
            let kept = |(word, _, _): (&str, &str, Rights)| {
                !has_word(&caller.user_scope, word) || has_word(&judged.user_scope, word)
            };
            if !caller.rights.within(rights) || !coarse_scopes().all(kept) {
                return Err(ApiError::forbidden(
                    "Your rights were reduced while the request was running: send it again.",
                ));
            }
            caller.standing.set(version, &judged.user_scope);
            Ok(())
        })
    }

    /// Writes it in the background; the request does not wait. If it is lost, the next request writes it.
    fn touch_later(self: &Arc<Self>, key: TokenKey) {
        if !self.touches.begin(&key) {
            return;
        }
        let guard = self.clone();
        tokio::spawn(async move {
            let now = guard.clock.now();
            let touched = key.clone();
            let touch = async move |tx: &mut Tx| tokens::touch(tx, &touched, now).await;
            if let Err(error) = guard.db.write("touch token", touch).await {
                tracing::debug!(?error, "last_used was not written");
            }
            guard.touches.end(&key);
        });
    }
}

/// What a ticket can be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TicketFor {
    /// Exactly one address.
    Address,
    /// Topics, together or any of them.
    Topics,
}

/// A ticket from the query of a request.
pub struct Ticket<'a> {
    text: &'a str,
    wanted: Wanted,
}

/// What a request needs a ticket for.
enum Wanted {
    Address(String),
    /// `None` if they are no topics.
    Topics(Option<Topics>),
}

impl Ticket<'_> {
    /// Whether a ticket with this claim is for what the request wants.
    fn is_for(&self, claimed: &str) -> bool {
        match &self.wanted {
            Wanted::Address(topic) => claimed == topic,
            Wanted::Topics(None) => false,
            Wanted::Topics(Some(wanted)) => Topics::parse(claimed).is_some_and(|held| held.include(wanted)),
        }
    }
}

/// The ticket in a query, valid for exactly this address.
pub fn ticket<'a>(query: &'a [(String, String)], path: &str) -> Option<Ticket<'a>> {
    Some(Ticket { text: ticket_text(query)?, wanted: Wanted::Address(media_topic(path)) })
}

/// The ticket in a query, valid for these topics.
pub fn topic_ticket<'a>(query: &'a [(String, String)], topics: &str) -> Option<Ticket<'a>> {
    Some(Ticket { text: ticket_text(query)?, wanted: Wanted::Topics(Topics::parse(topics)) })
}

fn ticket_text(query: &[(String, String)]) -> Option<&str> {
    query.iter().find(|(name, _)| name == "ticket").map(|(_, text)| text.as_str())
}

/// The topic of a ticket for a stored file.
pub fn media_topic(address: &str) -> String {
    format!("media:{address}")
}

fn rights(judged: &Judged, context: TokenContext) -> Rights {
    match judged.token_scope.as_deref().filter(|_| context == TokenContext::Api) {
        None => Rights::of(&judged.user_scope),
        Some(narrowed) => Rights::of(&judged.user_scope).intersect(Rights::of(narrowed)),
    }
}

/// The token in the header of a request.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    text::same_ignoring_case(scheme, "bearer").then(|| token.trim())
}

/// What to do instead with a token of this kind.
fn wrong_kind(context: TokenContext) -> &'static str {
    match context {
        TokenContext::PasswordReset => "This token can only set a new password: set one, then sign in with it.",
        TokenContext::Api => "An API token can't do this: sign in instead.",
        TokenContext::UserSession | TokenContext::Ticket => "Sign in to do this.",
    }
}
