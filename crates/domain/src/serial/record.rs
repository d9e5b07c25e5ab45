use super::{SerialState, SerialValue, Standing};
use crate::Timestamp;
use crate::key::{CounterKey, ProductId, ProductKey, SerialKey, UserKey, WorkOrderKey};

/// A unit that is traced by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Serial {
    pub key: SerialKey,
    pub rev: i64,
    /// Upper-cased; unique among the live serials of its product.
    pub code: Option<String>,
    pub product_id: ProductId,
    pub product_key: ProductKey,
    /// The order that makes it; none for goods received.
    pub wo_key: Option<WorkOrderKey>,
    pub counter_key: Option<CounterKey>,
    pub created: Timestamp,
    pub created_by: UserKey,
    /// None while it is in production.
    pub released: Option<Timestamp>,
    pub released_by: Option<UserKey>,
    pub scrapped: Option<Timestamp>,
    pub scrapped_by: Option<UserKey>,
    pub scrap_reason: Option<String>,
    pub deleted: Option<Timestamp>,
    pub deleted_by: Option<UserKey>,
    pub data: Vec<SerialValue>,
}

impl Serial {
    /// Its state, given what other records say of it.
    pub fn state(&self, standing: Standing) -> SerialState {
        SerialState::of(self.deleted, self.scrapped, self.released, self.code.is_some(), standing)
    }
}
