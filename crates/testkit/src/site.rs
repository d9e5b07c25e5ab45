use std::sync::Arc;

use api::Clock;
use api::auth::{Claims, PasswordCost, TokenContext};
use domain::Timestamp;
use domain::key::{TokenKey, UserKey, id_to_text};
use store::production::heartbeats;
use store::security::tokens::{self, NewToken};
use store::security::users::{self, NewUser};
use store::{FromRow, Sql, Tx};
use tracewright::{Console, ConsoleFile, Running, Settings};

use crate::engine::{Engine, Place};
use crate::ledger::Ledger;
use crate::person::Person;

pub const ADMIN_PASSWORD: &str = "correct horse battery";
/// The password of every user that tests make.
const USER_PASSWORD: &str = "staple of the shop floor";
pub(crate) const SECRETS: [&str; 2] = [ADMIN_PASSWORD, USER_PASSWORD];
/// Sunday morning; tests move on from here.
const START: &str = "2026-03-01T08:00:00Z";

/// A site with one running node, or more of them on PostgreSQL.
pub struct Site {
    pub clock: Clock,
    pub engine: Engine,
    pub place: Place,
    settings: Settings,
    /// None unless a test brings one: it makes no difference whether somebody has built the real one.
    console: &'static [ConsoleFile],
    node: Running,
    http: reqwest::Client,
    ledger: Ledger,
}

/// As little as argon2 allows: at full cost a fifth of the time of all tests would go into passwords.
const CHEAP: PasswordCost = PasswordCost { memory_kib: 8, passes: 1 };

async fn run(settings: &Settings, clock: Clock, console: &[ConsoleFile]) -> Running {
    run_at(CHEAP, settings, clock, console).await
}

async fn run_at(cost: PasswordCost, settings: &Settings, clock: Clock, console: &[ConsoleFile]) -> Running {
    tracewright::start_with(settings, clock, Console::of(console), cost).await.expect("the site starts")
}

impl Site {
    pub async fn start(engine: Engine) -> Self {
        Self::start_with(engine, |_| ()).await
    }

    /// A site whose settings the test changes before the start.
    pub async fn start_with(engine: Engine, options: impl FnOnce(&mut Settings)) -> Self {
        Self::start_with_console(engine, &[], options).await
    }

    /// Likewise, with these files as its console.
    pub async fn start_with_console(
        engine: Engine,
        console: &'static [ConsoleFile],
        options: impl FnOnce(&mut Settings),
    ) -> Self {
        let place = Place::with_tables(engine).await;
        let clock = Clock::manual(Timestamp::parse(START).unwrap());
        let mut settings = place.settings();
        settings.admin_password = Some(ADMIN_PASSWORD.to_owned());
        options(&mut settings);
        if settings.admin_password.as_deref() == Some("") {
            settings.admin_password = None;
        }
        let node = run(&settings, clock.clone(), console).await;
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { clock, engine, place, settings, console, node, http, ledger: Ledger::new(engine) }
    }

    /// A site on what a test has put there, at a time of its own.
    pub async fn start_at(place: Place, clock: Clock) -> Self {
        let engine = if place.data_folder().is_some() { Engine::Sqlite } else { Engine::Postgres };
        let settings = place.settings();
        let node = run(&settings, clock.clone(), &[]).await;
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { clock, engine, place, settings, console: &[], node, http, ledger: Ledger::new(engine) }
    }

    pub async fn stop(self) {
        self.node.stop().await;
        self.place.remove().await;
    }

    /// The same site after a stop and a start.
    pub async fn restart(self) -> Self {
        let Self { clock, settings, console, node, .. } = self;
        node.stop().await;
        let node = run(&settings, clock.clone(), console).await;
        Self { clock, settings, node, ..self }
    }

    /// The same site after a start where passwords cost what they cost everywhere else.
    pub async fn at_full_cost(self) -> Self {
        let Self { clock, settings, console, node, .. } = self;
        node.stop().await;
        let node = run_at(PasswordCost::FULL, &settings, clock.clone(), console).await;
        Self { clock, settings, node, ..self }
    }

    /// Everything that was asked of it is in its audit log.
    pub async fn check_audit(&self) {
        self.ledger.check(self).await;
    }

    /// Another server on the same database; only PostgreSQL allows it.
    pub async fn second_node(&self) -> Running {
        run(&self.settings, self.clock.clone(), self.console).await
    }

    /// Starts a second node whose own clock is so far ahead.
    pub async fn second_node_ahead(&self, seconds: i64) -> Running {
        let clock = self.clock.ahead_by_seconds(seconds);
        run(&self.settings, clock, self.console).await
    }

