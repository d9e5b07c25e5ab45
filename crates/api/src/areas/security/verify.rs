use domain::collection::Collection;
use domain::key::UserKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::security::throttle;

use crate::Result;
use crate::areas::paths::UserPath;
use crate::cx::Cx;
use crate::input::{Json, Path};
use crate::prove::{PasswordOwner, prove};
use crate::reply::{Done, Envelope, envelope};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifyPassword {
    #[schemars(length(max = 1024), extend("format" = "password"))]
    password: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PasswordVerified")]
pub(super) struct Verified {
    user_key: UserKey,
    verified: bool,
}

pub(super) async fn verify(
    cx: Cx,
    Path(path): Path<UserPath>,
    Json(body): Json<VerifyPassword>,
) -> Result<Done<Envelope<Verified>>> {
    let proven = prove(&cx, PasswordOwner::Key(path.user_key.clone()), body.password).await?;
    cx.change("verify password", async move |tx: &mut Tx| {
        throttle::clear(tx, &proven.user.username).await?;
        tx.changed(Collection::User, &path.user_key);
        envelope("Password verified.", Verified { user_key: path.user_key.clone(), verified: true })
    })
    .await
}
