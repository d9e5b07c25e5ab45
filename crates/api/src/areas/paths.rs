//! Path parameters that more than one area has.

use domain::key::{ProductKey, UserKey};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ProductPath {
    /// The key of a product.
    pub(super) product_key: ProductKey,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct UserPath {
    /// The key of a user.
    pub(super) user_key: UserKey,
}
