//! The command line.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use api::Clock;
use api::auth::PasswordCost;
use clap::{Parser, Subcommand};
use domain::journal::verify::Anchor;
use store::backup::Backup;
use store::security::users::UserLine;
use tracewright::backup::{self, Bar};
use tracewright::{Running, Settings, StartError, User, demo, logs, open_site, verify};

/// Requests allocate on one thread and free on another, where the system's allocator contends for locks.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Production traceability in one binary.
#[derive(Parser)]
#[command(version, about, max_term_width = 120)]
struct Cli {
    /// Settings file [default: tracewright.toml, if it exists]
    #[arg(long, env = "TRACEWRIGHT_CONFIG", value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the service
    Serve(Settings),
    /// Migrate the database to the newest version, and do nothing else
    Migrate(Settings),
    /// Write the whole site, records and stored files, into one file; the service may keep running
    Backup {
        file: PathBuf,
        /// Overwrite the file if it exists
        #[arg(long)]
        replace: bool,
        #[command(flatten)]
        settings: Settings,
    },
    /// Restore the site of a backup, on either kind of database; the service must not be running
    Restore {
        file: PathBuf,
        /// Replace the existing site, which is lost
        #[arg(long, conflicts_with = "check")]
        replace: bool,
        /// Only check that the backup is intact and can be read by this program
        #[arg(long)]
        check: bool,
        #[command(flatten)]
        settings: Settings,
    },
    /// Verify that the events are as they were sealed and that stock is what the movements say; the service may keep running
    Verify {
        /// A block whose hash is known from an earlier verification
        #[arg(long, value_name = "BLOCK", requires = "anchor_hash", value_parser = clap::value_parser!(i64).range(1..))]
        anchor_block: Option<i64>,
        /// The hash it had: 64 hexadecimal digits
        #[arg(long, value_name = "HASH", requires = "anchor_block", value_parser = verify::parse_hash)]
        anchor_hash: Option<String>,
        #[command(flatten)]
        settings: Settings,
    },
    /// Fill an empty site with a demonstration plant: six weeks of a small factory; everybody gets the password of admin
    Demo(Settings),
    /// Manage users without the service
    #[command(subcommand)]
    User(UserCommand),
    /// Print the OpenAPI document
    Openapi,
}

#[derive(Subcommand)]
enum UserCommand {
    /// Add a user with a temporary password
    Add {
        username: String,
        /// Scopes, separated by spaces
        #[arg(long, default_value = "viewer")]
        scope: String,
        #[command(flatten)]
        settings: Settings,
    },
    /// Give a user a temporary password
    Password {
        username: String,
        #[command(flatten)]
        settings: Settings,
    },
    /// List the users
    List(Settings),
}

#[tokio::main]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => match tracewright::wrong_variable(&error, std::env::args_os()) {
            Some(words) => {
                complain(&words);
                return ExitCode::from(USAGE);
            }
            None => error.exit(),
        },
    };
    tracewright::keep_files_private();
    let verifies = matches!(cli.command, Command::Verify { .. });
    match run(cli.command, cli.config.as_deref()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            let unchecked = verifies && !matches!(error, StartError::Altered(_));
            if unchecked { ExitCode::from(NOT_CHECKED) } else { ExitCode::FAILURE }
        }
    }
}

/// The exit status when the command line, or a variable in its place, is wrong.
const USAGE: u8 = 2;

/// The exit status of `verify` when the journal could not be checked: whoever watches it must not take that for an alteration.
const NOT_CHECKED: u8 = 2;

/// Prints one line to stderr, if anybody still reads it.
fn complain(words: &dyn std::fmt::Display) {
    let _ = writeln!(io::stderr(), "tracewright: {words}");
}

/// Prints a line. The reader may have closed the pipe, as `head` does: that is not an error.
macro_rules! say {
    ($($words:tt)*) => { print(format_args!($($words)*)) };
}

