use domain::ErrorData;
use domain::collection::Collection;
use domain::key::{TokenKey, UserKey, record_id};
use domain::scope::{Rights, tidy};
use domain::{Fault, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::Tx;
use store::organisation::api_tokens::{self, ApiToken};
use store::security::{tokens, users};

use crate::Result;
use crate::auth::{Caller, Claims, Ruling, TokenContext, new_token};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Part, Path, PlaceOf, Query, Shape, Source, Until, json_body, read_value};
use crate::operation::{Operation, Tag, delete, get, post};
use crate::reply::{Bare, Done, Envelope, Listed, NoStore, envelope};
use crate::scope;

const TAG: Tag = Tag::Organisation;
const DAY_SECONDS: i64 = 24 * 60 * 60;
const MOST_DAYS: i64 = 731;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("create_api_token", "/api-token", TAG, "Create an API token", create)
            .scope(scope!("org:api-token:create"))
            .api_token(Ruling::Forbidden)
            .describe(
                "Creates a token for a program, with the caller's rights or fewer. The token is shown only in \
                 this answer. It is valid until it expires or is revoked, or the user is deleted.",
            )
            .error(403, "The scope goes beyond the caller's own."),
        get("list_api_tokens", "/user/api-tokens", TAG, "List API tokens", list)
            .scope(scope!("org:api-token:read"))
            .describe(
                "Lists tokens that are not revoked, newest first. These are your own unless an administrator asks \
                 for another user's.",
            )
            .error(403, "Another user's tokens need the coarse scope `admin`."),
        delete("revoke_api_token", "/api-token/{token_key}", TAG, "Revoke an API token", revoke)
            .scope(scope!("org:api-token:revoke"))
            .describe("The token stops working at once on every node. Revoking a revoked token changes nothing.")
            .error(
                404,
                "There is no such API token, or it is another user's and the caller lacks the coarse scope \
                 `admin`.",
            ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewApiToken {
    /// What it is for.
    #[schemars(length(min = 1, max = 200))]
    token_description: String,
    /// In the future, at most 731 days ahead; a bare date means the end of that day.
    token_expiration: Until,
    /// The caller's own scope when left out.
    #[schemars(extend("x-checked-as" = "scope"))]
    scope: Option<String>,
}

#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "ApiTokenCreated")]
struct Created {
    status: u16,
    message: &'static str,
    detail: CreatedDetail,
    access_token: String,
    #[schemars(extend("const" = "bearer"))]
    token_type: &'static str,
    /// In seconds.
    expires_in: i64,
}

#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "ApiTokenCreatedDetail")]
struct CreatedDetail {
    #[schemars(extend("const" = "api_token"))]
    action: &'static str,
    user_key: UserKey,
    token_key: TokenKey,
    expires_at: Timestamp,
}

/// A new API token whose expiration is checked together with all other faults.
struct SentApiToken(NewApiToken);

impl Part for SentApiToken {
    const PLACE: PlaceOf = PlaceOf::JsonBody;
    type Fields = NewApiToken;

    fn read(source: &Source, shape: &Shape, faults: &mut Vec<Fault>) -> Option<Self> {
        let value: Value = json_body(source, faults)?;
        source.note_body(&value, shape);
        let sent = value.get(EXPIRATION).cloned().unwrap_or_default();
        let read = read_value(value, "body", shape, faults);
        if let (Ok(ends), Some(now)) = (Until::deserialize(&sent), source.now)
            && !is_expiration(ends.0, now)
        {
            let why = format!("Must be in the future, at most {MOST_DAYS} days ahead.");
            faults.push(Fault::new("value_error", &["body".into(), EXPIRATION.into()], why, &sent));
            return None;
        }
        read.map(Self)
    }
}

const EXPIRATION: &str = "token_expiration";

/// A token's times are whole seconds: one that would end within this second is not valid at all.
fn is_expiration(ends: Timestamp, now: Timestamp) -> bool {
    ends.seconds() > now.seconds() && ends <= now.plus_seconds(MOST_DAYS * DAY_SECONDS)
}

async fn create(cx: Cx, SentApiToken(body): SentApiToken) -> Result<Done<NoStore<Bare<Created>>>> {
    let now = cx.now();
    let ends = body.token_expiration.0;
    let seconds = ends.seconds() - now.seconds();
    let scope = body.scope.as_deref().map_or_else(|| cx.caller.scope.clone(), tidy);
    if !Rights::of(&scope).within(cx.caller.rights) {
        return Err(ApiError::forbidden("The scope goes beyond your own."));
    }
    let (user_key, asking) = (cx.caller.user_key.clone(), cx.clone());
    let claims = Claims::new(user_key.as_str(), TokenContext::Api, Some(scope), now, seconds);
    let (token, text) = new_token(&cx.signer, &user_key, claims, Some(body.token_description))?;
    let answer = Created {
        status: 200,
        message: "API token created.",
        detail: CreatedDetail {
            action: "api_token",
            user_key,
            token_key: token.key.clone(),
            expires_at: token.expires_at,
        },
        access_token: text,
        token_type: "bearer",
        expires_in: seconds,
    };
    cx.change("create API token", async move |tx: &mut Tx| {
        // A token outlives the session that made it: that session's rights must not be withdrawn at the same moment.
        users::lock(tx, &asking.caller.user_key).await?;
        asking.insist(tx).await?;
        tokens::insert(tx, &token).await?;
        Ok(NoStore(Bare(answer.clone())))
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
struct TokensQuery {
    /// Another user's tokens; needs coarse `admin`.
    user_key: Option<UserKey>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApiToken")]
struct TokenRecord {
    _id: String,
    _key: TokenKey,
    revoked: bool,
    /// The `_id` of its user.
    issued_to: String,
    issued_at: Timestamp,
    expires_at: Timestamp,
    /// Always `API`.
    context: TokenContext,
    scope: Option<String>,
    description: Option<String>,
    last_used: Option<Timestamp>,
}

fn record(token: ApiToken) -> TokenRecord {
    TokenRecord {
        _id: record_id(Collection::Token, &token.key),
        _key: token.key,
        revoked: token.revoked,
        issued_to: record_id(Collection::User, &token.user_key),
        issued_at: token.issued_at,
        expires_at: token.expires_at,
        context: TokenContext::Api,
        scope: token.scope,
        description: token.description,
        last_used: token.last_used,
    }
}

async fn list(cx: Cx, Query(query): Query<TokensQuery>, Paging(page): Paging<10_000>) -> Result<Listed<TokenRecord>> {
    let user = query.user_key.unwrap_or_else(|| cx.caller.user_key.clone());
    if !is_own_or_admins(&cx.caller, &user) {
        return Err(ApiError::forbidden_with(
            "Another user's tokens need the scope admin.",
            &ErrorData::required_scope("admin"),
        ));
    }
    let found = cx.db.read_long(async move |tx: &mut Tx| api_tokens::list(tx, &user, &page).await).await?;
    Ok(Listed { rows: found.rows.into_iter().map(record).collect(), total: found.total })
}

#[derive(Deserialize, JsonSchema)]
struct TokenPath {
    /// The key of an API token.
    token_key: TokenKey,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApiTokenRevoked")]
struct Revoked {
    token_key: TokenKey,
}

async fn revoke(cx: Cx, Path(path): Path<TokenPath>) -> Result<Done<Envelope<Revoked>>> {
    let caller = cx.caller.clone();
    cx.change("revoke API token", async move |tx: &mut Tx| {
        let token = api_tokens::lock(tx, &path.token_key).await?;
        let token = token.filter(|token| is_own_or_admins(&caller, &token.user_key));
        let token = token.ok_or_else(|| ApiError::missing(Collection::Token))?;
        tokens::revoke(tx, &token.key).await?;
        envelope("API token revoked.", Revoked { token_key: token.key })
    })
    .await
}

fn is_own_or_admins(caller: &Caller, user: &UserKey) -> bool {
    caller.user_key == *user || caller.has_coarse("admin")
}