    /// Stops the node, lets some time pass and starts it again, at another address.
    pub async fn restart_after_seconds(self, seconds: i64) -> Self {
        self.node.stop().await;
        self.clock.advance_seconds(seconds);
        let node = run(&self.settings, self.clock.clone(), self.console).await;
        Self { node, ..self }
    }

    /// Time passes while the node listens, second by second, as it does where nobody moves the clock.
    pub async fn pass_seconds(&self, seconds: i64) {
        self.listen_for(seconds).await;
        self.look_for_silent().await;
    }

    /// Time passes while the node listens, without a look at who is silent by then.
    pub async fn listen_for(&self, seconds: i64) {
        for _ in 0..seconds {
            self.clock.advance_seconds(1);
            let clock = self.clock.clone();
            let listen = async move |tx: &mut Tx| Ok(heartbeats::listen(tx, || clock.now(), false).await?);
            self.app().write("test listening", listen).await.expect("the clock of silence goes on");
        }
    }

    /// Pauses whoever is silent, as happens every second.
    pub async fn look_for_silent(&self) {
        self.node.look_for_silent().await.expect("a look");
    }

    /// Corrects stock by the counting sessions that were confirmed, as happens every second.
    pub async fn apply_counts(&self) {
        self.node.apply_counts().await.expect("the corrections");
    }

    pub fn base(&self) -> String {
        format!("http://{}", self.node.address)
    }

    pub fn app(&self) -> &Arc<api::App> {
        &self.node.app
    }

    /// Takes the database away, as a network or a server that is down would; PostgreSQL only.
    pub async fn cut_off(&self) {
        self.place.cut_off().await;
    }

    pub async fn reconnect(&self) {
        self.place.reconnect().await;
    }

    pub fn first_password(&self) -> Option<&str> {
        self.node.first_password.as_deref()
    }

    /// Somebody without a token, who would sign in under that name.
    pub fn visitor(&self, username: &str) -> Person {
        Person {
            http: self.http.clone(),
            base: self.base(),
            key: String::new(),
            username: username.to_owned(),
            token: None,
            ledger: self.ledger.clone(),
        }
    }

    pub async fn admin(&self) -> Person {
        self.visitor("admin").sign_in(ADMIN_PASSWORD).await
    }

    /// A new user with that scope, not signed in yet.
    pub async fn new_user(&self, username: &str, scope: &str) -> Person {
        let app = self.app();
        let key = id_to_text(app.new_id().expect("a key"));
        let user = NewUser {
            key: UserKey::trusted(key.clone()),
            username: username.to_owned(),
            scope: scope.to_owned(),
            password_hash: app.passwords.hash(&key, USER_PASSWORD.to_owned()).await.expect("a hash"),
            reset_password: false,
            password_until: None,
            created_at: app.now(),
        };
        let added = app.write("test user", async move |tx: &mut Tx| Ok(users::insert(tx, &user).await?)).await;
        added.expect("the user is added");
        Person { key, ..self.visitor(username) }
    }

    /// A new user with that scope, signed in.
    pub async fn user(&self, username: &str, scope: &str) -> Person {
        self.new_user(username, scope).await.sign_in(USER_PASSWORD).await
    }

    /// An API token of a user with a scope of its own.
    pub async fn api_token(&self, person: &Person, scope: &str) -> Person {
        let app = self.app();
        let claims = Claims::new(&person.key, TokenContext::Api, Some(scope.to_owned()), app.now(), 3600);
        let issued = app.signer.issue(&claims).expect("a token");
        let token = NewToken {
            key: TokenKey::trusted(claims.jti),
            signature: issued.signature,
            user_key: UserKey::trusted(person.key.clone()),
            issued_at: app.now(),
            expires_at: app.now().plus_seconds(3600),
            context: TokenContext::Api.name(),
            scope: claims.scope,
            description: Some("test".to_owned()),
        };
        let added = app.write("test token", async move |tx: &mut Tx| Ok(tokens::insert(tx, &token).await?)).await;
        added.expect("the token is added");
        person.with_token(&issued.token)
    }

