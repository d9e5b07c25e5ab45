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
                "Answers with a token that is valid for 24 hours. A user who has to choose a new password gets a \
                 token that is valid for 5 minutes and can do nothing else; `action` says which of the two it is. \
                 With the session policy `single`, all earlier sessions of the user end.",
            )
            .error(401, "The password is wrong, or the user is unknown or disabled: the answer is the same.")
            .error(
                429,
                "Too many failed attempts with this username or from this address; `Retry-After` says how long to \
                 wait.",
            ),
        post("verify_password", "/user/{user_key}/verify", TAG, "Verify a password", verify::verify)
            .scope(scope!("auth:user:verify"))
            .every_time()
            .describe("Checks any user's password without signing in, for example for a second signature.")
            .error(401, "The password is wrong, the user is unknown or disabled, or the caller's token is not valid.")
            .error(429, "Too many failed attempts."),
        get("whoami", "/whoami", TAG, "Read the current user", whoami::whoami)
            .scope(scope!("auth:session:whoami"))
            .password_reset_token(Ruling::Pass)
            .describe("Returns the user and the rights that the token stands for right now."),
        post("start_session", "/session", TAG, "Open a session", session::start)
            .scope(scope!("auth:session:start"))
            .urgent()
            .password_reset_token(Ruling::Revoke)
            .api_token(Ruling::Revoke)
            .describe("Call this right after signing in, with the same token. A second call returns the same session.")
            .error(401, "`user_key` is not the token's user, or it is not a session token; the token is then revoked."),
        get("list_sessions", "/session", TAG, "List sessions", session::list)
            .scope(scope!("auth:session:read"))
            .describe(
                "Lists active sessions whose token is still valid, newest first. These are your own unless you \
                 ask for others.",
            )
            .error(403, "`all` and other users' sessions need the coarse scope `admin` or `production`."),
        delete("close_session", "/session/{session_key}", TAG, "Close a session", session::close)
            .scope(scope!("auth:session:close"))
            .expired_token_too()
            .describe(
                "Ends a session and revokes its token. You can always close your own session, even with its \
                 expired token. Closing another user's session needs `force=true` and the coarse scope `admin` or \
                 `production`. Closing a closed session changes nothing.",
            )
            .error(401, "It is not your session, or the token is not valid.")
            .error(404, "No such session."),
        get("list_scopes", "/scope", TAG, "List scopes", scopes::list).scope(scope!("auth:scope:read")).describe(
            "Returns what each coarse scope includes, what every signed-in user has, all fine-grained scopes, and \
             your own.",
        ),
        patch("update_preferences", "/preferences", TAG, "Change my preferences", preferences::change)
            .scope(scope!("auth:preferences:write"))
            .describe(
                "Merges the body into your own preferences. Null removes a member; known members then have their \
                 default.",
            ),
    ]
}
