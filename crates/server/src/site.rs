//! Opens a site: its database, its node number, its secret and, the first time, its first user.

use api::auth::{PasswordCost, Signer, hash_password, temporary_password};
use api::random::{random_bytes, random_hex};
use api::{ApiError, Clock};
use domain::key::{UserKey, id_to_text};
use domain::password::TEMPORARY_SECONDS;
use domain::scope::{EVERY_COARSE_SCOPE, tidy, unknown_words};
use domain::user::tidy_username;
use store::administration::{first_start, secrets};
use store::backup::BackupError;
use store::node::Node;
use store::organisation::accounts::{self, LookAlikes};
use store::security::users::{NewUser, UserLine};
use store::security::{sessions, throttle, tokens, users};
use store::{Constraint, Db, Migrated, OpenError, StoreError, Tx};
use thiserror::Error;

use crate::settings::{SettingError, Settings};

#[derive(Debug, Error)]
pub enum StartError {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("the address {address} can't be listened on: {source}")]
    Listen { address: std::net::SocketAddr, source: std::io::Error },
    #[error("the database failed: {0}")]
    Store(#[from] StoreError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The journal is not as it was sealed, or stock is not what the movements say.
    #[error("{0}")]
    Altered(String),
    #[error("{0}")]
    Other(String),
}

impl From<ApiError> for StartError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Store(error) => StartError::Store(error),
            ApiError::Refused(_) => StartError::Other("the password could not be hashed".to_owned()),
        }
    }
}

pub struct Site {
    pub db: Db,
    pub node: Node,
    pub clock: Clock,
    pub migrated: Migrated,
}

/// Opens the database, migrates it to the newest version and leases a node number.
pub async fn open_site(settings: &Settings, clock: Clock) -> Result<Site, StartError> {
    let (db, migrated) = Db::open(&settings.location()?).await?;
    if db.read(async |tx: &mut Tx| accounts::any_without_skeleton(tx).await).await? {
        let alike = db.write("fill skeletons", async |tx: &mut Tx| accounts::fill_skeletons(tx).await).await?;
        for LookAlikes { older, newer } in alike {
            tracing::warn!(%older, %newer, "the names of two users look alike: rename one of them");
        }
    }
    clock.align(&db).await?;
    let node = Node::take(&db, random_hex::<8>(), clock.now()).await?;
    Ok(Site { db, node, clock, migrated })
}

/// A site that this start has seeded.
#[derive(Debug)]
pub struct Seeded {
    /// The password of `admin`, if it was generated.
    pub generated: Option<String>,
}

/// A user who was created or got a new password, with the password that is shown once.
#[derive(Debug)]
pub struct User {
    pub username: String,
    pub temporary_password: String,
}

impl Site {
    fn new_key(&self) -> Result<String, StartError> {
        let id = self.node.next_id(self.clock.now()).map_err(|error| StartError::Other(error.to_string()))?;
        Ok(id_to_text(id))
    }

    /// The signing secret: the one that was given, otherwise the one all nodes share in the database.
    pub async fn signer(&self, settings: &Settings) -> Result<Signer, StartError> {
        let secret = match settings.jwt_secret()? {
            Some(secret) => secret.to_vec(),
            None => {
                let fresh = random_bytes::<64>();
                self.db
                    .write("signing secret", async move |tx: &mut Tx| secrets::get_or_keep(tx, "jwt", &fresh).await)
                    .await?
            }
        };
        Signer::new(&secret).ok_or_else(|| StartError::Other("the signing secret is too short".to_owned()))
    }

    /// The site's own id, made once and shared by all nodes.
    pub async fn id(&self) -> Result<String, StartError> {
        let fresh = random_hex::<16>();
        let kept = self
            .db
            .write("site id", async move |tx: &mut Tx| secrets::get_or_keep(tx, "site", fresh.as_bytes()).await)
            .await?;
        Ok(String::from_utf8_lossy(&kept).into_owned())
    }

