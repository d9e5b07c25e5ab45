//! Signing in, sessions, rights and the user's own preferences.

mod preferences;
mod scopes;
mod session;
mod sign_in;
mod verify;
mod whoami;

use crate::auth::Ruling;
use crate::operation::{Operation, SMALL_BODY, Tag, delete, get, patch, post};
use crate::scope;

const TAG: Tag = Tag::Security;

pub fn operations() -> Vec<Operation> {
    vec![
        post("sign_in", "/auth", TAG, "Sign in", sign_in::sign_in)
            .public()
            .urgent()
            .body_limit(SMALL_BODY)
            .describe(
                "Answers with a token that is valid for 24 hours. A user who has to choose a new password gets one that \
                 is valid for 5 minutes and only for that (`action` says which). With the session policy `single` all \
                 earlier sessions of the user end.",
            )
            .error(401, "Wrong password, unknown or disabled user: the same answer for all.")
            .error(429, "Too many failed attempts with this username or from this address; `Retry-After` says how long \
                         to wait."),
        post("verify_password", "/user/{user_key}/verify", TAG, "Verify a password", verify::verify)
            .scope(scope!("auth:user:verify"))
            .every_time()
            .describe("Checks a user's password without signing in, for a second signature. Any user may be verified.")
            .error(401, "Wrong password, unknown or disabled user, or no valid token of the caller.")
            .error(429, "Too many failed tries."),
        get("whoami", "/whoami", TAG, "Who am I", whoami::whoami)
            .scope(scope!("auth:session:whoami"))
            .password_reset_token(Ruling::Pass)
            .describe("The user and the rights behind the token, as they are right now."),
        post("start_session", "/session", TAG, "Open a session", session::start)
            .scope(scope!("auth:session:start"))
            .urgent()
            .password_reset_token(Ruling::Revoke)
            .api_token(Ruling::Revoke)
            .describe("Called right after signing in, with the same token. Calling it again returns the same session.")
            .error(401, "Not the token's own user, or not a session token: the token is revoked."),
        get("list_sessions", "/session", TAG, "List sessions", session::list)
            .scope(scope!("auth:session:read"))
            .describe("Active sessions whose token is still valid, newest first; your own unless you ask for others.")
            .error(403, "`all`, or another user's sessions, without coarse `admin` or `production`."),
        delete("close_session", "/session/{session_key}", TAG, "Close a session", session::close)
            .scope(scope!("auth:session:close"))
            .expired_token_too()
            .describe(
                "Ends a session and revokes its token. You can always close your own, even with the session's own \
                 expired token; another user's with `force=true` and coarse `admin` or `production`. Closing a closed \
                 session changes nothing.",
            )
            .error(401, "Not your session, or no valid token.")
            .error(404, "No such session."),
        get("list_scopes", "/scope", TAG, "List scopes", scopes::list)
            .scope(scope!("auth:scope:read"))
            .describe("What each coarse scope includes, what every signed-in user has, all fine-grained scopes, and \
                       yours."),
        patch("update_preferences", "/preferences", TAG, "Change my preferences", preferences::change)
            .scope(scope!("auth:preferences:write"))
            .describe("Merges the body into the caller's own preferences; null removes a member, known ones get their default."),
    ]
}