fn print(line: std::fmt::Arguments) -> Result<(), StartError> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(StartError::Other(format!("the output can't be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// The settings of a command, which has no log: warnings about variables go to the terminal.
fn complete(settings: Settings, config: Option<&Path>) -> Result<Settings, StartError> {
    for words in tracewright::unknown_variables(std::env::vars_os()) {
        complain(&words);
    }
    Ok(settings.with_file(config)?)
}

async fn run(command: Command, config: Option<&Path>) -> Result<(), StartError> {
    match command {
        Command::Serve(settings) => serve(&settings.with_file(config)?).await,
        Command::Migrate(settings) => {
            let site = open_site(&complete(settings, config)?, Clock::system()).await?;
            let said = match site.migrated.applied.as_slice() {
                [] => say!("The database is up to date."),
                applied => say!("Applied: {}", applied.join(", ")),
            };
            site.close().await;
            said
        }
        Command::Backup { file, replace, settings } => backup(&complete(settings, config)?, &file, replace).await,
        Command::Restore { file, check: true, .. } => check(&file),
        Command::Restore { file, replace, settings, .. } => restore(&complete(settings, config)?, &file, replace).await,
        Command::Verify { anchor_block, anchor_hash, settings } => {
            let anchor = anchor_block.zip(anchor_hash).map(|(block, hash)| Anchor { block, hash });
            verify(&complete(settings, config)?, anchor).await
        }
        Command::Demo(settings) => demonstrate(&complete(settings, config)?).await,
        Command::User(command) => user(command, config).await,
        Command::Openapi => {
            let document = api::openapi::document(api::areas::operations());
            say!("{document:#}")
        }
    }
}

async fn serve(settings: &Settings) -> Result<(), StartError> {
    logs::init(settings)?;
    for words in tracewright::unknown_variables(std::env::vars_os()) {
        tracing::warn!("{words}");
    }
    let mut stop = pin!(stop_signal());
    let running = tokio::select! {
        running = tracewright::start(settings, Clock::system()) => running?,
        // A start can take long, for example while another node migrates.
        () = &mut stop => {
            tracing::info!("told to stop before the start was complete");
            return Ok(());
        }
    };
    if let Err(error) = greet(&running) {
        tracing::warn!(%error, "the first lines were not printed");
    }
    stop.await;
    running.stop().await;
    Ok(())
}

fn greet(running: &Running) -> Result<(), StartError> {
    say!("Tracewright serves http://{}", running.address)?;
    if let Some(password) = &running.first_password {
        say!("First start: sign in as admin with the password {password}")?;
        say!("{SHOWN_ONCE}")?;
    }
    Ok(())
}

/// SIGTERM or Ctrl-C, noticed from the moment this is called.
#[cfg(unix)]
fn stop_signal() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
    async move {
        let [Ok(mut terminate), Ok(mut interrupt)] = signals else { return std::future::pending().await };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
async fn stop_signal() {
    let _ = tokio::signal::ctrl_c().await;
}

async fn backup(settings: &Settings, file: &Path, replace: bool) -> Result<(), StartError> {
    let taken = backup::take(settings, file, replace, &Clock::system(), Arc::new(Bar::new())).await?;
    say!(
        "{} holds {} and {} ({}).",
        file.display(),
        some(taken.rows, "record"),
        some(taken.files, "stored file"),
        some(taken.bytes, "byte")
    )?;
    if taken.missing.count == 0 {
        return Ok(());
    }
    for object in &taken.missing.objects {
        say!("Missing: {object}")?;
    }
    let missing = some(taken.missing.count, "stored file");
    Err(StartError::Other(format!("the backup is kept, but lacks what is lost already: {missing}")))
}

fn check(file: &Path) -> Result<(), StartError> {
    let backup = Backup::open(file)?;
    backup.check(&Bar::new())?;
    let manifest = &backup.manifest;
    let rows: u64 = manifest.tables.iter().map(|table| table.rows).sum();
    say!(
        "{} is whole: {} and {}, taken {} by version {} (migration {}).",
        file.display(),
        some(rows, "record"),
        some(manifest.files.unsigned_abs(), "stored file"),
        manifest.taken,
        manifest.program,
        manifest.migration
    )
}

async fn restore(settings: &Settings, file: &Path, replace: bool) -> Result<(), StartError> {
    let backup = Backup::open(file)?;
    let restored = backup::restore(settings, &backup, replace, &Bar::new()).await?;
    let (rows, files) = (some(restored.rows, "record"), some(restored.files, "stored file"));
    say!("Restored {rows} and {files} from {}.", file.display())?;
    if restored.missing > 0 {
        say!("Missing already when the backup was taken: {}.", some(restored.missing, "stored file"))?;
    }
    Ok(())
}

async fn verify(settings: &Settings, anchor: Option<Anchor>) -> Result<(), StartError> {
    let verify::Verified { seals: found, stock } = verify::verify(settings, anchor, &Bar::new()).await?;
    say!(
        "Looked at {} with {}; {} removed by resets and force deletes, {} not in a block yet.",
        some(found.blocks.unsigned_abs(), "block"),
        some(found.events_checked.unsigned_abs(), "event"),
        found.events_removed,
        found.unsealed
    )?;
    if let (Some(block), Some(hash)) = (found.head_block, &found.head_hash) {
        say!("The chain ends with block {block}, hash {hash}.")?;
    }
    if let Some(mismatch) = &found.first_mismatch {
        return Err(StartError::Altered(verify::describe(mismatch)));
    }
    if let Some(wrong) = verify::describe_stock(&stock) {
        return Err(StartError::Altered(wrong));
    }
    say!(
        "Compared {} of stock with {}: it is what the movements say.",
        some(stock.stock_rows.unsigned_abs(), "row"),
        some(stock.movements.unsigned_abs(), "completed movement")
    )?;
    say!("{}", found.conclusion())
}

async fn demonstrate(settings: &Settings) -> Result<(), StartError> {
    let filled = demo::fill(settings, Clock::system(), &Bar::new()).await?;
    let (orders, units) = (some(filled.orders as u64, "order"), some(filled.units as u64, "unit"));
    say!("The plant of Velmora Drives is there: six weeks, {orders}, {units}.")?;
    if filled.is_drawn {
        say!("Sign in with the password {} as:", filled.password)?;
    } else {
        say!("Sign in with the password that the settings have for admin, as:")?;
    }
    for account in demo::ACCOUNTS {
        say!("  {:14} {}", account.username, account.duty)?;
    }
    say!("Start it by `tracewright serve` with the same settings. What there is to see: docs/demo.md")
}

/// A number with its noun.
fn some(number: u64, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

async fn user(command: UserCommand, config: Option<&Path>) -> Result<(), StartError> {
    let settings = match &command {
        UserCommand::Add { settings, .. } | UserCommand::Password { settings, .. } | UserCommand::List(settings) => {
            settings
        }
    };
    let settings = complete(settings.clone(), config)?;
    let site = open_site(&settings, Clock::system()).await?;
    // A site that begins with this command begins like any other.
    if let Some(password) = site.first_start(&settings, PasswordCost::FULL).await?.and_then(|seeded| seeded.generated) {
        show_password(&User { username: "admin".to_owned(), temporary_password: password })?;
    }
    let result = match command {
        UserCommand::Add { username, scope, .. } => {
            site.add_user(&username, &scope).await.and_then(|user| show_password(&user))
        }
        UserCommand::Password { username, .. } => {
            site.reset_password(&username).await.and_then(|user| show_password(&user))
        }
        UserCommand::List(_) => site.users().await.and_then(|users| users.iter().try_for_each(show_line)),
    };
    site.close().await;
    result
}

const SHOWN_ONCE: &str = "It is shown only now, is good for 72 hours, and has to be changed at the first sign-in.";

fn show_password(user: &User) -> Result<(), StartError> {
    say!("{} signs in with the password {}", user.username, user.temporary_password)?;
    say!("{SHOWN_ONCE}")
}

fn show_line(user: &UserLine) -> Result<(), StartError> {
    let state = if user.active { "" } else { " (disabled)" };
    let last = user.last_login.map_or("never".to_owned(), |time| time.to_string());
    say!("{}\t{}{state}\t{}\tlast login {last}", user.key, user.username, user.scope)
}
