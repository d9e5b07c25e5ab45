//! Path parameters that more than one area has.

use domain::key::{ProductKey, UserKey};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ProductPath {
    pub(super) product_key: ProductKey,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct UserPath {
    pub(super) user_key: UserKey,
}
