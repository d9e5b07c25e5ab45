//! Which tokens an operation takes.

/// What happens to a token of a kind that an operation does not expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    Pass,
    Forbidden,
    Unauthorized,
    /// 401, and the token is revoked: it was used for what only a stolen one would be.
    Revoke,
}

/// Which tokens besides a live one of a session an operation takes.
#[derive(Debug, Clone, Copy)]
pub struct TokenRules {
    pub password_reset: Ruling,
    pub api: Ruling,
    pub expired: bool,
}
