//! The service as a library: settings, start and stop. The binary is a thin command line over it, and tests start the
//! same thing.

pub mod backup;
pub mod logs;
mod metrics;
mod pages;
mod serve;
mod settings;
mod shared;
mod site;
pub mod verify;

pub use serve::{Running, start};
pub use settings::{SettingError, Settings};
pub use site::{Site, StartError, User, open_site};
