//! Proving who asks: passwords, tokens, and the check every request passes.

mod guard;
mod passwords;
mod prove;
mod token;

use domain::Timestamp;
use domain::key::{TokenKey, UserKey};
use store::security::tokens::NewToken;

pub use guard::{Belief, Judgements, Shown, Standing, Touches, authenticate, media_topic, ticket};
pub(crate) use guard::{insist, judge_again, still_stands};
pub use passwords::{Passwords, Verdict, hash_password};
pub use prove::{Proven, Who, prove};
pub use token::{Claims, Issued, MIN_SECRET_BYTES, Signer, TokenContext};

use crate::Result;
use crate::app::App;
use crate::error::ApiError;

/// Signs claims of a user: the record to store, and the token itself, which is shown once.
pub fn new_token(app: &App, user: &UserKey, claims: Claims, description: Option<String>) -> Result<(NewToken, String)> {
    let issued = app.signer.issue(&claims).map_err(|error| ApiError::internal(&error.to_string(), None))?;
    let record = NewToken {
        key: TokenKey::trusted(claims.jti),
        signature: issued.signature,
        user_key: user.clone(),
        issued_at: Timestamp::from_millis(claims.iat * 1000),
        expires_at: Timestamp::from_millis(claims.exp * 1000),
        context: claims.ctx.name(),
        scope: claims.scope,
        description,
    };
    Ok((record, issued.token))
}

/// `BYTES` random bytes as hexadecimal text.
pub fn random_hex<const BYTES: usize>() -> String {
    domain::text::hex(&random_bytes::<BYTES>())
}

pub fn random_bytes<const BYTES: usize>() -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    #[expect(clippy::expect_used, reason = "without the system's randomness no secret is safe: stop")]
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// A new temporary password.
pub fn temporary_password() -> String {
    loop {
        if let Some(password) = domain::password::temporary(random_bytes::<64>()) {
            return password;
        }
    }
}
