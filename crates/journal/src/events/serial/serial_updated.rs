use domain::config::ALLOW_SERIAL_CODE_EDIT;
use domain::fault::Faults;
use domain::key::{PhaseKey, SerialKey};
use domain::rule::serial::{NotUpdated, SerialNotUpdatedError};
use domain::serial::{Serial, code_of};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::administration::config;
use store::serial::serials;
use store::warehouse::stock;

use crate::act::Act;
use crate::effects::serial::codes::must_be_free;
use crate::effects::serial::data::{self, SentData};
use crate::effects::serial::naming::{concerns, lock};
use crate::effects::serial::rights::CORRECT;
use crate::event::made::serial::SerialChanged;
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;
use crate::{Error, Result};

/// A unit gets a code or other field values, or its release or scrap is taken back.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SerialUpdated {
    /// The serial.
    serial_key: SerialKey,
    /// Its new code; null is as if it were left out.
    #[schemars(length(min = 1, max = 256))]
    serial_code: Option<String>,
    /// Values of its fields; others stay.
    #[serde(default)]
    serial_data: Vec<SentData>,
    /// The phases whose values are emptied.
    #[serde(default)]
    remove_data_from_phases: Vec<PhaseKey>,
    /// Takes its release back.
    #[serde(default)]
    unrelease: bool,
    /// Takes its scrap back; stock is put back by hand.
    #[serde(default)]
    unscrap: bool,
}

impl Postable for SerialUpdated {
    const TYPE: ClientEvent = ClientEvent::SerialUpdated;
    const LOCKS: Locks = &[("serial_key", Lockable::Unit)];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let before = lock(act, "serial_key", self.serial_key).await?;
        act.concern(concerns(std::slice::from_ref(&before))).await?;
        self.must_be_allowed(act, &before)?;
        let mut serial = before.clone();
        self.take_back(act, &mut serial).await?;
        if let Some(code) = &self.serial_code {
            set_code(act, &mut serial, code).await?;
        }
        let fields = data::fields_with_files(act, &serial, &self.serial_data).await?;
        let mut previous = data::set(act, &mut serial, &self.serial_data, &fields)?;
        previous.extend(data::remove_of_phases(act, &mut serial, &self.remove_data_from_phases));
        if serial == before {
            return Err(refused(NotUpdated::NothingToChange, "The event changes nothing."));
        }
        serials::save(act.tx, &before, &mut serial, &fields.kinds).await?;
        let previous_code = before.code.filter(|code| serial.code.as_ref() != Some(code));
        act.note(&SerialChanged { previous, previous_code })?;
        Ok(Outcome(vec![
            ("serial_key", OutcomeMember::Json(json!(serial.key))),
            ("code", OutcomeMember::Json(json!(serial.code))),
        ]))
    }
}

fn refused(rule: NotUpdated, message: &'static str) -> Error {
    Error::rule(&SerialNotUpdatedError { rule }, message)
}

impl SerialUpdated {
    /// What is finished is corrected by those who may.
    fn must_be_allowed(&self, act: &mut Act<'_>, serial: &Serial) -> Result<()> {
        let finished = serial.released.is_some() && !self.serial_data.is_empty();
        if finished || self.unrelease || self.unscrap || !self.remove_data_from_phases.is_empty() {
            act.must_have(CORRECT)?;
        }
        Ok(())
    }

    async fn take_back(&self, act: &mut Act<'_>, serial: &mut Serial) -> Result<()> {
        if self.unscrap {
            if serial.scrapped.is_none() {
                return Err(refused(NotUpdated::NotScrapped, "The serial was not scrapped."));
            }
            (serial.scrapped, serial.scrapped_by, serial.scrap_reason) = (None, None, None);
        }
        if serial.scrapped.is_some() {
            return Err(refused(NotUpdated::Scrapped, "The serial was scrapped."));
        }
        if !self.unrelease {
            return Ok(());
        }
        if serial.released.is_none() {
            return Err(refused(NotUpdated::NotReleased, "The serial was not released."));
        }
        if !serials::used(act.tx, &[serial.key.0]).await?.is_empty() {
            return Err(refused(NotUpdated::InUse, "Another unit contains the serial."));
        }
        if !stock::of_serials(act.tx, &[serial.key.0]).await?.is_empty() {
            return Err(refused(NotUpdated::InUse, "The serial is in stock."));
        }
        (serial.released, serial.released_by) = (None, None);
        Ok(())
    }
}

async fn set_code(act: &mut Act<'_>, serial: &mut Serial, sent: &str) -> Result<()> {
    let Some(code) = code_of(sent) else {
        let mut faults = Faults::at("body");
        let why = "A code has 1 to 128 characters, without control characters.";
        faults.within("serial_code", |faults| faults.add("value_error", why, &json!(sent)));
        return Error::check(faults);
    };
    if serial.code.as_ref() == Some(&code) {
        return Ok(());
    }
    if serial.code.is_some() {
        let allowed = config::get(act.tx, ALLOW_SERIAL_CODE_EDIT).await?.and_then(|entry| entry.as_bool());
        if allowed == Some(false) {
            return Err(refused(NotUpdated::CodeEditNotAllowed, "The serial has a code, which can't be changed."));
        }
    }
    must_be_free(act, serial.product_id, std::slice::from_ref(&code)).await?;
    serial.code = Some(code);
    Ok(())
}
