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
pub(crate) use wire::{Base as ProductBase, ProductDetail, bases, details};

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
        get("list_products", "/product", TAG, "List products", read::list)
            .scope(scope!("product:catalogue:read"))
            .describe(
                "Lists products that are not in the trash, by code. All filters combine. Inactive products are left \
                 out unless `active_only=false`.",
            ),
        post("create_product", "/product", TAG, "Create a product", write::create)
            .scope(scope!("product:catalogue:create"))
            .created()
            .describe(
                "Takes JSON, or a form with the same members (objects and lists as JSON text) and the file \
                 `image`. Codes are trimmed, and unique among products that are not in the trash.",
            )
            .error(409, TAKEN)
            .error(413, "The image is larger than the site allows.")
            .error(415, "The body is neither JSON nor a form, or the image is not a JPEG, PNG or WebP."),
        post("copy_product", "/product/copy", TAG, "Copy a product", copy::copy)
            .scope(scope!("product:catalogue:create"))
            .created()
            .describe(
                "Copies the record, its tags and files, its process (with new keys) and its bill of materials, \
                 whose lines belong to the copies of their phases. The original stays as it is.",
            )
            .error(404, "There is no such original, or it is in the trash.")
            .error(409, "Another product has the new code."),
        get("get_product", "/product/{product_key}", TAG, "Read a product", read::one)
            .scope(scope!("product:catalogue:read"))
            .describe(
                "Returns everything about a product, with its documents, image and counter, also if it is in the \
                 trash.",
            )
            .error(404, "No such product."),
        patch("update_product", "/product/{product_key}", TAG, "Change a product", write::change)
            .scope(scope!("product:catalogue:update"))
            .describe("Changes the members that are sent. Null clears members that can be empty.")
            .error(404, ABSENT)
            .error(409, TAKEN)
            .error(412, REVISION),
        put("replace_product", "/product/{product_key}", TAG, "Replace a product", write::replace)
            .scope(scope!("product:catalogue:update"))
            .describe(
                "Replaces everything that can be written; members left out get their defaults. You may send back \
                 what `GET` returns: members that can't be written are ignored.",
            )
            .error(404, ABSENT)
            .error(409, TAKEN)
            .error(412, REVISION),
        get(
            "get_product_stats",
            "/product/{product_key}/stats",
            TAG,
            "Read production figures of a product",
            stats::read,
        )
        .scope(scope!("product:catalogue:read"))
        .describe(
            "Returns figures over the last `window_size` closed orders, or over the orders closed in the last \
             `window_size` days, without canceled batches. A figure is null where there is nothing to divide by.",
        )
        .error(404, "No such product."),
        delete("delete_product", "/product/{product_key}", TAG, "Move a product to the trash", write::remove)
            .scope(scope!("product:catalogue:delete"))
            .describe(
                "The product stays readable by its key, and its code becomes free. This is refused while other \
                 products that are not in the trash contain it, or it has open work orders.",
            )
            .error(404, ABSENT)
            .error(409, "The product is in use; `used_in` and `work_order_codes` say where.")
            .error(412, REVISION),
    ]
}

fn tables() -> Vec<Operation> {
    vec![
        get("export_products", "/product/export", TAG, "Export products", export::run)
            .scope(scope!("product:catalogue:read"))
            .describe(
                "Returns the products that match the filters as CSV or XLSX, in columns that can be imported \
                 again; `template` has only the header. Text that a spreadsheet would treat as a formula gets a \
                 leading `'`, which an import removes.",
            )
            .sends(&["Content-Disposition"])
            .error(400, "A text is too long for a cell of XLSX. Use CSV instead."),
        post("import_products", "/product/import", TAG, "Import products", import::run)
            .scope(scope!("product:catalogue:create"))
            .alone()
            .sends(&["X-Import-Status", "X-Error-Count", "X-Valid-Count", "Content-Disposition"])
            .describe(
                "Takes two steps. First send the file with `dry_run` (true by default). The answer has either all \
                 faults of all rows, as a sheet or, if `Accept` names JSON, as JSON, or a `file_key`. Then send \
                 that key with `dry_run=false`, within 24 hours and in the same session: either all rows are \
                 written, or none. `code` names the product of a row; the other columns are the members of a \
                 product, `cost_target`, `cost_average`, `tags` (names joined by `|`) and `meta:<custom field \
                 key>`. An empty cell leaves a member as it is; `\\N` clears it. `import_mode` is `upsert`, \
                 `create` (codes must be new) or `update` (codes must exist).",
            )
            .error(400, "There is no file, it can't be read, or it lacks the column `code`.")
            .error(
                403,
                "The dry run was made by another user, in another session or in another mode; or the caller lacks \
                 the scope.",
            )
            .error(404, "The file is unknown, has expired, or was already imported.")
            .error(
                413,
                "The file has more than 32 MiB, 200,000 rows, 1,000 columns, 1 MiB in a cell or 20 million cells.",
            )
            .error(422, "Rows are no longer valid (`ImportException`); `errors` lists them. Nothing was written."),
    ]
}

