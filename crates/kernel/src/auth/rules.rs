//! Which kinds of tokens an operation accepts.

/// What happens to a token of a kind that an operation does not accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    Pass,
    Forbidden,
    Unauthorized,
    /// 401, and the token is revoked: only a stolen token would be used like this.
    Revoke,
}

/// Which tokens an operation accepts besides a live one of a session.
#[derive(Debug, Clone, Copy)]
pub struct TokenRules {
    pub password_reset: Ruling,
    pub api: Ruling,
    pub expired: bool,
}