    /// Whether nobody has ever started it.
    async fn is_new(&self) -> Result<bool, StartError> {
        Ok(self.db.read(async |tx: &mut Tx| users::any(tx).await.map(|any| !any)).await?)
    }

    /// Seeds a new site. None if that was done before, perhaps by another node at the same moment.
    pub async fn first_start(&self, settings: &Settings, cost: PasswordCost) -> Result<Option<Seeded>, StartError> {
        let given = settings.admin_password()?.map(str::to_owned);
        if !self.is_new().await? {
            return Ok(None);
        }
        let password = given.clone().unwrap_or_else(temporary_password);
        let now = self.clock.now();
        let admin = NewUser {
            key: UserKey::trusted(self.new_key()?),
            username: "admin".to_owned(),
            scope: EVERY_COARSE_SCOPE.to_owned(),
            password_hash: hash_password(cost, password.clone()).await?,
            reset_password: given.is_none(),
            password_until: given.is_none().then(|| now.plus_seconds(TEMPORARY_SECONDS)),
            created_at: now,
        };
        let queue = self.new_key()?;
        let seeded = self
            .db
            .write("first start", async move |tx: &mut Tx| first_start::seed(tx, &admin, &queue, now).await)
            .await?;
        Ok(seeded.then(|| Seeded { generated: given.is_none().then_some(password) }))
    }

    pub async fn add_user(&self, username: &str, scope: &str) -> Result<User, StartError> {
        let username = tidy_username(username);
        if let Some(objection) = domain::user::username_objection(&username) {
            return Err(StartError::Other(objection.to_owned()));
        }
        if let [word, ..] = unknown_words(scope)[..] {
            return Err(StartError::Other(format!("{word} is not a scope")));
        }
        let password = temporary_password();
        let user = NewUser {
            key: UserKey::trusted(self.new_key()?),
            username: username.clone(),
            scope: tidy(scope),
            password_hash: hash_password(PasswordCost::FULL, password.clone()).await?,
            reset_password: true,
            password_until: Some(self.clock.now().plus_seconds(TEMPORARY_SECONDS)),
            created_at: self.clock.now(),
        };
        let added = self.db.write("add user", async move |tx: &mut Tx| users::insert(tx, &user).await).await;
        match added {
            Err(error) if error.constraint() == Some(Constraint::UsernameTaken) => {
                Err(StartError::Other(format!("the username {username} is taken")))
            }
            Err(error) if error.constraint() == Some(Constraint::UsernameAlike) => {
                Err(StartError::Other(format!("the username {username} looks like that of another user")))
            }
            added => Ok(added.map(|()| User { username, temporary_password: password })?),
        }
    }

    /// Gives a user a temporary password and ends their sessions.
    pub async fn reset_password(&self, username: &str) -> Result<User, StartError> {
        let password = temporary_password();
        let hash = hash_password(PasswordCost::FULL, password.clone()).await?;
        let (wanted, now) = (username.trim().to_owned(), self.clock.now());
        let until = now.plus_seconds(TEMPORARY_SECONDS);
        let found = self
            .db
            .write("reset password", async move |tx: &mut Tx| {
                let Some(user) = users::by_username(tx, &wanted).await? else { return Ok(None) };
                users::set_password(tx, &user.key, &hash, Some(until)).await?;
                sessions::close_all(tx, &user.key, None, now).await?;
                tokens::revoke_personal(tx, &user.key, None).await?;
                throttle::clear(tx, &user.username).await?;
                Ok::<_, StoreError>(Some(user.username))
            })
            .await?;
        match found {
            Some(username) => Ok(User { username, temporary_password: password }),
            None => Err(StartError::Other(format!("no user is named {username}"))),
        }
    }

    pub async fn users(&self) -> Result<Vec<UserLine>, StartError> {
        Ok(self.db.read(async |tx: &mut Tx| users::list(tx).await).await?)
    }

    /// Returns the node number and closes the database.
    pub async fn close(self) {
        if let Err(error) = self.node.release(&self.db).await {
            tracing::debug!(%error, "the node number was not given back");
        }
        self.db.close().await;
    }
}
