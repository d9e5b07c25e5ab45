use domain::key::{OperationKey, TagKey};
use domain::search::Pattern;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::administration::counters;
use store::product::products::{self, Wanted};

use super::wire::{Base, Doc, Full, ProductDetail, bases, detail, details};
use super::{doc, not_found};
use crate::Result;
use crate::areas::administration::counter_record;
use crate::areas::paths::ProductPath;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path, Query};
use crate::reply::{Bare, Listed};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "MatchOperator")]
enum Operator {
    All,
    Any,
}

/// Filters for products; all conditions combine.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Filters {
    /// Wildcard pattern for the code: `*` is any run of characters, `?` one character.
    search_string: Option<String>,
    /// Whether `search_string` may also match the description.
    #[serde(default)]
    search_description: bool,
    /// Only products with this text in their code or description, ignoring case.
    #[schemars(length(max = domain::search::LONGEST))]
    include_text: Option<String>,
    /// Only products without this text in their code and description, ignoring case.
    #[schemars(length(max = domain::search::LONGEST))]
    exclude_text: Option<String>,
    /// Only products with this tag.
    tag_key: Option<TagKey>,
    /// Only products with these tags, by key.
    #[serde(default)]
    include_tags: Vec<TagKey>,
    /// Whether a product needs all of `include_tags` (the default) or any of them.
    include_tags_operator: Option<Operator>,
    /// Only products without these tags, by key.
    #[serde(default)]
    exclude_tags: Vec<TagKey>,
    /// Whether a product with any of `exclude_tags` is left out (the default), or only one with all of them.
    exclude_tags_operator: Option<Operator>,
    /// Only products whose process has a phase with this operation.
    has_operation_key: Option<OperationKey>,
    /// Whether to leave out inactive products.
    #[serde(default = "yes")]
    active_only: bool,
    /// Whether to leave out products that are not traced.
    #[serde(default)]
    traceability_only: bool,
}

fn yes() -> bool {
    true
}

impl Filters {
    pub(super) fn wanted(self) -> Wanted {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        Wanted {
            search: given(self.search_string).map(|text| Pattern::wildcard(&text)),
            search_description: self.search_description,
            include_text: given(self.include_text).map(|text| Pattern::substring(&text)),
            exclude_text: given(self.exclude_text).map(|text| Pattern::substring(&text)),
            tag_key: self.tag_key,
            include_tags: self.include_tags,
            include_any: self.include_tags_operator == Some(Operator::Any),
            exclude_tags: self.exclude_tags,
            exclude_all: self.exclude_tags_operator == Some(Operator::All),
            operation_key: self.has_operation_key,
            active_only: self.active_only,
            traceability_only: self.traceability_only,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ProductsQuery {
    #[serde(flatten)]
    filters: Filters,
    /// Whether to return the detail form (`ProductDetail`) instead of the base form (`ProductBase`).
    #[serde(default)]
    details: bool,
}

/// A product of a list, in the requested form.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Form {
    Base(Box<Base>),
    Detail(Box<ProductDetail>),
}

impl JsonSchema for Form {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ProductListed".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (base, detail) = (generator.subschema_for::<Base>(), generator.subschema_for::<ProductDetail>());
        schemars::json_schema!({ "anyOf": [base, detail], "description": "The base form, or with `details` the detail form." })
    }
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<ProductsQuery>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<Form>> {
    let (wanted, in_detail) = (query.filters.wanted(), query.details);
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = products::list(tx, &wanted, &page).await?;
            let rows = match in_detail {
                true => details(tx, found.rows).await?.into_iter().map(Box::new).map(Form::Detail).collect(),
                false => bases(tx, found.rows).await?.into_iter().map(Box::new).map(Form::Base).collect(),
            };
            Ok::<_, ApiError>(Listed { rows, total: found.total })
        })
        .await
}

pub(super) async fn one(cx: Cx, Path(path): Path<ProductPath>) -> Result<Bare<Full>> {
    cx.app
        .read(async |tx: &mut Tx| {
            let product = products::find(tx, &path.product_key).await?.ok_or_else(not_found)?;
            let docs = doc::documents(tx, &product.key).await?;
            let counter = match &product.data.counter_key {
                Some(key) => counters::find(tx, key).await?.map(counter_record),
                None => None,
            };
            let img_name = product.img_name.clone();
            let docs = docs.into_iter().map(|(name, size)| Doc { name, size });
            Ok(Bare(Full { docs: docs.collect(), img_name, counter, detail: detail(tx, product).await? }))
        })
        .await
}