    pub fn password(&self) -> &'static str {
        USER_PASSWORD
    }

    /// Changes a record behind the service's back, for what no operation does.
    pub async fn execute(&self, statement: &'static str, values: Vec<store::Value>) -> u64 {
        let work = async move |tx: &mut Tx| Ok(tx.run(Sql::raw(statement), &values).await?);
        self.app().write("test", work).await.expect("the statement runs")
    }

    /// Looks behind the service's back.
    pub async fn look<T: FromRow>(&self, statement: impl Into<String>, values: Vec<store::Value>) -> Option<T> {
        let statement = Sql::raw(statement.into());
        self.app().read(async |tx: &mut Tx| Ok(tx.maybe(statement, &values).await?)).await.expect("the statement runs")
    }

    pub async fn all<T: FromRow>(&self, statement: &'static str) -> Vec<T> {
        self.app()
            .read(async |tx: &mut Tx| Ok(tx.all(Sql::raw(statement), &[]).await?))
            .await
            .expect("the statement runs")
    }

    /// Everything the database holds, table by table, but for what the service notes beside requests.
    pub async fn contents(&self) -> Vec<(String, String)> {
        self.sealed().await;
        const BESIDE: [&str; 6] = ["audit", "audit_target", "lease", "listening", "node", "migration"];
        let columns: Vec<(String, String)> = match self.engine {
            Engine::Sqlite => {
                self.all(
                    "select tables.name, columns.name from sqlite_schema as tables
                     join pragma_table_info(tables.name) as columns
                     where tables.type = 'table' and tables.name not like 'sqlite_%' and tables.name not like '%_trigram%'
                     order by 1, columns.cid",
                )
                .await
            }
            Engine::Postgres => {
                self.all(
                    "select table_name::text, column_name::text from information_schema.columns
                     where table_schema = 'public' order by 1, ordinal_position",
                )
                .await
            }
        };
        let mut tables: Vec<(String, Vec<String>)> = Vec::new();
        for (table, column) in columns.into_iter().filter(|(_, column)| column != "last_used") {
            match tables.last_mut() {
                Some((last, columns)) if *last == table => columns.push(column),
                _ => tables.push((table, vec![column])),
            }
        }
        let mut contents = Vec::new();
        for (table, columns) in tables.into_iter().filter(|(table, _)| !BESIDE.contains(&table.as_str())) {
            let rows = match self.engine {
                Engine::Sqlite => {
                    let line: Vec<String> = columns.iter().map(|column| format!("quote({column})")).collect();
                    let line = line.join(" || ',' || ");
                    format!(
                        "select coalesce(group_concat(line, char(10)), '') from (select {line} as line from {table} order by 1)"
                    )
                }
                Engine::Postgres => {
                    let line: Vec<String> = columns.iter().map(|column| format!("quote_nullable({column})")).collect();
                    let line = line.join(" || ',' || ");
                    format!(
                        "select coalesce(string_agg(line, chr(10) order by line), '') from (select {line} as line from {table}) as lines"
                    )
                }
            };
            contents.push((table, self.look::<String>(rows, vec![]).await.expect("one text")));
        }
        contents
    }

    /// How many objects are stored, whoever names them.
    pub fn objects(&self) -> usize {
        fn count(folder: &std::path::Path) -> usize {
            let entries =
                std::fs::read_dir(folder).map(|entries| entries.flatten().collect::<Vec<_>>()).unwrap_or_default();
            let visible = entries.iter().filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
            visible.map(|entry| if entry.path().is_dir() { count(&entry.path()) } else { 1 }).sum()
        }
        count(&self.place.media_folder())
    }

    pub async fn count(&self, table: &str) -> i64 {
        self.look(format!("select count(*) from {table}"), vec![]).await.expect("a count")
    }

    /// When the user's last session began, and which it is.
    pub async fn user_login(&self, key: &str) -> (Option<Timestamp>, Option<String>) {
        let (login, session): (Option<Timestamp>, Option<i64>) = self
            .look("select last_login, last_user_session from user_account where key = $1", vec![key.into()])
            .await
            .expect("the user");
        (login, session.map(id_to_text))
    }

    /// Whether the session has been closed, with its time.
    pub async fn session_ended(&self, key: &str) -> bool {
        let id = domain::key::id_from_text(key).expect("a session key");
        let (active, logout): (bool, Option<i64>) = self
            .look("select active, logout_at from user_session where key = $1", vec![id.into()])
            .await
            .expect("the session");
        !active && logout.is_some()
    }

    /// When the user's live token was last used; it is written beside the request, so this waits for it.
    pub async fn token_last_used(&self, user_key: &str) -> Timestamp {
        self.eventually(async || {
            let sql = "select last_used from token where user_key = $1 and not revoked";
            self.look::<Option<Timestamp>>(sql, vec![user_key.into()]).await.flatten()
        })
        .await
    }

    pub async fn counter_reset(&self, key: &str) -> Timestamp {
        self.look("select reset_date from counter where key = $1", vec![key.into()]).await.expect("the counter")
    }

    /// Looks again and again until there is something, for what happens beside a request.
    pub async fn eventually<T>(&self, look: impl AsyncFn() -> Option<T>) -> T {
        for _ in 0..1000 {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        panic!("it did not happen within five seconds");
    }

    /// How many statements `work` cost, on a site where nothing else happens.
    pub async fn statements<T>(&self, work: impl Future<Output = T>) -> (u64, T) {
        let before = self.app().db.statements();
        let result = work.await;
        (self.app().db.statements() - before, result)
    }
}
