//! The service as a library: settings, start and stop. The binary is a thin command line over it, and tests start the same
//! code.

mod applying;
pub mod backup;
mod connections;
mod console;
pub mod demo;
pub mod logs;
mod metrics;
mod pages;
mod process;
mod serve;
mod settings;
mod site;
mod together;
pub mod verify;
mod webhooks;

pub use console::{Console, ConsoleFile};
pub use process::keep_files_private;
pub use serve::{Running, start, start_with};
pub use settings::{SettingError, Settings, unknown_variables, wrong_variable};
pub use site::{Seeded, Site, StartError, User, open_site};
