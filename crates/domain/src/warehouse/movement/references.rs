//! What movements name: positions, orders, documents and partners.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::key::{BatchKey, JobKey, MovementKey, PositionKey, WorkOrderKey};

macro_rules! references {
    ($(#[$doc:meta])+ $name:ident { $($(#[$member_doc:meta])+ $member:ident,)+ }) => {
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        $(#[$doc])+
        pub struct $name {
            $(
                $(#[$member_doc])+
                #[serde(skip_serializing_if = "Option::is_none")]
                #[schemars(length(max = 256))]
                pub $member: Option<String>,
            )+
        }

        impl $name {
            /// These, and the others where these say nothing.
            #[must_use]
            pub fn or(self, others: &Self) -> Self {
                Self { $($member: self.$member.or_else(|| others.$member.clone()),)+ }
            }

            /// None if nothing is said.
            pub fn filled(self) -> Option<Self> {
                (self != Self::default()).then_some(self)
            }
        }
    };
}

references! {
    /// What a movement belongs to.
    #[schemars(rename = "MovementReferences")]
    References {
        /// A work order.
        work_order_key,
        /// A job.
        job_key,
        /// A batch.
        batch_key,
        /// Of a reversal: the movement that it takes back.
        origin_movement_key,
        /// The document of a transfer.
        transfer_doc,
        /// The document of a sale.
        sales_doc,
        /// The document of a purchase.
        purchase_doc,
        /// The name of a customer or supplier.
        partner_name,
        /// The code of a customer or supplier.
        partner_code,
        /// Of a correction after a count: the counting session.
        inventory_count_session_key,
        /// Of a correction after a count: the record of the count.
        inventory_count_record_key,
    }
}

impl References {
    /// What the service knows itself, and what people said besides; none if nothing is said.
    pub fn of(
        order: Option<WorkOrderKey>,
        job: Option<JobKey>,
        batch: Option<BatchKey>,
        origin: Option<MovementKey>,
        said: Option<&Self>,
    ) -> Option<Self> {
        let known = Self {
            work_order_key: order.map(|key| key.to_string()),
            job_key: job.map(|key| key.to_string()),
            batch_key: batch.map(|key| key.to_string()),
            origin_movement_key: origin.map(|key| key.to_string()),
            ..Self::default()
        };
        match said {
            Some(said) => known.or(said).filled(),
            None => known.filled(),
        }
    }
}

references! {
    /// What a movement belongs to, as people say it. The service adds what it knows itself.
    #[schemars(rename = "SentMovementReferences")]
    SentReferences {
        /// A work order. `work_order_search` and the filters of events find only movements that production itself made.
        work_order_key,
        /// A job.
        job_key,
        /// A batch.
        batch_key,
        /// The document of a transfer.
        transfer_doc,
        /// The document of a sale.
        sales_doc,
        /// The document of a purchase.
        purchase_doc,
        /// The name of a customer or supplier.
        partner_name,
        /// The code of a customer or supplier.
        partner_code,
    }
}

impl From<SentReferences> for References {
    fn from(sent: SentReferences) -> Self {
        Self {
            work_order_key: sent.work_order_key,
            job_key: sent.job_key,
            batch_key: sent.batch_key,
            transfer_doc: sent.transfer_doc,
            sales_doc: sent.sales_doc,
            purchase_doc: sent.purchase_doc,
            partner_name: sent.partner_name,
            partner_code: sent.partner_code,
            ..Self::default()
        }
    }
}

/// A position as a movement names it: by its key or by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PositionRef(pub PositionKey);

impl<'de> Deserialize<'de> for PositionRef {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        PositionKey::new(text.strip_prefix("Position/").unwrap_or(&text)).map(Self).map_err(D::Error::custom)
    }
}

impl JsonSchema for PositionRef {
    fn schema_name() -> Cow<'static, str> {
        "PositionRef".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^(Position/)?[A-Za-z0-9_.:@()+,=;$!*'%-]{1,64}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_named_by_key_or_id() {
        for text in ["\"A1\"", "\"Position/A1\""] {
            assert_eq!(serde_json::from_str::<PositionRef>(text).unwrap(), PositionRef(PositionKey::trusted("A1")));
        }
        assert!(serde_json::from_str::<PositionRef>("\"Product/A1\"").is_err());
    }

    #[test]
    fn own_references_win() {
        let own = References { sales_doc: Some("a".to_owned()), ..References::default() };
        let list = References { sales_doc: Some("b".to_owned()), partner_code: Some("c".to_owned()), ..own.clone() };
        let both = own.clone().or(&list);
        assert_eq!((both.sales_doc.as_deref(), both.partner_code.as_deref()), (Some("a"), Some("c")));
        assert_eq!((own.clone().filled(), References::default().filled()), (Some(own), None));
        assert!(serde_json::from_str::<SentReferences>(r#"{"origin_movement_key": "x"}"#).is_err());
    }
}
