//! Random bytes from the operating system.

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
