//! Codes of tasks: those that are sent, and those that the counter for tasks makes.

use std::collections::HashSet;

use domain::config::SYSTEM_COUNTERS;
use domain::fault::Faults;
use domain::key::CounterKey;
use domain::rule::collaboration::TaskNotCreated;
use domain::rule::production::{CounterCodeTaken, CounterNotDefinedError};
use domain::serial::code_of;
use serde_json::json;
use store::administration::config;
use store::administration::counters::{self, Drawn};
use store::collaboration::tasks;
use store::{Constraint, StoreError, Tx};

use super::tasks::not_created;
use crate::act::Act;
use crate::{Error, Result};

/// The code of a new task: the one that is sent, if no task has it, or the next of the counter.
pub(crate) async fn code(act: &mut Act<'_>, sent: Option<&str>) -> Result<String> {
    let Some(sent) = sent else { return draw(act).await };
    let code = code_of(sent).ok_or_else(|| not_a_code(sent))?;
    if !tasks::taken_codes(act.tx, std::slice::from_ref(&code)).await?.is_empty() {
        return Err(not_created(TaskNotCreated::CodeTaken, "Another task has the code."));
    }
    Ok(code)
}

fn not_a_code(sent: &str) -> Error {
    let mut faults = Faults::at("body");
    let why = "A code has 1 to 128 characters, without control characters.";
    faults.within("code", |faults| faults.add("value_error", why, &json!(sent)));
    Error::Invalid(faults.into_vec())
}

async fn draw(act: &mut Act<'_>) -> Result<String> {
    let slots = config::get(act.tx, SYSTEM_COUNTERS).await?.unwrap_or_default();
    let counter = slots["tasks"].as_str().and_then(|key| CounterKey::new(key).ok());
    let now = act.now;
    let drawn = match &counter {
        Some(key) => counters::draw(act.tx, key, 1, now, taken_as_stored).await?,
        None => Drawn::NoCounter,
    };
    let counter_key = counter.clone();
    match drawn {
        Drawn::Codes(codes) => {
            let code = codes.into_iter().next().ok_or_else(|| Error::broken("a counter drew no code"))?;
            Ok(code.to_uppercase())
        }
        Drawn::NoCounter => Err(Error::rule(
            &CounterNotDefinedError { counter_key, serial_keys: Vec::new() },
            "No counter makes codes for tasks.",
        )),
        Drawn::AllTaken => {
            Err(Error::rule(&CounterCodeTaken { counter_key }, "The next 1,000 codes of the counter are taken."))
        }
    }
}

/// Which of these codes are taken, as they are stored: in upper case.
async fn taken_as_stored(tx: &mut Tx, drawn: &[String]) -> store::Result<HashSet<String>> {
    let upper: Vec<String> = drawn.iter().map(|code| code.to_uppercase()).collect();
    let taken = tasks::taken_codes(tx, &upper).await?;
    Ok(drawn.iter().zip(&upper).filter(|(_, upper)| taken.contains(*upper)).map(|(code, _)| code.clone()).collect())
}

/// What came in between is seen when the event runs again: somebody chose the code, or removed the type, at the same time.
pub(crate) fn if_somebody_was_faster(error: StoreError) -> StoreError {
    match error.constraint() {
        Some(Constraint::TaskCodeTaken | Constraint::Reference) => error.run_again(),
        _ => error,
    }
}
