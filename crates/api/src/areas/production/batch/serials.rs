use store::Tx;
use store::production::batches;
use store::serial::work;

use super::{BatchPath, not_found};
use crate::Result;
use crate::areas::serial::WipSerial;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{ALL, Paging, Path};
use crate::reply::Listed;

pub(super) async fn list(cx: Cx, Path(path): Path<BatchPath>, Paging(page): Paging<ALL>) -> Result<Listed<WipSerial>> {
    cx.db
        .read_long(async move |tx: &mut Tx| {
            batches::find(tx, path.batch_key).await?.ok_or_else(not_found)?;
            let found = work::of_batch(tx, path.batch_key, &page).await?;
            let rows = found.rows.into_iter().map(WipSerial::from).collect();
            Ok::<_, ApiError>(Listed { rows, total: found.total })
        })
        .await
}
