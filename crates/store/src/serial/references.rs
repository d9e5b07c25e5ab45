//! The bills of materials that units are compared with: that of its order, or else the present one of its product.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::key::{ProductId, ProductKey, WorkOrderKey};
use domain::serial::{Need, ReferenceBom};
use domain::text::fold;

use super::tree::{NeedRow, needs_of_products};
use crate::Result;
use crate::production::order_boms;
use crate::tx::Tx;

/// The reference bills of materials of some units.
pub struct References {
    of_orders: BTreeMap<WorkOrderKey, ReferenceBom>,
    of_products: BTreeMap<ProductId, ReferenceBom>,
    /// The codes and descriptions of components.
    names: HashMap<ProductKey, (String, Option<String>)>,
}

impl References {
    /// Loads those of units with these orders and products.
    pub async fn load(tx: &mut Tx, units: impl Iterator<Item = (Option<WorkOrderKey>, ProductId)>) -> Result<Self> {
        let (mut orders, mut products) = (BTreeSet::new(), BTreeSet::new());
        for (order, product) in units {
            match order {
                Some(order) => orders.insert(order.0),
                None => products.insert(product.0),
            };
        }
        let mut names = HashMap::new();
        let mut of_orders = BTreeMap::new();
        let orders: Vec<i64> = orders.into_iter().collect();
        for (order, mut lines) in order_boms::of_orders(tx, &orders).await? {
            lines.sort_by_cached_key(|kept| {
                let line = &kept.line;
                (fold(&line.component_code), line.component_code.clone())
            });
            for kept in &lines {
                let line = &kept.line;
                names.insert(
                    line.component_key.clone(),
                    (line.component_code.clone(), line.component_description.clone()),
                );
            }
            let needs = lines.into_iter().map(|kept| Need {
                component_key: kept.line.component_key,
                quantity: kept.line.qt.into(),
                traced: kept.line.traceability_level.is_some(),
            });
            of_orders.insert(order, needs.collect());
        }
        let products: Vec<i64> = products.into_iter().collect();
        let mut lines: HashMap<ProductId, Vec<NeedRow>> = HashMap::new();
        for row in needs_of_products(tx, &products).await? {
            lines.entry(row.product_id).or_default().push(row);
        }
        let mut of_products = BTreeMap::new();
        for (product, mut rows) in lines {
            rows.sort_by_cached_key(|row| (fold(&row.code), row.code.clone()));
            for row in &rows {
                names.insert(row.component_key.clone(), (row.code.clone(), row.description.clone()));
            }
            let needs = rows.into_iter().map(|row| Need {
                component_key: row.component_key,
                quantity: row.quantity.into(),
                traced: row.traced,
            });
            of_products.insert(product, needs.collect());
        }
        Ok(Self { of_orders, of_products, names })
    }

    /// The bill of materials of a unit; one without any has an empty one.
    pub fn of(&self, order: Option<WorkOrderKey>, product: ProductId) -> Option<&ReferenceBom> {
        static EMPTY: std::sync::LazyLock<ReferenceBom> = std::sync::LazyLock::new(|| std::iter::empty().collect());
        let found = match order {
            Some(order) => self.of_orders.get(&order),
            None => self.of_products.get(&product),
        };
        Some(found.unwrap_or(&EMPTY))
    }

    /// The code and the description of a component of these bills.
    pub fn name(&self, component: &ProductKey) -> Option<(&str, Option<&str>)> {
        let (code, description) = self.names.get(component)?;
        Some((code, description.as_deref()))
    }
}
