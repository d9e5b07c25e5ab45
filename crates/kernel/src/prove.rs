//! Checks passwords, with the throttle that stops guessing.

use domain::key::UserKey;
use store::Tx;
use store::security::throttle::{self, Subject};
use store::security::users::{self, Credentials};

use crate::Result;
use crate::auth::Verdict;
use crate::cx::PublicCx;
use crate::error::{ApiError, Unauthorized};

/// Whose password is checked.
#[derive(Debug, Clone)]
pub enum PasswordOwner {
    Username(String),
    Key(UserKey),
}

/// A user who knew the password.
pub struct Proven {
    pub user: Credentials,
    /// The hash to store if the one in the database has outdated parameters.
    pub rehashed: Option<String>,
}

/// Checks a password. Failures are counted; after too many of them the next attempt is refused without being checked or
/// counted.
pub async fn prove(cx: &PublicCx, owner: PasswordOwner, password: String) -> Result<Proven> {
    // A caller whose rights were withdrawn learns nothing about a password, and counts no failure against anybody.
    cx.still_stands().await?;
    let (_, subject) = find_user(cx, &owner).await?;
    let turn = cx.passwords.turn(subject.text()).await?;
    // Others may have failed while this one waited for its turn.
    let (user, subject) = find_user(cx, &owner).await?;
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

/// The user, and the subject under which failures count; an error if there were too many.
async fn find_user(cx: &PublicCx, owner: &PasswordOwner) -> Result<(Option<Credentials>, Subject)> {
    let (limits, now) = (cx.settings.login_limits, cx.now());
    let address = cx.request.address.to_string();
    cx.urgent
        .read(async |tx: &mut Tx| {
            let user = match owner {
                PasswordOwner::Username(username) => users::by_username(tx, username).await?,
                PasswordOwner::Key(key) => users::by_key(tx, key).await?,
            };
            let subject = match (&user, owner) {
                (Some(user), _) => Subject::username(&user.username),
                (None, PasswordOwner::Username(username)) => Subject::username(username),
                (None, PasswordOwner::Key(key)) => Subject::unknown_key(key),
            };
            match throttle::wait(tx, &subject, &address, limits, now).await? {
                Some(seconds) => Err(ApiError::too_many_tries(seconds)),
                None => Ok((user, subject)),
            }
        })
        .await
}

async fn count_failure(cx: &PublicCx, subject: Subject) -> Result<()> {
    let ids = [cx.new_id()?, cx.new_id()?];
    let (address, now) = (cx.request.address.to_string(), cx.now());
    cx.urgent
        .write("count failed sign-in", async move |tx: &mut Tx| {
            Ok(throttle::record(tx, ids, &subject, &address, now).await?)
        })
        .await
}
