//! Products: their records, what they are made of, and where they are used.

mod bom;
mod check;
mod columns;
mod copy;
mod doc;
mod export;
mod image;
mod import;
mod read;
mod stats;
mod structure;
mod wire;
mod write;

pub(crate) use bom::no_process;
pub(crate) use doc::documents;

use domain::collection::Collection;
use domain::key::ProductKey;
use store::Tx;
use store::product::products::{self, Product};

use crate::cx::Cx;
use crate::error::ApiError;
use crate::operation::{LARGE_BODY, Operation, Tag, delete, get, patch, post, put};
use crate::{Result, scope};

const TAG: Tag = Tag::Product;

pub(crate) fn not_found() -> ApiError {
    ApiError::missing(Collection::Product)
}

/// Locks a product to be changed.
async fn load(tx: &mut Tx, cx: &Cx, key: &ProductKey) -> Result<Product> {
    let product = products::lock(tx, key).await?.ok_or_else(not_found)?;
    cx.check_revision(Some(product.rev))?;
    Ok(product)
}

/// Locks a product to be changed, by key or code.
async fn named(tx: &mut Tx, text: &str, by_code: bool) -> Result<Option<Product>> {
    if by_code {
        return Ok(products::lock_by_code(tx, text).await?);
    }
    match ProductKey::new(text) {
        Ok(key) => Ok(products::lock(tx, &key).await?),
        Err(_) => Ok(None),
    }
}

pub fn operations() -> Vec<Operation> {
    let mut all = records();
    all.extend(tables());
    all.extend(files());
    all.extend(boms());
    all
}

const ABSENT: &str = "No such product, or it is in the trash.";
const REVISION: &str = "`If-Match` names another revision.";
const TAKEN: &str = "Another product has the code, or the key is taken.";

fn records() -> Vec<Operation> {
    vec![
        get("list_products", "/product", TAG, "List products", read::list).scope(scope!("product:catalogue:read")).describe(
            "Products that are not in the trash, by code. All filters combine; inactive products are left out unless \
             `active_only=false`.",
        ),
        post("create_product", "/product", TAG, "Create a product", write::create)
            .scope(scope!("product:catalogue:create"))
            .created()
            .describe(
                "As JSON, or as a form with the same names (objects and lists as JSON text) and the file `image`. Codes are \
                 trimmed, and unique among products that are not in the trash.",
            )
            .error(409, TAKEN)
            .error(413, "The image is larger than the site allows.")
            .error(415, "The body, or the image, is of another type."),
        post("copy_product", "/product/copy", TAG, "Copy a product", copy::copy)
            .scope(scope!("product:catalogue:create"))
            .created()
            .describe(
                "Copies the record, its tags and files, its process (with new keys) and its bill of materials, each line on \
                 the copy of its phase. The source stays as it is.",
            )
            .error(404, "No such source, or it is in the trash.")
            .error(409, "Another product has the new code."),
        get("get_product", "/product/{product_key}", TAG, "Read a product", read::one)
            .scope(scope!("product:catalogue:read"))
            .describe("Everything about a product with its documents, image and counter, including one in the trash.")
            .error(404, "No such product."),
        patch("update_product", "/product/{product_key}", TAG, "Change a product", write::change)
            .scope(scope!("product:catalogue:update"))
            .describe("Changes the members that are sent; null clears what can be empty.")
            .error(404, ABSENT)
            .error(409, TAKEN)
            .error(412, REVISION),
        put("replace_product", "/product/{product_key}", TAG, "Replace a product", write::replace)
            .scope(scope!("product:catalogue:update"))
            .describe(
                "Replaces everything that can be written; members left out get their defaults. Accepts what `GET` \
                 returns: members that can't be written are ignored.",
            )
            .error(404, ABSENT)
            .error(409, TAKEN)
            .error(412, REVISION),
        get("get_product_stats", "/product/{product_key}/stats", TAG, "Read production figures of a product", stats::read)
            .scope(scope!("product:catalogue:read"))
            .describe(
                "Figures over the last `window_size` closed orders, or those of the last `window_size` days, without \
                 canceled batches. Null where there is nothing to divide by.",
            )
            .error(404, "No such product."),
        delete("delete_product", "/product/{product_key}", TAG, "Move a product to the trash", write::remove)
            .scope(scope!("product:catalogue:delete"))
            .describe(
                "It stays readable by its key; its code becomes free. Refused while a product that is not in the trash \
                 is made of it, or a work order of it is open.",
            )
            .error(404, ABSENT)
            .error(409, "It is in use: `used_in` and `work_order_codes` say where.")
            .error(412, REVISION),
    ]
}

