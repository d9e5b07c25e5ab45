//! Webhooks: where events are sent, which of them, and how often it is tried.

mod address;
mod filter;
mod retry;
mod url;

use crate::named;

pub use address::may_reach;
pub use filter::{EventFilter, is_known};
pub use retry::next_attempt;
pub use url::{Host, MOST_URL_CHARS, Scheme, WebhookUrl};

named! {
    /// What has become of a delivery.
    #[schemars(rename = "WebhookDeliveryState")]
    pub enum DeliveryState {
        /// It waits for its next attempt, and all later events of the webhook wait for it.
        Pending = "pending",
        Delivered = "delivered",
        /// It was given up.
        Failed = "failed",
    }
}

/// The pattern of a secret: characters that can be seen, for schemas. Some regex dialects count only ASCII as whitespace.
pub const SECRET_PATTERN: &str =
    r"^[^\s\u0000-\u001f\u007f-\u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]+$";
