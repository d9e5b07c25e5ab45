//! Something to import and export as long as no area does: departments, under addresses that only these tests have.

use std::collections::{BTreeMap, HashSet};

use api::cx::Cx;
use api::export::{self, ExportQuery, Exported, Exporter, SheetWriter};
use api::import::{self, Columns, Faults, Form, Import, Imported, Importer, Modes, Row, RowFaults};
use api::input::{Query, Upload};
use api::operation::{Operation, Tag, get, post};
use api::{ApiError, Result, scope};
use axum::Router;
use domain::collection::Collection;
use domain::text::fold;
use schemars::JsonSchema;
use serde::Serialize;
use sheet::Cell;
use store::{Sql, Tx, Value, params};
use testkit::{Site, json};

pub(super) struct Gadgets;

pub(super) struct Gadget {
    code: String,
    name: String,
}

pub(super) struct Plan {
    new: Vec<(String, Gadget)>,
    known: usize,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Counts {
    rows_created: usize,
    rows_skipped: usize,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Detail {
    rows_total: usize,
    rows_created: usize,
}

impl Importer for Gadgets {
    type Row = Gadget;
    type Plan = Plan;
    type Counts = Counts;
    type Detail = Detail;

    const TARGET: &'static str = "gadget";
    const COLUMNS: Columns =
        Columns { required: &["code"], optional: &["name", "active", "weight"], prefixes: &["meta:"] };
    const MODES: Modes = Modes { names: &["upsert", "create"], default: Some("upsert") };
    const FIELDS: &'static [&'static str] = &["place"];

    fn read(&self, row: &Row<'_>, faults: &mut RowFaults<'_>) -> Gadget {
        let code = row.get("code").trim().to_owned();
        if code.is_empty() {
            faults.add("code", "", "The code is empty.");
        }
        row.boolean("active", faults);
        row.quantity("weight", faults);
        let meta: Vec<String> = row.prefixed("meta:").map(|(key, cell)| format!("{key}={cell}")).collect();
        Gadget { code, name: format!("{} {}", row.get("name"), meta.join(" ")).trim().to_owned() }
    }

    async fn plan(&self, tx: &mut Tx, import: &Import<Gadget>, faults: &mut Faults) -> Result<Plan> {
        if import.fields["place"] == "nowhere" {
            return Err(ApiError::not_found("The place was"));
        }
        let codes: Vec<String> = import.rows.iter().map(|(_, gadget)| fold(&gadget.code)).collect();
        let sql = Sql::raw("select code_folded from department where code_folded {in $1}");
        let taken: HashSet<String> = tx.all(sql, &params![codes]).await?.into_iter().collect();
        let (mut new, mut known, mut seen) = (Vec::new(), 0, HashSet::new());
        for (row, gadget) in import.rows.iter().filter(|(_, gadget)| !gadget.code.is_empty()) {
            let folded = fold(&gadget.code);
            if !seen.insert(folded.clone()) {
                faults.add(*row, "code", &gadget.code, "The code is repeated.");
            }
            match taken.contains(&folded) {
                true if import.mode == "create" => faults.add(*row, "code", &gadget.code, "The code is taken."),
                true => known += 1,
                false => {
                    let gadget = Gadget { code: gadget.code.clone(), name: gadget.name.clone() };
                    new.push((import.cx.new_key()?, gadget));
                }
            }
        }
        Ok(Plan { new, known })
    }

    fn counts(&self, plan: &Plan) -> Counts {
        Counts { rows_created: plan.new.len(), rows_skipped: plan.known }
    }

    async fn write(&self, tx: &mut Tx, import: &Import<Gadget>, plan: Plan) -> Result<Detail> {
        let rows: Vec<_> = plan
            .new
            .iter()
            .map(|(key, gadget)| {
                let (code, name) = (&gadget.code, &gadget.name);
                json!({ "key": key, "code": code, "code_folded": fold(code), "name": name, "name_folded": fold(name) })
            })
            .collect();
        let sql = "insert into department (key, rev, name, name_folded, code, code_folded)
                   select key, 1, name, name_folded, code, code_folded
                   from {rows $1 key code code_folded name name_folded}";
        tx.run(Sql::raw(sql), &[Value::from(&json!(rows))]).await?;
        for (key, _) in &plan.new {
            tx.changed(Collection::Department, key);
        }
        if import.fields["place"] == "a full shelf" {
            return Err(ApiError::conflict("The shelf is full."));
        }
        Ok(Detail { rows_total: import.rows.len(), rows_created: plan.new.len() })
    }
}

async fn import_gadgets(cx: Cx, upload: Upload<Form<Gadgets>>) -> Result<Imported<Gadgets>> {
    import::run(cx, Gadgets, upload).await
}

/// The same into something else.
struct Others;

impl Importer for Others {
    type Row = ();
    type Plan = ();
    type Counts = BTreeMap<String, String>;
    type Detail = BTreeMap<String, String>;

    const TARGET: &'static str = "other";
    const COLUMNS: Columns = Columns { required: &["code"], optional: &[], prefixes: &[] };
    const MODES: Modes = Modes { names: &["update"], default: None };

    fn read(&self, _: &Row<'_>, _: &mut RowFaults<'_>) {}

    async fn plan(&self, _: &mut Tx, _: &Import<()>, _: &mut Faults) -> Result<()> {
        Ok(())
    }

    fn counts(&self, (): &()) -> Self::Counts {
        BTreeMap::new()
    }

    async fn write(&self, _: &mut Tx, _: &Import<()>, (): ()) -> Result<Self::Detail> {
        Ok(BTreeMap::new())
    }
}

async fn import_others(cx: Cx, upload: Upload<Form<Others>>) -> Result<Imported<Others>> {
    import::run(cx, Others, upload).await
}

struct GadgetExport {
    broken: bool,
}

impl Exporter for GadgetExport {
    const NAME: &'static str = "gadgets";

    async fn columns(&self, _: &mut Tx) -> Result<Vec<String>> {
        Ok(["code", "name", "active", "weight"].map(str::to_owned).to_vec())
    }

    async fn rows(&self, tx: &mut Tx, sheet: &mut SheetWriter) -> Result<()> {
        tx.each(Sql::raw("select code, name from department order by code"), &[], |row| {
            let (code, name): (String, String) = (row.column()?, row.column()?);
            if self.broken && code.ends_with('9') {
                return Err(ApiError::conflict("The gadget is broken."));
            }
            sheet.row(&[Cell::text(code), Cell::text(name), Cell::Boolean(true), Cell::number("12.5")])
        })
        .await
    }
}

async fn export_gadgets(cx: Cx, Query(query): Query<ExportQuery>) -> Result<Exported> {
    export::run(&cx, GadgetExport { broken: false }, query.format).await
}

async fn export_broken(cx: Cx, Query(query): Query<ExportQuery>) -> Result<Exported> {
    export::run(&cx, GadgetExport { broken: true }, query.format).await
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("import_gadgets", "/gadget/import", Tag::Quality, "Import", import_gadgets)
            .scope(scope!("org:department:write")),
        post("import_others", "/other/import", Tag::Quality, "Import", import_others)
            .scope(scope!("org:department:write")),
        get("export_gadgets", "/gadget/export", Tag::Quality, "Export", export_gadgets)
            .scope(scope!("org:department:read")),
        get("export_broken", "/broken/export", Tag::Quality, "Export", export_broken)
            .scope(scope!("org:department:read")),
    ]
}

/// Serves these operations on the database of a site; gives their address.
pub(super) async fn serve(site: &Site) -> String {
    let router = api::router_of(site.app().clone(), operations(), Router::new());
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}
