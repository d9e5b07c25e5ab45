//! The records that the rows of an import name, loaded together before any row is processed.

use std::collections::{BTreeSet, HashMap};

use domain::form::FieldKind;
use domain::key::{CounterKey, FieldKey, PositionKey};
use domain::text::fold;
use store::Tx;
use store::administration::counters;
use store::product::products::{self, Product};
use store::quality::fields;
use store::warehouse::positions;

use super::super::columns::{CONSUMPTION_POSITION, COUNTER, META, PRODUCTION_POSITION};
use super::super::export::tag_names;
use super::{Cells, codes};
use crate::Result;
use crate::import::Import;

/// The records that the rows name.
pub(super) struct KnownRecords {
    pub(super) products: HashMap<String, Product>,
    pub(super) tag_names: HashMap<String, String>,
    pub(super) counters: HashMap<String, Lookup<CounterKey>>,
    pub(super) positions: HashMap<String, Lookup<PositionKey>>,
    /// For each column of a custom field: its key as it was written, and the field with its type if it exists.
    pub(super) fields: Vec<(String, Option<(FieldKey, FieldKind)>)>,
}

/// A record that a cell names by key or by name; several may have the same name.
#[derive(Debug, Clone)]
pub(super) enum Lookup<K> {
    One(K),
    Several,
}

impl<K: Clone> Lookup<K> {
    /// Keys take precedence; a name that several records have names none of them.
    fn all(records: Vec<(K, String)>) -> HashMap<String, Self>
    where
        K: ToString,
    {
        let mut found: HashMap<String, Self> = HashMap::new();
        for (key, name) in &records {
            let same = found.contains_key(name);
            found.insert(name.clone(), if same { Lookup::Several } else { Lookup::One(key.clone()) });
        }
        for (key, _) in records {
            found.insert(key.to_string(), Lookup::One(key));
        }
        found
    }
}

fn with_folded(records: Vec<(PositionKey, String)>) -> Vec<(PositionKey, String)> {
    records.into_iter().map(|(key, code)| (key, fold(&code))).collect()
}

impl KnownRecords {
    pub(super) async fn load(tx: &mut Tx, import: &Import<Cells>) -> Result<Self> {
        let products = products::by_codes(tx, &codes(import)).await?;
        let named = |columns: &[&str]| -> Vec<String> {
            let cells = import.rows.iter().flat_map(|(_, row)| columns.iter().filter_map(|name| row.get(name)));
            cells.collect::<BTreeSet<_>>().into_iter().map(str::to_owned).collect()
        };
        let (counters, positions) = (named(&[COUNTER]), named(&[PRODUCTION_POSITION, CONSUMPTION_POSITION]));
        let named = import.columns.iter().filter(|column| column.prefix == Some(META));
        let named: Vec<String> = named.map(|column| column.name[META.len()..].to_owned()).collect();
        let kinds = if named.is_empty() { HashMap::new() } else { fields::kinds(tx, &named).await? };
        let field = |name: String| {
            let found = FieldKey::new(name.clone()).ok().and_then(|key| Some((*kinds.get(&key)?, key)));
            (name, found.map(|(kind, key)| (key, kind)))
        };
        Ok(Self {
            tag_names: tag_names(tx, &products).await?,
            products: products.into_iter().map(|product| (product.data.code.clone(), product)).collect(),
            counters: match counters.is_empty() {
                true => HashMap::new(),
                false => Lookup::all(counters::named(tx, &counters).await?),
            },
            positions: match positions.is_empty() {
                true => HashMap::new(),
                // Codes of positions ignore case.
                false => Lookup::all(with_folded(positions::named(tx, &positions).await?)),
            },
            fields: named.into_iter().map(field).collect(),
        })
    }
}
