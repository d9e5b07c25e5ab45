//! Authentication: passwords, tokens, and the check of every request.

mod caller;
pub mod cookie;
mod guard;
mod judgements;
mod passwords;
mod rules;
mod token;

use domain::Timestamp;
use domain::key::{TokenKey, UserKey};
use store::security::tokens::NewToken;

pub use caller::{Caller, Standing};
pub use guard::{Guard, Presented, Ticket, TicketFor, bearer, media_topic, ticket, topic_ticket};
pub use passwords::{PasswordCost, Passwords, Verdict, hash_password};
pub use rules::{Ruling, TokenRules};
pub use token::{Claims, Issued, MIN_SECRET_BYTES, Signer, TokenContext};

use crate::Result;
use crate::error::ApiError;
use crate::random::random_bytes;

/// Signs claims for a user. Returns the record to store and the token itself, which is shown once.
pub fn new_token(
    signer: &Signer,
    user: &UserKey,
    claims: Claims,
    description: Option<String>,
) -> Result<(NewToken, String)> {
    let issued = signer.issue(&claims).map_err(|error| ApiError::internal(&error.to_string(), None))?;
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

/// A new temporary password.
pub fn temporary_password() -> String {
    loop {
        if let Some(password) = domain::password::temporary(random_bytes::<64>()) {
            return password;
        }
    }
}
