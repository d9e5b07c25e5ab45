//! Copies: of an operation's defaults into phases, and of a product's process or counter to other products.

use domain::ErrorData;
use std::collections::{BTreeSet, HashMap, HashSet};

use domain::Timestamp;
use domain::bom_line::BomSource;
use domain::collection::Collection;
use domain::key::{
    BomLineKey, FileKey, FormFieldKey, MediaKey, PhaseKey, ProductId, ProductKey, StepKey, id_to_text, record_id,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::attachments::files::{self, Share};
use store::attachments::media_files::{self, Link};
use store::process::operations;
use store::process::phases::{self, Phase};
use store::process::steps::{self, Owner, Step};
use store::product::boms::{self, Deed};
use store::product::products::{self, Product};

use super::step::{BUCKET, ids};
use super::{OperationPath, product_not_found};
use crate::Result;
use crate::areas::paths::ProductPath;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, Path};
use crate::reply::{Done, Envelope, envelope};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CopyTargets")]
pub(super) struct Targets {
    /// Up to 1,000; a product named twice counts once.
    #[schemars(length(max = 1000))]
    target_product_keys: Vec<ProductKey>,
}

impl Targets {
    /// Each once, in the order sent.
    fn keys(self) -> Vec<ProductKey> {
        let mut seen = HashSet::new();
        self.target_product_keys.into_iter().filter(|key| seen.insert(key.clone())).collect()
    }
}

/// Locks live products; returns them by key.
async fn lock(tx: &mut Tx, keys: impl Iterator<Item = &ProductKey>) -> Result<HashMap<ProductKey, Product>> {
    let keys: BTreeSet<String> = keys.map(ToString::to_string).collect();
    let keys: Vec<String> = keys.into_iter().collect();
    let found = products::lock_all(tx, &keys).await?;
    Ok(found.into_iter().map(|product| (product.key.clone(), product)).collect())
}

/// The targets in their order, or 404 with the missing ones.
fn found(mut locked: HashMap<ProductKey, Product>, targets: &[ProductKey]) -> Result<Vec<Product>> {
    let missing: Vec<String> =
        targets.iter().filter(|key| !locked.contains_key(key)).map(|key| record_id(Collection::Product, key)).collect();
    if !missing.is_empty() {
        let data = ErrorData { missing: Some(missing), ..ErrorData::default() };
        return Err(ApiError::not_found_with("Some products were not found.", &data));
    }
    Ok(targets.iter().filter_map(|key| locked.remove(key)).collect())
}

/// Locks a product and those that get something from it.
async fn source_and_targets(
    tx: &mut Tx,
    source: &ProductKey,
    targets: &[ProductKey],
) -> Result<(Product, Vec<Product>)> {
    let mut locked = lock(tx, targets.iter().chain([source])).await?;
    let from = locked.remove(source).ok_or_else(product_not_found)?;
    if targets.contains(source) {
        return Err(ApiError::bad_request("The product itself is among the targets."));
    }
    Ok((from, found(locked, targets)?))
}

