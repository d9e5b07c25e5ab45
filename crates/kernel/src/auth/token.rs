//! Signed tokens: JWT with HS256 and nothing else. There is only one valid header, so any other, including `alg: none`, is
//! refused without parsing it.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::random::random_hex;

/// `{"alg":"HS256","typ":"JWT"}`
const HEADER: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";

/// What a token was issued for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TokenContext {
    /// A session of a user who signed in.
    #[serde(rename = "USER_SESSION")]
    UserSession,
    /// Choosing a new password.
    #[serde(rename = "PASSWORD_RESET")]
    PasswordReset,
    /// A program: an API token.
    #[serde(rename = "API")]
    Api,
    /// Valid for one address, in its query. No operation shows it.
    #[serde(rename = "SSE_TICKET")]
    #[schemars(skip)]
    Ticket,
}

impl TokenContext {
    pub fn name(self) -> &'static str {
        match self {
            TokenContext::UserSession => "USER_SESSION",
            TokenContext::PasswordReset => "PASSWORD_RESET",
            TokenContext::Api => "API",
            TokenContext::Ticket => "SSE_TICKET",
        }
    }

    /// The context of a stored token; tickets are not stored.
    pub fn parse(name: &str) -> Option<Self> {
        [TokenContext::UserSession, TokenContext::PasswordReset, TokenContext::Api]
            .into_iter()
            .find(|context| context.name() == name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    pub jti: String,
    pub sub: String,
    pub ctyp: String,
    pub iat: i64,
    pub exp: i64,
    pub ctx: TokenContext,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The topic a ticket is valid for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
}

impl Claims {
    /// Claims for a user, valid from now on.
    pub fn new(user_key: &str, context: TokenContext, scope: Option<String>, now: Timestamp, seconds: i64) -> Self {
        let issued = now.seconds();
        Self {
            jti: random_hex::<16>(),
            sub: user_key.to_owned(),
            ctyp: "user".to_owned(),
            iat: issued,
            exp: issued + seconds,
            ctx: context,
            scope,
            topic: None,
        }
    }

    /// A ticket for one topic, valid no longer than the token it was requested with.
    pub fn ticket(user_key: &str, token_key: &str, topic: String, now: Timestamp, seconds: i64) -> Self {
        let claims = Self::new(user_key, TokenContext::Ticket, None, now, seconds);
        Self { jti: token_key.to_owned(), topic: Some(topic), ..claims }
    }
}

/// A token and the fingerprint of its signature; only the fingerprint is stored.
pub struct Issued {
    pub token: String,
    pub signature: Vec<u8>,
}

/// A token with a valid signature; only the database knows whether the token is still valid.
#[derive(Clone)]
pub struct Signed {
    pub claims: Claims,
    pub signature: Vec<u8>,
}

pub struct Signer {
    mac: Hmac<Sha256>,
    /// What was read: a program sends the same token with every request.
    read: Mutex<HashMap<String, Signed>>,
}

/// More tokens than are in use at once on most sites; beyond this what was read is forgotten.
const READ: usize = 1_000;

/// Minimum length of the signing secret, in bytes.
pub const MIN_SECRET_BYTES: usize = 32;

impl Signer {
    /// `None` if the secret is too short.
    pub fn new(secret: &[u8]) -> Option<Self> {
        if secret.len() < MIN_SECRET_BYTES {
            return None;
        }
        Some(Self { mac: Hmac::new_from_slice(secret).ok()?, read: Mutex::default() })
    }

    pub fn issue(&self, claims: &Claims) -> Result<Issued, serde_json::Error> {
        let payload = URL_SAFE_NO_PAD.encode(serde_json::to_vec(claims)?);
        let signed_part = format!("{HEADER}.{payload}");
        let signature = URL_SAFE_NO_PAD.encode(self.mac_of(&signed_part).finalize().into_bytes());
        let token = format!("{signed_part}.{signature}");
        Ok(Issued { token, signature: fingerprint(&signature) })
    }

    fn mac_of(&self, signed_part: &str) -> Hmac<Sha256> {
        self.mac.clone().chain_update(signed_part.as_bytes())
    }

    /// A keyed fingerprint that only this site can make. It can't be the signature of a token, which starts differently.
    pub fn seal(&self, parts: &[&[u8]]) -> Vec<u8> {
        let mut mac = self.mac.clone().chain_update(b"fingerprint\0");
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().to_vec()
    }

    /// Only tokens with a valid signature are remembered, so nobody else can fill the memory.
    pub fn read(&self, token: &str) -> Option<Signed> {
        if let Some(signed) = self.read.lock().get(token) {
            return Some(signed.clone());
        }
        let signed = self.verified(token)?;
        let mut read = self.read.lock();
        if read.len() >= READ {
            read.clear();
        }
        read.insert(token.to_owned(), signed.clone());
        Some(signed)
    }

    fn verified(&self, token: &str) -> Option<Signed> {
        let (signed_part, signature) = token.rsplit_once('.')?;
        let payload = signed_part.strip_prefix(HEADER)?.strip_prefix('.')?;
        let mac = URL_SAFE_NO_PAD.decode(signature).ok()?;
        self.mac_of(signed_part).verify_slice(&mac).ok()?;
        let claims = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
        Some(Signed { claims, signature: fingerprint(signature) })
    }
}

fn fingerprint(signature: &str) -> Vec<u8> {
    Sha256::digest(signature.as_bytes()).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims() -> Claims {
        Claims::new("u1", TokenContext::UserSession, Some("viewer".into()), Timestamp::from_millis(1_999), 86_400)
    }

    #[test]
    fn a_token_is_read_back_and_times_are_whole_seconds() {
        let signer = Signer::new(&[7; 32]).unwrap();
        let issued = signer.issue(&claims()).unwrap();
        let signed = signer.read(&issued.token).unwrap();
        assert_eq!((signed.claims.iat, signed.claims.exp), (1, 86_401));
        assert_eq!(signed.signature, issued.signature);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let signer = Signer::new(&[7; 32]).unwrap();
        for _ in 0..=READ {
            let token = signer.issue(&claims()).unwrap().token;
            let first = signer.read(&token).unwrap();
            assert_eq!(first.claims, signer.read(&token).unwrap().claims);
        }
        assert_eq!(signer.read.lock().len(), 1);
    }

    /// The example of RFC 7515, appendix A.1, which RFC 7519 repeats in section 3.1.
    #[test]
    fn signatures_are_those_of_the_standard() {
        let key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
        let signed_part = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\
                           eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
        let signature = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let signer = Signer::new(&URL_SAFE_NO_PAD.decode(key).unwrap()).unwrap();
        assert_eq!(URL_SAFE_NO_PAD.encode(signer.mac_of(signed_part).finalize().into_bytes()), signature);
        // Its header has spaces and a different order than ours, and only our header is accepted.
        assert!(signer.read(&format!("{signed_part}.{signature}")).is_none());
    }

    #[test]
    fn any_change_and_any_other_header_is_refused() {
        let signer = Signer::new(&[7; 32]).unwrap();
        let token = signer.issue(&claims()).unwrap().token;
        assert!(signer.read(&token).is_some());
        for index in 0..token.len() {
            let mut changed: Vec<u8> = token.clone().into_bytes();
            changed[index] = if changed[index] == b'A' { b'B' } else { b'A' };
            assert!(signer.read(&String::from_utf8(changed).unwrap()).is_none(), "byte {index}");
        }
        let payload = token.split('.').nth(1).unwrap();
        let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
        assert!(signer.read(&format!("{none}.{payload}.")).is_none());
        assert!(Signer::new(&[8; 32]).unwrap().read(&token).is_none());
        assert!(Signer::new(&[7; 31]).is_none());
    }
}
