use store::Tx;
use store::notification::webhooks;

use super::wire::{WebhookRecord, record};
use super::{WebhookPath, absent};
use crate::Result;
use crate::cx::Cx;
use crate::input::{Paging, Path};
use crate::reply::{Bare, Listed};

pub(super) async fn list(cx: Cx, Paging(page): Paging<10_000>) -> Result<Listed<WebhookRecord>> {
    let found = cx.db.read_long(async move |tx: &mut Tx| webhooks::list(tx, &page).await).await?;
    Ok(Listed { rows: found.rows.into_iter().map(record).collect(), total: found.total })
}

pub(super) async fn one(cx: Cx, Path(path): Path<WebhookPath>) -> Result<Bare<WebhookRecord>> {
    let found = cx.db.glance(async |tx: &mut Tx| webhooks::find(tx, &path.webhook_key).await).await?;
    Ok(Bare(record(found.ok_or_else(absent)?)))
}
