//! What the units of a product contain, for the comparison with what they were to contain.

use domain::key::{ProductId, ProductKey, SerialKey, WorkOrderKey};
use domain::product::TraceabilityLevel;
use domain::{Quantity, Timestamp};

use super::serials::BY_CODE;
use crate::row::row_struct;
use crate::sql::{Page, Paged, Query, Sql, sql};
use crate::tx::Tx;
use crate::{Result, params};

row_struct! {
    /// A unit that was built.
    pub struct BuiltUnit {
        pub key: SerialKey,
        pub code: Option<String>,
        pub wo_key: Option<WorkOrderKey>,
    }
}

/// The live units of a product, by code.
pub async fn units(tx: &mut Tx, product: ProductId, page: &Page) -> Result<Paged<BuiltUnit>> {
    Query::new("select serial.key, serial.code, serial.wo_key from serial")
        .filter("serial.product_id = {}", product)
        .only("serial.deleted is null")
        .page(tx, BY_CODE, page)
        .await
}

/// Those of these units that are of a product, by code; deleted ones too.
pub async fn units_of(tx: &mut Tx, product: ProductId, keys: &[i64]) -> Result<Vec<BuiltUnit>> {
    Query::new("select serial.key, serial.code, serial.wo_key from serial")
        .filter("serial.key {in {}}", keys.to_vec())
        .filter("serial.product_id = {}", product)
        .all(tx, BY_CODE)
        .await
}

row_struct! {
    /// A serial that is built into a unit.
    pub struct Part {
        pub parent_key: SerialKey,
        pub component_key: ProductKey,
        pub key: SerialKey,
        pub code: Option<String>,
        pub linked: Timestamp,
        /// Many parts are of one product: what that is called is read once.
        pub product_id: ProductId,
    }
}

/// What confirmed active links lead to from these units.
pub async fn parts(tx: &mut Tx, units: &[i64]) -> Result<Vec<Part>> {
    tx.all(Sql::from_literal(PARTS), &params![units.to_vec()]).await
}

/// How [`parts`] are found: a test looks at how the engines carry it out.
pub const PARTS: &str = "
    select serial_link.parent_key, serial_link.component_key, serial.key, serial.code, serial_link.linked, serial.product_id
    from {of-any serial_link parent_key $1}
    cross join serial
    where serial_link.parent_key is not null and not serial_link.replaced and serial_link.confirmed
    and serial.key = serial_link.child_key";

row_struct! {
    /// A line of a product's present bill of materials.
    pub struct PlannedLine {
        pub component_key: ProductKey,
        pub code: String,
        pub description: Option<String>,
        pub quantity: Quantity,
        pub traceability_level: Option<TraceabilityLevel>,
    }
}

/// The lines of a product's present bill of materials.
pub async fn planned(tx: &mut Tx, product: ProductId) -> Result<Vec<PlannedLine>> {
    tx.all(
        sql!(
            "select component.key, component.code, component.description, bom_line.qt, component.traceability_level
             from bom_line
             join product as component on component.id = bom_line.component_id
             where bom_line.product_id = $1"
        ),
        &params![product],
    )
    .await
}
