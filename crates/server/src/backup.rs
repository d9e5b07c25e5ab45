//! Backup and restore with this site's settings, and their progress bar.

use std::path::Path;
use std::sync::Arc;

use api::Clock;
use indicatif::{ProgressBar, ProgressStyle};
use store::backup::{Backup, Progress, Restored, Taken};
use store::media::Media;

use crate::settings::Settings;
use crate::site::StartError;

pub async fn take(
    settings: &Settings,
    file: &Path,
    replace: bool,
    clock: &Clock,
    progress: Arc<dyn Progress>,
) -> Result<Taken, StartError> {
    let media_root = settings.media_root()?;
    let open_media = async |site: &str| Media::open(media_root.clone(), site).await;
    Ok(store::backup::take(&settings.location()?, open_media, file, replace, clock.now(), progress).await?)
}

pub async fn restore(
    settings: &Settings,
    backup: &Backup,
    replace: bool,
    progress: &dyn Progress,
) -> Result<Restored, StartError> {
    let media_root = settings.media_root()?;
    let open_media = async |site: &str| Media::open(media_root.clone(), site).await;
    Ok(store::backup::restore(backup, &settings.location()?, open_media, replace, progress).await?)
}

/// Shown on a terminal only.
pub struct Bar(ProgressBar);

impl Bar {
    #[expect(clippy::new_without_default, reason = "nobody needs a default bar")]
    pub fn new() -> Self {
        let bar = ProgressBar::no_length();
        if let Ok(style) = ProgressStyle::with_template("{msg:12} {wide_bar} {percent:>3} %  {elapsed_precise}") {
            bar.set_style(style);
        }
        Self(bar)
    }
}

impl Progress for Bar {
    fn begin(&self, what: &'static str, total: u64) {
        self.0.set_length(total);
        self.0.set_position(0);
        self.0.set_message(what);
    }

    fn advance(&self, by: u64) {
        self.0.inc(by);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