fn files() -> Vec<Operation> {
    vec![
        post("add_product_doc", "/product/{product_key}/doc", TAG, "Add a document to a product", doc::store)
            .scope(scope!("product:catalogue:update"))
            .describe(
                "Stores the file `new_doc`, which is then served at `/media/product/{product_key}/docs/{name}`. A \
                 document with the same name is overwritten. The answer is the name.",
            )
            .error(404, ABSENT)
            .error(412, REVISION)
            .error(413, "The file is larger than the site allows."),
        delete(
            "delete_product_doc",
            "/product/{product_key}/doc/{doc_name}",
            TAG,
            "Delete a document of a product",
            doc::remove,
        )
        .scope(scope!("product:catalogue:update"))
        .describe("Deletes a document by its name.")
        .error(404, "There is no such product or document.")
        .error(412, REVISION),
        put("set_product_image", "/product/{product_key}/image", TAG, "Set a product's image", image::set)
            .scope(scope!("product:catalogue:update"))
            .describe(
                "Stores a JPEG, PNG or WebP image, which replaces the previous one and is served at \
                 `/media/product/{product_key}/{img_name}`. The content decides the type, not the file name.",
            )
            .error(404, ABSENT)
            .error(412, REVISION)
            .error(413, "The file is larger than the site allows.")
            .error(415, "The file is not a JPEG, PNG or WebP image."),
        delete("delete_product_image", "/product/{product_key}/image", TAG, "Remove a product's image", image::remove)
            .scope(scope!("product:catalogue:update"))
            .describe("Does nothing if the product has no image.")
            .error(404, ABSENT)
            .error(412, REVISION),
    ]
}

fn boms() -> Vec<Operation> {
    vec![
        get("get_bom", "/product/{product_key_or_code}/bom", TAG, "Read a bill of materials", bom::read)
            .scope(scope!("product:bom:read"))
            .describe(
                "Returns the lines, sorted by component, phase and place. Without `version` these are the current \
                 lines, with the present codes and names of the components; with it, a stored version as it was. \
                 The product is named by its key.",
            )
            .error(404, "There is no such product or version."),
        put("replace_bom", "/product/{product_key_or_code}/bom", TAG, "Replace a bill of materials", bom::replace)
            .scope(scope!("product:bom:update"))
            .body_limit(LARGE_BODY)
            .alone()
            .describe(
                "Replaces all lines with those that are sent, and stores them as the next version, which never \
                 changes. A line names its component by key or code; without `phase_key` it belongs to the last \
                 phase. The faults of all lines are reported at once. Lines that make the product a part of \
                 itself, at any depth, are refused.",
            )
            .error(401, "No product has this key; or the token is missing, expired, revoked or unknown.")
            .error(
                403,
                "The product would be a part of itself (`loops` has the codes along each loop), or the caller \
                 lacks the scope.",
            )
            .error(404, "With `by_code=true`: no product has this code.")
            .error(412, REVISION)
            .error(
                422,
                "The product has no process (`NoProcessError`), or lines have faults, each with its index in \
                 `loc`.",
            ),
        get(
            "list_bom_versions",
            "/product/{product_key}/bom/versions",
            TAG,
            "List the versions of a bill of materials",
            bom::versions,
        )
        .scope(scope!("product:bom:read"))
        .describe("Lists the versions, newest first; `source` says how each of them came about.")
        .error(404, "No such product."),
        get(
            "explode_bom",
            "/product/{product_key}/bom/explode",
            TAG,
            "Explode a bill of materials",
            structure::explode,
        )
        .scope(scope!("product:bom:read"))
        .describe(
            "Returns everything that `qt` units are made of, over all levels or the first `levels`. `nodes` has each \
             component once with its quantities, `lines` has each line of each expanded product once, and `totals` \
             has what to buy or take from stock: the part that is not broken down further.",
        )
        .error(404, "No such product.")
        .error(422, "A quantity exceeds 1e12 (`QuantityOverflow`)."),
        get(
            "get_where_used",
            "/product/{product_key}/where-used",
            TAG,
            "Find where a product is used",
            structure::where_used,
        )
        .scope(scope!("product:bom:read"))
        .describe(
            "Lists every product that contains this one, each once, by level and code. `level` is the shortest \
             distance, and `qt_total` how much of this product is in one unit, over all paths of at most `levels` \
             lines.",
        )
        .error(404, "No such product.")
        .error(422, "A quantity exceeds 1e12 (`QuantityOverflow`)."),
    ]
}