fn product_ids(products: &[Product]) -> Vec<i64> {
    products.iter().map(|product| product.id.0).collect()
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OperationCopied")]
pub(super) struct CopiedTo {
    phase_keys: Vec<PhaseKey>,
}

pub(super) async fn operation(
    cx: Cx,
    Path(path): Path<OperationPath>,
    Json(body): Json<Targets>,
) -> Result<Done<Envelope<CopiedTo>>> {
    let (asking, now, targets) = (cx.clone(), cx.now(), body.keys());
    cx.change("copy operation", async move |tx: &mut Tx| {
        let operation = operations::lock(tx, &path.operation_key).await?;
        let operation = operation.ok_or_else(|| ApiError::missing(Collection::Operation))?;
        let products = found(lock(tx, targets.iter()).await?, &targets)?;
        let mut phases = phases::with_operation(tx, &product_ids(&products), &operation.key).await?;
        let order: HashMap<ProductId, usize> =
            products.iter().enumerate().map(|(index, product)| (product.id, index)).collect();
        phases.sort_by_key(|phase| (order.get(&phase.product_id).copied(), phase.place));
        let steps = steps::lock_of_operation(tx, &operation.key).await?;
        let steps = StepsOf::load(tx, steps).await?;
        let params = operation.default_phase_parameters.with_steps(steps.steps.len());
        for phase in &mut phases {
            phase.rev += 1;
            phase.params = params.clone();
            phase.production_notes.clone_from(&operation.default_phase_notes);
        }
        let keys: Vec<PhaseKey> = phases.iter().map(|phase| phase.key).collect();
        steps::drop_from_phases(tx, &keys.iter().map(|key| key.0).collect::<Vec<_>>(), now).await?;
        phases::save(tx, &phases).await?;
        let owner = Owner::Operation(operation.key);
        steps.give(tx, &asking, &keys.iter().map(|key| (owner.clone(), *key)).collect::<Vec<_>>()).await?;
        let changed = products.iter().filter(|product| phases.iter().any(|phase| phase.product_id == product.id));
        changed.for_each(|product| tx.changed(Collection::Product, &product.key));
        envelope("Operation copied.", CopiedTo { phase_keys: keys })
    })
    .await
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ProcessCopies {
    targets: Vec<ProcessCopy>,
}

#[derive(Serialize, JsonSchema)]
struct ProcessCopy {
    product_key: ProductKey,
    /// In order.
    phase_keys: Vec<PhaseKey>,
}

pub(super) async fn process(
    cx: Cx,
    Path(path): Path<ProductPath>,
    Json(body): Json<Targets>,
) -> Result<Done<Envelope<ProcessCopies>>> {
    let (asking, now, keys) = (cx.clone(), cx.now(), body.keys());
    cx.change("copy process", async move |tx: &mut Tx| {
        let (source, mut targets) = source_and_targets(tx, &path.product_key, &keys).await?;
        let process = Process::load(tx, source.id).await?;
        let lines = boms::line_counts_of_products(tx, &product_ids(&targets)).await?;
        let lines: HashMap<ProductId, i64> = lines.into_iter().collect();
        if process.phases.is_empty() && !lines.is_empty() {
            return Err(without_phases(targets.iter().filter(|target| lines.contains_key(&target.id))));
        }
        clear(tx, &targets, now).await?;
        let copies = process.give(tx, &asking, &targets.iter().map(|target| target.id).collect::<Vec<_>>()).await?;
        products::touch_all(tx, &mut targets, now).await?;
        let mut answer = Vec::new();
        for (target, copies) in targets.iter_mut().zip(copies) {
            if let (Some(count), Some(last)) = (lines.get(&target.id), copies.last()) {
                let alias = process.phases.last().map_or("", |phase| phase.alias.as_str());
                move_lines(tx, &asking, target, *count, (last.1, alias)).await?;
            }
            let phase_keys = copies.into_iter().map(|(_, key)| key).collect();
            answer.push(ProcessCopy { product_key: target.key.clone(), phase_keys });
        }
        envelope("Process copied.", ProcessCopies { targets: answer })
    })
    .await
}

/// 409: lines of bills of materials would be left without a phase.
fn without_phases<'a>(targets: impl Iterator<Item = &'a Product>) -> ApiError {
    let product_codes = Some(targets.map(|target| target.data.code.to_string()).collect());
    let why = "The process is empty, and lines of bills of materials need a phase.";
    ApiError::conflict_with(why, &ErrorData { product_codes, ..ErrorData::default() })
}

/// Moves all lines of a product's bill of materials to one phase, as its next version.
async fn move_lines(tx: &mut Tx, cx: &Cx, product: &mut Product, count: i64, to: (PhaseKey, &str)) -> Result<()> {
    let keys: Result<Vec<BomLineKey>> = (0..count).map(|_| cx.new_id().map(BomLineKey)).collect();
    let deed = Deed { source: BomSource::ProcessCopy, by: cx.caller.user_key.clone(), now: cx.now() };
    Ok(boms::move_to_phase(tx, product, keys?.into_iter(), to, &deed).await?)
}

/// Moves the processes of products to the trash.
async fn clear(tx: &mut Tx, products: &[Product], now: Timestamp) -> Result<()> {
    let products = product_ids(products);
    let phases = phases::of_products(tx, &products).await?;
    steps::trash(tx, &phases.iter().map(|(_, key, _)| key.0).collect::<Vec<_>>(), now).await?;
    Ok(phases::trash(tx, &products, now).await?)
}

pub(super) async fn counter(
    cx: Cx,
    Path(path): Path<ProductPath>,
    Json(body): Json<Targets>,
) -> Result<Done<Envelope<()>>> {
    let (now, keys) = (cx.now(), body.keys());
    cx.change("copy counter", async move |tx: &mut Tx| {
        let (source, mut targets) = source_and_targets(tx, &path.product_key, &keys).await?;
        for target in &mut targets {
            target.rev += 1;
            target.updated = now;
            target.data.counter_key.clone_from(&source.data.counter_key);
        }
        products::save(tx, &targets).await?;
        envelope("Counter copied.", ())
    })
    .await
}

/// Gives a product without a process a copy of another's. Returns which phase became which, in order. Both products are
/// locked.
pub(crate) async fn copy_process(
    tx: &mut Tx,
    cx: &Cx,
    from: ProductId,
    to: ProductId,
) -> Result<Vec<(PhaseKey, PhaseKey)>> {
    let process = Process::load(tx, from).await?;
    Ok(process.give(tx, cx, &[to]).await?.concat())
}

/// A process to be copied; its product is locked.
struct Process {
    phases: Vec<Phase>,
    steps: StepsOf,
}

impl Process {
    async fn load(tx: &mut Tx, product: ProductId) -> Result<Self> {
        let phases = phases::of_product(tx, product).await?;
        let steps = steps::lock_of_phases(tx, &phases.iter().map(|phase| phase.key.0).collect::<Vec<_>>()).await?;
        Ok(Self { phases, steps: StepsOf::load(tx, steps).await? })
    }

    /// Gives copies to products without a process. Returns for each product which phase became which, in order.
    async fn give(&self, tx: &mut Tx, cx: &Cx, products: &[ProductId]) -> Result<Vec<Vec<(PhaseKey, PhaseKey)>>> {
        let (mut made, mut copied) = (Vec::new(), Vec::new());
        for product_id in products {
            let mut copies = Vec::new();
            for phase in &self.phases {
                let key = PhaseKey(cx.new_id()?);
                made.push(Phase { key, rev: 1, product_id: *product_id, ..phase.clone() });
                copies.push((phase.key, key));
            }
            copied.push(copies);
        }
        phases::save(tx, &made).await?;
        let to: Vec<(Owner, PhaseKey)> = copied.iter().flatten().map(|(from, to)| (Owner::Phase(*from), *to)).collect();
        self.steps.give(tx, cx, &to).await?;
        Ok(copied)
    }
}

/// Steps to be copied, with what belongs to them; they are locked.
struct StepsOf {
    steps: Vec<Step>,
    media: HashMap<String, Vec<MediaKey>>,
    files: HashMap<String, Vec<FileKey>>,
}

impl StepsOf {
    async fn load(tx: &mut Tx, steps: Vec<Step>) -> Result<Self> {
        let (mut media, mut files): (HashMap<String, Vec<MediaKey>>, HashMap<String, Vec<FileKey>>) =
            Default::default();
        if !steps.is_empty() {
            for linked in media_files::linked(tx, &ids(steps.iter().map(|step| step.key))).await? {
                media.entry(linked.from_id).or_default().push(linked.media.key);
            }
            let keys: Vec<String> = steps.iter().map(|step| step.key.to_string()).collect();
            for (file, step) in files::of_records(tx, BUCKET, &keys).await? {
                files.entry(step).or_default().push(file);
            }
        }
        Ok(Self { steps, media, files })
    }

    /// Gives each phase copies of an owner's steps, with the same media and files.
    async fn give(&self, tx: &mut Tx, cx: &Cx, to: &[(Owner, PhaseKey)]) -> Result<()> {
        let mut by_owner: HashMap<&Owner, Vec<&Step>> = HashMap::new();
        self.steps.iter().for_each(|step| by_owner.entry(&step.owner).or_default().push(step));
        let (mut made, mut links, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        for (from, phase) in to {
            for step in by_owner.get(from).into_iter().flatten() {
                let copy = fresh(cx, step, *phase)?;
                let (before, after) = (record_id(Collection::Step, step.key), record_id(Collection::Step, copy.key));
                for media_key in self.media.get(&before).into_iter().flatten() {
                    links.push(Link { key: cx.new_id()?, media_key: *media_key, from_id: after.clone() });
                }
                for file in self.files.get(&step.key.to_string()).into_iter().flatten() {
                    let key = FileKey(cx.new_id()?);
                    shares.push(Share { file: *file, key, object_key: id_to_text(copy.key.0) });
                }
                made.push(copy);
            }
        }
        steps::save(tx, &made).await?;
        media_files::link(tx, &links).await?;
        Ok(files::share(tx, &shares).await?)
    }
}

/// A copy of a step for a phase. Its form fields get new keys, since one process may have two copies.
fn fresh(cx: &Cx, step: &Step, phase: PhaseKey) -> Result<Step> {
    let mut copy = Step { key: StepKey(cx.new_id()?), rev: 1, owner: Owner::Phase(phase), ..step.clone() };
    for field in &mut copy.form_fields {
        field.key = FormFieldKey::trusted(cx.new_key()?);
    }
    Ok(copy)
}
