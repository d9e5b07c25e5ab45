use domain::key::{PhaseKey, ProductId};

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// The phases of these products, each product's in their order: product, phase, alias.
pub async fn of_products(tx: &mut Tx, products: &[i64]) -> Result<Vec<(ProductId, PhaseKey, String)>> {
    tx.all(
        sql!(
            "select product_id, key, alias
             from phase
             where product_id {in $1} and trashed is null
             order by product_id, place"
        ),
        &params![products.to_vec()],
    )
    .await
}
