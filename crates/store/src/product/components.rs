//! The products that lines of bills of materials name.

use std::collections::HashSet;

use domain::bom_line::{Component, KnownComponents, SentLine};

use crate::row::{FromRow, Row};
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::warehouse::positions;
use crate::{Result, params};

impl FromRow for Component {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            id: row.column()?,
            key: row.column()?,
            code: row.column()?,
            description: row.column()?,
            trash: row.column()?,
            traceability_level: row.column()?,
            manage_inventory: row.column()?,
            cost_average: row.column()?,
        })
    }
}

fn components() -> Query {
    Query::new(
        "select id, key, code, description, trash, traceability_level, manage_inventory, cost_average
         from product",
    )
}

/// What there is of all that these lines name, in a few statements however many they are.
pub async fn named(tx: &mut Tx, lines: &[SentLine]) -> Result<KnownComponents> {
    let options = lines.iter().filter_map(|line| line.consumption_options.as_ref());
    let keys = each_once(lines.iter().filter_map(|line| line.component_key.as_ref()).map(|key| key.as_str()));
    let codes = each_once(lines.iter().filter_map(|line| line.component_code.as_deref()));
    let places = options.filter_map(|options| options.consumption_position_key.as_ref());
    let places = each_once(places.map(|key| key.as_str()));
    let mut known = KnownComponents::default();
    if !keys.is_empty() {
        let found: Vec<Component> = components().filter("key {in {}}", keys).all(tx, "id").await?;
        known.by_key = found.into_iter().map(|component| (component.key.clone(), component)).collect();
    }
    if !codes.is_empty() {
        let found: Vec<Component> =
            components().filter("code {in {}} and not trash", codes.clone()).all(tx, "id").await?;
        known.by_code = found.into_iter().map(|component| (component.code.clone(), component)).collect();
        let missing: Vec<String> = codes.into_iter().filter(|code| !known.by_code.contains_key(code)).collect();
        known.trashed_codes = trashed(tx, missing).await?;
    }
    if !places.is_empty() {
        known.positions = positions::which_exist(tx, &places).await?.into_iter().collect();
    }
    Ok(known)
}

fn each_once<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let once: HashSet<&str> = texts.collect();
    once.into_iter().map(str::to_owned).collect()
}

/// Which of these codes only products in the trash have.
async fn trashed(tx: &mut Tx, codes: Vec<String>) -> Result<HashSet<String>> {
    if codes.is_empty() {
        return Ok(HashSet::new());
    }
    let found = tx.all(sql!("select distinct code from product where code {in $1} and trash"), &params![codes]).await?;
    Ok(found.into_iter().collect())
}
