//! Proving who asks: passwords, tokens, and the check every request passes.

mod guard;
mod passwords;
mod prove;
mod token;

pub use guard::{Judgements, Touches, authenticate, media_topic, ticket};
pub use passwords::{Passwords, hash_password};
pub use prove::{Proven, Who, prove};
pub use token::{Claims, Issued, MIN_SECRET_BYTES, Signer, TokenContext};

/// `BYTES` random bytes as hexadecimal text.
pub fn random_hex<const BYTES: usize>() -> String {
    hex(&random_bytes::<BYTES>())
}

pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
    text
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
