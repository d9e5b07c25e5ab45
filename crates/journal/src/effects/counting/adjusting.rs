//! The list of the movements by which a session corrects stock.

use std::collections::HashSet;

use domain::config::SYSTEM_COUNTERS;
use domain::counting::CountSession;
use domain::key::{CounterKey, MovementListKey};
use domain::rule::production::CounterCodeTaken;
use domain::serial::CODE_CHARS;
use domain::warehouse::movement::{ListStatus, MovementType, References};
use serde_json::Map;
use store::administration::config;
use store::administration::counters::{self, Drawn};
use store::warehouse::movement_lists::{self, MovementList};
use store::{Constraint, Tx};

use crate::act::Act;
use crate::{Error, Result};

/// The length of a day as text.
const DAY_CHARS: usize = 10;

/// Makes the list. It is closed to clients from the beginning.
pub(crate) async fn make_list(act: &mut Act<'_>, session: &CountSession) -> Result<MovementListKey> {
    let references = References { inventory_count_session_key: Some(session.key.to_string()), ..References::default() };
    let list = MovementList {
        key: MovementListKey(act.new_id()?),
        rev: 1,
        code: code(act, session).await?,
        kind: MovementType::Adjustment,
        status: ListStatus::Started,
        due_by: act.now.to_string().chars().take(DAY_CHARS).collect(),
        created: act.at,
        start_at: Some(act.at),
        end_at: None,
        closed: Some(act.at),
        notes: None,
        refers_to: references.filled(),
        extra: Map::new(),
    };
    movement_lists::insert(act.tx, &list).await.map_err(|error| match error.constraint() {
        // Somebody was first.
        Some(Constraint::MovementListCodeTaken) => error.run_again(),
        _ => error,
    })?;
    Ok(list.key)
}

/// The next code of the counter for lists; without one, that of the session.
async fn code(act: &mut Act<'_>, session: &CountSession) -> Result<String> {
    let slots = config::get(act.tx, SYSTEM_COUNTERS).await?.unwrap_or_default();
    let counter_key = slots["movement_lists"].as_str().and_then(|key| CounterKey::new(key).ok());
    let drawn = match &counter_key {
        Some(key) => counters::draw(act.tx, key, 1, act.now, taken_as_stored).await?,
        None => Drawn::NoCounter,
    };
    match drawn {
        Drawn::Codes(codes) => {
            let code = codes.into_iter().next().ok_or_else(|| Error::broken("a counter drew no code"))?;
            Ok(code.to_uppercase())
        }
        Drawn::NoCounter => code_of_session(act, session).await,
        Drawn::AllTaken => {
            Err(Error::rule(&CounterCodeTaken { counter_key }, "The next 1,000 codes of the counter are taken."))
        }
    }
}

/// Which of these codes are taken, as they are stored: in upper case.
async fn taken_as_stored(tx: &mut Tx, drawn: &[String]) -> store::Result<HashSet<String>> {
    let upper: Vec<String> = drawn.iter().map(|code| code.to_uppercase()).collect();
    let taken = movement_lists::taken_codes(tx, MovementType::Adjustment, &upper).await?;
    Ok(drawn.iter().zip(&upper).filter(|(_, upper)| taken.contains(*upper)).map(|(code, _)| code.clone()).collect())
}

/// The code of the session with `ADJ-` before it; with its key behind it, if a list has that code.
async fn code_of_session(act: &mut Act<'_>, session: &CountSession) -> Result<String> {
    let code = list_code(&session.code, "");
    let taken = movement_lists::taken_codes(act.tx, MovementType::Adjustment, std::slice::from_ref(&code)).await?;
    if taken.is_empty() { Ok(code) } else { Ok(list_code(&session.code, &format!("-{}", session.key))) }
}

/// At most as long as codes can be.
fn list_code(session: &str, ending: &str) -> String {
    let room = CODE_CHARS.saturating_sub(ending.chars().count());
    let begin: String = format!("ADJ-{session}").to_uppercase().chars().take(room).collect();
    begin.trim_end().to_owned() + &ending.to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_lists_are_never_too_long() {
        assert_eq!(list_code("Spring 26", ""), "ADJ-SPRING 26");
        assert_eq!(list_code("a", "-00abc"), "ADJ-A-00ABC");
        let long = list_code(&"ß".repeat(128), "-00abc");
        assert_eq!((long.chars().count(), long.ends_with("SS-00ABC")), (CODE_CHARS, true));
    }
}
