use domain::fault::Faults;
use domain::preferences;
use serde_json::{Map, Value};
use store::Tx;
use store::security::users;

use crate::Result;
use crate::cx::Cx;
use crate::error::{ApiError, Unauthorized};
use crate::input::Json;
use crate::reply::{Done, Envelope, envelope};

type Preferences = Map<String, Value>;

pub(super) async fn change(cx: Cx, Json(change): Json<Preferences>) -> Result<Done<Envelope<Preferences>>> {
    let user_key = cx.caller.user_key.clone();
    cx.change("change preferences", async move |tx: &mut Tx| {
        let user = users::lock(tx, &user_key).await?;
        let user = user.ok_or_else(|| ApiError::unauthorized(Unauthorized::Token))?;
        let mut faults = Faults::at("body");
        let merged = preferences::merge(&user.preferences, &change, &mut faults);
        ApiError::check(faults)?;
        users::set_preferences(tx, &user_key, &merged).await?;
        envelope("Preferences changed.", preferences::shown(&merged))
    })
    .await
}