fn tables() -> Vec<Operation> {
    vec![
        get("export_products", "/product/export", TAG, "Export products", export::run)
            .scope(scope!("product:catalogue:read"))
            .describe(
                "The products that match the filters of the list, as CSV or XLSX, in columns that can be imported \
                 again; `template` is only the header. Text that a spreadsheet would treat as a formula gets a leading \
                 `'`, which an import removes.",
            )
            .error(400, "A text is longer than a cell of XLSX can hold: CSV can."),
        post("import_products", "/product/import", TAG, "Import products", import::run)
            .scope(scope!("product:catalogue:create"))
            .alone()
            .describe(
                "In two steps. First send the file with `dry_run` (true by default); the answer is all faults of all \
                 rows, as a sheet or, if `Accept` names JSON, as JSON; or a `file_key`. Then send `dry_run=false` with \
                 that key, within 24 hours and in the same session: all rows are written, or none. `code` says which \
                 product a row is; columns are the fields of a product, `cost_target`, `cost_average`, `tags` (names \
                 joined by `|`) and `meta:<custom field key>`. An empty cell leaves a field as it is, `\\N` clears it. \
                 `import_mode`: `upsert`, `create` (codes must be new) or `update` (codes must be known).",
            )
            .error(400, "No file, one that can't be read, or one that lacks the column `code`.")
            .error(
                403,
                "The file was tried by another user, in another session or mode; or the caller lacks the scope.",
            )
            .error(404, "No such file: unknown, expired, or executed before.")
            .error(
                413,
                "The file has more than 32 MiB, 200,000 rows, 1,000 columns, 1 MiB in a cell or 20 million cells.",
            )
            .error(422, "Rows are no longer valid (`ImportException`); `errors` says which. Nothing was written."),
    ]
}

fn files() -> Vec<Operation> {
    vec![
        post("add_product_doc", "/product/{product_key}/doc", TAG, "Store a document", doc::store)
            .scope(scope!("product:catalogue:update"))
            .describe(
                "Stores the file `new_doc`, served at `/media/product/{product_key}/docs/{name}`; a document with the same \
                 name is overwritten. Answers with the name.",
            )
            .error(404, ABSENT)
            .error(412, REVISION)
            .error(413, "The file is larger than the site allows."),
        delete("delete_product_doc", "/product/{product_key}/doc/{doc_name}", TAG, "Delete a document", doc::remove)
            .scope(scope!("product:catalogue:update"))
            .describe("By its name.")
            .error(404, "No such product or document.")
            .error(412, REVISION),
        put("set_product_image", "/product/{product_key}/image", TAG, "Set the image", image::set)
            .scope(scope!("product:catalogue:update"))
            .describe(
                "One image per product, JPEG, PNG or WebP by content, served at `/media/product/{product_key}/{img_name}`.",
            )
            .error(404, ABSENT)
            .error(412, REVISION)
            .error(413, "The file is larger than the site allows.")
            .error(415, "The file is not a JPEG, PNG or WebP image."),
        delete("delete_product_image", "/product/{product_key}/image", TAG, "Remove the image", image::remove)
            .scope(scope!("product:catalogue:update"))
            .describe("A product without an image stays without one.")
            .error(404, ABSENT)
            .error(412, REVISION),
    ]
}

fn boms() -> Vec<Operation> {
    vec![
        get("get_bom", "/product/{product_key_or_code}/bom", TAG, "Read a bill of materials", bom::read)
            .scope(scope!("product:bom:read"))
            .describe(
                "The lines by component, phase and place. Without `version` the current ones, with the components' \
                 present codes and names; with it, a stored version as it was. The address takes the product's key.",
            )
            .error(404, "No such product or version."),
        put("replace_bom", "/product/{product_key_or_code}/bom", TAG, "Replace a bill of materials", bom::replace)
            .scope(scope!("product:bom:update"))
            .body_limit(LARGE_BODY)
            .alone()
            .describe(
                "The lines that are sent replace all earlier ones, in one transaction, and are stored as the next \
                 version, which never changes. A line names its component by key or code; without `phase_key` it \
                 belongs to the last phase. Faults of all lines are answered at once. Lines that make the product a \
                 part of itself, at any depth, are refused.",
            )
            .error(401, "No such product by key; or the token is missing, expired, revoked or unknown.")
            .error(403, "The product would be a part of itself: `loops` has the codes along each loop; or the caller \
                         lacks the scope.")
            .error(404, "No such product by code.")
            .error(412, REVISION)
            .error(422, "The product has no process (`NoProcessError`), or lines are at fault, each with its index in `loc`."),
        get("list_bom_versions", "/product/{product_key}/bom/versions", TAG, "List the versions of a bill of materials", bom::versions)
            .scope(scope!("product:bom:read"))
            .describe("Newest first; `source` says how each came about.")
            .error(404, "No such product."),
        get("explode_bom", "/product/{product_key}/bom/explode", TAG, "Explode a bill of materials", structure::explode)
            .scope(scope!("product:bom:read"))
            .describe(
                "Everything that `qt` units are made of, over all levels or the first `levels`: `nodes` has each \
                 component once with its quantities, `lines` each line of each expanded product once, `totals` what to \
                 buy or take from stock: the part that is not broken down further.",
            )
            .error(404, "No such product.")
            .error(422, "A quantity exceeds 1e12 (`QuantityOverflow`)."),
        get("get_where_used", "/product/{product_key}/where-used", TAG, "Find where a product is used", structure::where_used)
            .scope(scope!("product:bom:read"))
            .describe(
                "Every product that contains this one, once: `level` is the shortest distance, `qt_total` how much of it is in \
                 one unit over all paths of at most `levels` lines. By level and code.",
            )
            .error(404, "No such product.")
            .error(422, "A quantity exceeds 1e12 (`QuantityOverflow`)."),
    ]
}
