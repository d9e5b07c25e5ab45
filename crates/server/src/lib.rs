//! The service as a library: settings, start and stop. The binary is a thin command line over it, and tests start the same
//! code.

mod applying;
pub mod backup;
mod connections;
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

pub use process::keep_files_private;
pub use serve::{Running, start};
pub use settings::{SettingError, Settings, unknown_variables, wrong_variable};
pub use site::{Seeded, Site, StartError, User, open_site};
