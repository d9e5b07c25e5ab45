use domain::collection::Collection;
use domain::fault::Faults;
use domain::key::{
    BatchKey, JobKey, LinkKey, MovementKey, NOBODY, PhaseKey, ProductKey, SerialKey, UserKey, WorkOrderKey,
    id_from_text, record_id, revision,
};
use domain::rule::journal::RecordNotFoundError;
use domain::serial::{Link, Parent};
use domain::{Quantity, Timestamp};
use futures_util::future::BoxFuture;
use journal::effects::production::{SentPart, put_parts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Tx;
use store::production::batches;

use super::{BatchPath, not_found};
use crate::Result;
use crate::areas::journal::Acting;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, Path};
use crate::reply::{Done, Envelope, envelope};

/// A component that is to be linked. Accepts a link as it is read: the members of its state are ignored.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TemporaryLinkInput")]
pub(super) struct PartIn {
    /// The unit of the batch that contains it. Null, or `components`: the batch itself, if the order is not traced.
    parent_serial_key: Option<String>,
    /// Instead of `parent_serial_key`: the id of the unit (`Serial/…`) or of the batch (`Batch/…`).
    _from: Option<String>,
    /// The serial that is built in.
    child_serial_key: Option<String>,
    /// Instead of `child_serial_key`: the id of the serial (`Serial/…`).
    _to: Option<String>,
    /// The component of the bill of materials that it stands for: its product, also when left out.
    component_key: Option<ProductKey>,
    /// The phase; that of the batch.
    phase_key: Option<PhaseKey>,
    /// The job; that of the batch.
    job_key: Option<JobKey>,
    /// The order; that of the batch.
    wo_key: Option<WorkOrderKey>,
    /// The batch; the one in the path.
    batch_key: Option<BatchKey>,
    /// Always false: only the completed batch confirms links.
    #[serde(default)]
    confirmed: bool,
    /// Ignored.
    #[serde(rename = "_id")]
    _own_id: Option<Value>,
    /// Ignored.
    #[serde(rename = "_key")]
    _own_key: Option<Value>,
    /// Ignored.
    #[serde(rename = "_rev")]
    _own_rev: Option<Value>,
    /// Always 1.
    #[schemars(range(min = 1, max = 1))]
    #[serde(rename = "quantity")]
    _quantity: Option<i64>,
    /// Ignored.
    #[serde(rename = "replaced")]
    _replaced: Option<Value>,
    /// Ignored.
    #[serde(rename = "reason")]
    _reason: Option<Value>,
    /// Ignored.
    #[serde(rename = "linked")]
    _linked: Option<Value>,
    /// Ignored.
    #[serde(rename = "linked_by")]
    _linked_by: Option<Value>,
    /// Ignored.
    #[serde(rename = "unlinked")]
    _unlinked: Option<Value>,
    /// Ignored.
    #[serde(rename = "unlinked_by")]
    _unlinked_by: Option<Value>,
    /// Ignored.
    #[serde(rename = "movement_key")]
    _movement_key: Option<Value>,
}

/// What stands for the batch itself.
const BATCH_ITSELF: &str = "components";

/// The serial that an id or a bare key names.
fn serial_key(text: &str) -> Result<SerialKey> {
    let id = id_from_text(text.strip_prefix("Serial/").unwrap_or(text));
    id.map(SerialKey).ok_or_else(|| no_such_serial(text))
}

/// A key and an id, if both are sent, have to name the same.
fn must_be_one(name: &str, key: Option<&str>, id: Option<&str>, faults: &mut Faults) {
    let bare = |text: &str| text.split_once('/').map_or(text.to_owned(), |(_, key)| key.to_owned());
    if let (Some(key), Some(id)) = (key, id)
        && key != BATCH_ITSELF
        && bare(key) != bare(id)
    {
        faults.within(name, |faults| faults.add("value_error", "Names another serial than the key does.", &json!(id)));
    }
}

fn no_such_serial(key: &str) -> ApiError {
    ApiError::not_found(&format!("{} {key} was", Collection::Serial))
}

