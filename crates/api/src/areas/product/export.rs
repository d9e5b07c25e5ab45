use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use domain::collection::Collection;
use domain::key::FieldKey;
use domain::product::ProductData;
use schemars::JsonSchema;
use serde::Deserialize;
use sheet::Cell;
use store::product::products::{self, Product, Wanted};
use store::quality::fields;
use store::{Tx, tags};

use super::columns::{FIELDS, META, NAMES, show_value};
use super::read::Filters;
use crate::Result;
use crate::cx::Cx;
use crate::export::{self, Exported, Exporter, Format, SheetWriter};
use crate::input::Query;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ProductExport {
    /// The format of the file.
    #[serde(default)]
    format: Format,
    #[serde(flatten)]
    filters: Filters,
}

pub(super) async fn run(cx: Cx, Query(query): Query<ProductExport>) -> Result<Exported> {
    let template = query.format == Format::Template;
    let products = Products { wanted: query.filters.wanted(), template, custom: OnceLock::new() };
    export::run(&cx, products, query.format).await
}

struct Products {
    wanted: Wanted,
    /// Whether only the header is requested.
    template: bool,
    /// The custom fields that any of the products has a value for.
    custom: OnceLock<Vec<FieldKey>>,
}

/// How many products are in memory at once.
const AT_ONCE: i64 = 1_000;

impl Exporter for Products {
    const NAME: &'static str = "products";

    async fn columns(&self, tx: &mut Tx) -> Result<Vec<String>> {
        let fixed = NAMES.iter().map(|name| (*name).to_owned());
        let found = if self.template { Vec::new() } else { self.find_custom_fields(tx).await? };
        let custom = self.custom.get_or_init(|| found).iter().map(|key| format!("{META}{key}"));
        Ok(fixed.chain(custom).collect())
    }

    async fn rows(&self, tx: &mut Tx, sheet: &mut SheetWriter) -> Result<()> {
        let custom = self.custom.get().map_or(&[][..], Vec::as_slice);
        let mut last: Option<Product> = None;
        loop {
            let some = products::list_after(tx, &self.wanted, last.as_ref(), AT_ONCE).await?;
            let tags = tag_names(tx, &some).await?;
            for product in &some {
                let tags = tags.get(product.key.as_str()).map_or("", String::as_str);
                sheet.row(&cells(&product.data, tags, custom))?;
            }
            match some.into_iter().last() {
                Some(product) => last = Some(product),
                None => return Ok(()),
            }
        }
    }
}

impl Products {
    async fn find_custom_fields(&self, tx: &mut Tx) -> Result<Vec<FieldKey>> {
        let entries = products::list_metadata(tx, &self.wanted).await?.into_iter().flatten();
        let used: BTreeSet<FieldKey> = entries.map(|entry| entry.custom_field_key).collect();
        let named: Vec<String> = used.iter().map(ToString::to_string).collect();
        let known: HashSet<FieldKey> = fields::kinds(tx, &named).await?.into_keys().collect();
        Ok(used.into_iter().filter(|key| known.contains(key)).collect())
    }
}

/// The names of each product's tags, as a cell shows them.
pub(super) async fn tag_names(tx: &mut Tx, products: &[Product]) -> Result<HashMap<String, String>> {
    let keys: Vec<String> = products.iter().map(|product| product.key.to_string()).collect();
    let mut names: HashMap<String, String> = HashMap::new();
    for tagged in tags::of_records(tx, Collection::Product, &keys).await? {
        let shown = names.entry(tagged.record_key).or_default();
        if !shown.is_empty() {
            shown.push('|');
        }
        shown.push_str(&tagged.tag.name);
    }
    Ok(names)
}

fn cells<'a>(data: &'a ProductData, tags: &'a str, custom: &[FieldKey]) -> Vec<Cell<'a>> {
    let mut cells = vec![Cell::text(data.code.as_str())];
    cells.extend(FIELDS.iter().map(|column| (column.show)(data).into_cell()));
    let key = |key: Option<String>| Cell::maybe(key, Cell::text);
    cells.push(key(data.counter_key.as_ref().map(ToString::to_string)));
    cells.push(key(data.default_production_position_key.as_ref().map(ToString::to_string)));
    cells.push(key(data.default_consumption_position_key.as_ref().map(ToString::to_string)));
    cells.push(if tags.is_empty() { Cell::Empty } else { Cell::text(tags) });
    cells.extend(custom.iter().map(|key| {
        let entry = data.metadata.iter().find(|entry| entry.custom_field_key == *key);
        entry.map_or(Cell::Empty, |entry| show_value(&entry.value).into_cell())
    }));
    cells
}
