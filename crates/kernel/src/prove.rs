//! Proving a password, with the throttle that stops guessing.

use domain::key::UserKey;
use store::Tx;
use store::security::throttle::{self, Subject};
use store::security::users::{self, Credentials};

use crate::Result;
use crate::auth::Verdict;
use crate::cx::Open;
use crate::error::{ApiError, Unauthorized};

/// Whose password is to be proved.
#[derive(Debug, Clone)]
pub enum Who {
    Username(String),
    Key(UserKey),
}

/// A user who knew the password.
pub struct Proven {
    pub user: Credentials,
    /// The hash to store when the one in the database has older parameters.
    pub rehashed: Option<String>,
}

/// Checks a password. Failures are counted; too many of them, and the next try is refused unchecked and uncounted.
pub async fn prove(cx: &Open, who: Who, password: String) -> Result<Proven> {
    // Whoever may no longer ask learns nothing of a password, and counts no failure against anybody.
    cx.still_stands().await?;
    let (_, subject) = look(cx, &who).await?;
    let turn = cx.passwords.turn(subject.text()).await?;
    // Others may have failed while this one waited for its turn.
    let (user, subject) = look(cx, &who).await?;
    let now = cx.now();
    let usable = user.filter(|user| user.active && user.password_until.is_none_or(|until| now < until));
    let stored = usable.as_ref().map(|user| user.password_hash.clone());
    let verdict = cx.passwords.verify(&turn, password, stored).await?;
    match (verdict, usable) {
        (Verdict::Right { rehashed }, Some(user)) => Ok(Proven { user, rehashed }),
        _ => {
            count_failure(cx, subject).await?;
            Err(ApiError::unauthorized(Unauthorized::Credentials))
        }
    }
}

/// The user and the subject under which failures count, unless there were too many.
async fn look(cx: &Open, who: &Who) -> Result<(Option<Credentials>, Subject)> {
    let (limits, now) = (cx.settings.login_limits, cx.now());
    let address = cx.request.address.to_string();
    cx.urgent
        .read(async |tx: &mut Tx| {
            let user = match who {
                Who::Username(username) => users::by_username(tx, username).await?,
                Who::Key(key) => users::by_key(tx, key).await?,
            };
            let subject = match (&user, who) {
                (Some(user), _) => Subject::username(&user.username),
                (None, Who::Username(username)) => Subject::username(username),
                (None, Who::Key(key)) => Subject::unknown_key(key),
            };
            match throttle::wait(tx, &subject, &address, limits, now).await? {
                Some(seconds) => Err(ApiError::too_many_tries(seconds)),
                None => Ok((user, subject)),
            }
        })
        .await
}

async fn count_failure(cx: &Open, subject: Subject) -> Result<()> {
    let ids = [cx.new_id()?, cx.new_id()?];
    let (address, now) = (cx.request.address.to_string(), cx.now());
    cx.urgent
        .write("count failed sign-in", async move |tx: &mut Tx| {
            Ok(throttle::record(tx, ids, &subject, &address, now).await?)
        })
        .await
}