impl PartIn {
    /// Checks what it says about the batch, and reads whom it names.
    fn read(&self, batch: BatchKey, index: usize, faults: &mut Faults) -> Result<Option<SentPart>> {
        if self.confirmed {
            return Err(ApiError::forbidden("Only the completed batch confirms links."));
        }
        faults.within(index, |faults| {
            must_be_one("_from", self.parent_serial_key.as_deref(), self._from.as_deref(), faults);
            must_be_one("_to", self.child_serial_key.as_deref(), self._to.as_deref(), faults);
        });
        let from = self.parent_serial_key.as_deref().or(self._from.as_deref());
        let of_batch =
            from.and_then(|from| from.strip_prefix("Batch/")).map(|text| id_from_text(text).unwrap_or(NOBODY));
        if [self.batch_key, of_batch.map(BatchKey)].into_iter().flatten().any(|key| key != batch) {
            return Err(ApiError::forbidden("A link names another batch."));
        }
        let child = self.child_serial_key.as_deref().or(self._to.as_deref()).map(serial_key).transpose()?;
        let Some(child) = child else {
            let why = "A link needs child_serial_key.";
            faults.within(index, |faults| {
                faults.within("child_serial_key", |faults| faults.add("missing", why, &Value::Null));
            });
            return Ok(None);
        };
        let parent = from.filter(|from| *from != BATCH_ITSELF && of_batch.is_none()).map(serial_key).transpose()?;
        Ok(Some(SentPart {
            parent,
            child,
            component_key: self.component_key.clone(),
            wo_key: self.wo_key,
            phase_key: self.phase_key,
            job_key: self.job_key,
        }))
    }
}

/// That a unit, or a batch of an order that is not traced, contains a serial.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SerialLink")]
pub(super) struct LinkRecord {
    _id: String,
    _key: LinkKey,
    _rev: String,
    /// The id of the unit or the batch that contains it.
    _from: String,
    /// The id of the serial that is built in.
    _to: String,
    wo_key: Option<WorkOrderKey>,
    phase_key: Option<PhaseKey>,
    job_key: Option<JobKey>,
    batch_key: Option<BatchKey>,
    /// The component of the bill of materials that it stands for.
    component_key: ProductKey,
    /// Always 1.
    quantity: Quantity,
    /// False while it is temporary.
    confirmed: bool,
    /// Whether it has ended.
    replaced: bool,
    reason: Option<String>,
    linked: Option<Timestamp>,
    linked_by: Option<UserKey>,
    unlinked: Option<Timestamp>,
    unlinked_by: Option<UserKey>,
    /// The movement that took it out of stock.
    movement_key: Option<MovementKey>,
}

impl From<Link> for LinkRecord {
    fn from(link: Link) -> Self {
        let from = match link.parent() {
            Some(Parent::Serial(key)) => record_id(Collection::Serial, key),
            Some(Parent::Batch(key)) => record_id(Collection::Batch, key),
            None => String::new(),
        };
        Self {
            _id: record_id(Collection::Contains, link.key),
            _key: link.key,
            _rev: revision(link.rev),
            _from: from,
            _to: record_id(Collection::Serial, link.child_key),
            wo_key: link.wo_key,
            phase_key: link.phase_key,
            job_key: link.job_key,
            batch_key: link.batch_key,
            component_key: link.component_key,
            quantity: Quantity::ONE,
            confirmed: link.confirmed,
            replaced: link.replaced,
            reason: link.reason,
            linked: link.linked,
            linked_by: link.linked_by,
            unlinked: link.unlinked,
            unlinked_by: link.unlinked_by,
            movement_key: link.movement_key,
        }
    }
}

/// All temporary links of a batch.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "TemporaryLinks")]
pub(super) struct Parts(#[schemars(length(max = 100_000))] Vec<PartIn>);

pub(super) async fn put(
    cx: Cx,
    Path(path): Path<BatchPath>,
    Json(Parts(body)): Json<Parts>,
) -> Result<Done<Envelope<Vec<LinkRecord>>>> {
    let mut faults = Faults::at("body");
    let mut sent = Vec::with_capacity(body.len());
    for (index, part) in body.iter().enumerate() {
        sent.extend(part.read(path.batch_key, index, &mut faults)?);
    }
    ApiError::check(faults)?;
    let asking = cx.clone();
    cx.change("put temporary links", async move |tx: &mut Tx| write(tx, &asking, path.batch_key, &sent).await).await
}

/// Boxed, so that the compiler need not check all of it for `Send`.
fn write<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    batch: BatchKey,
    sent: &'a [SentPart],
) -> BoxFuture<'a, Result<Envelope<Vec<LinkRecord>>>> {
    Box::pin(async move {
        batches::find(tx, batch).await?.ok_or_else(not_found)?;
        let mut act = cx.act(tx, cx.now()).await?;
        let links = put_parts(&mut act, batch, sent).await.map_err(absent)?;
        envelope("Links saved.", links.into_iter().map(LinkRecord::from).collect())
    })
}

/// A serial that is not there is a 404 here, where no event names it.
fn absent(error: journal::Error) -> ApiError {
    match &error {
        journal::Error::Refused(refused) if refused.is::<RecordNotFoundError>() => {
            no_such_serial(refused.data["key"].as_str().unwrap_or_default())
        }
        _ => error.into(),
    }
}
