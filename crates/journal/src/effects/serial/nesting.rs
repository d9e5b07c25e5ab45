//! Whether serials can be built into others, for many links at once.

use std::collections::{HashMap, HashSet};

use domain::key::SerialKey;
use domain::rule::serial::{NotLinked, SerialNotLinkedError};
use domain::serial::{Serial, way_up};
use store::serial::{links, serials};

use super::linking::refused;
use crate::act::Act;
use crate::{Error, Result};

/// No chain of units is deeper.
const MOST_LEVELS: i64 = 200;

/// What contains the parents of future links, and what their children contain.
pub(crate) struct Nesting {
    /// What contains each serial, over links that had not ended at the moment of the event.
    above: HashMap<SerialKey, Vec<SerialKey>>,
    /// How many levels of active links there are above each parent.
    levels_above: HashMap<SerialKey, i64>,
    /// How many there are below each child.
    levels_below: HashMap<SerialKey, i64>,
    /// The children that are in production.
    busy: HashSet<SerialKey>,
}

impl Nesting {
    /// Loads what is known of these children and the parents that they are to have.
    pub(crate) async fn load(act: &mut Act<'_>, pairs: &[(SerialKey, Option<SerialKey>)]) -> Result<Self> {
        let (at, children) = (act.at, ids(pairs.iter().map(|(child, _)| *child)));
        let parents = ids(pairs.iter().filter_map(|(_, parent)| *parent));
        // What a batch contains can't close a loop, and what it contains is as deep as before.
        let nested = ids(pairs.iter().filter(|(_, parent)| parent.is_some()).map(|(child, _)| *child));
        Ok(Self {
            above: links::above_all(act.tx, &parents, at).await?,
            levels_above: links::levels_above(act.tx, &parents).await?,
            levels_below: links::levels_below(act.tx, &nested).await?,
            busy: serials::in_production(act.tx, &children).await?,
        })
    }

    /// Checks that the child can become a part of the parent at the moment of the event, apart from the link it may have.
    pub(crate) async fn must_fit(&self, act: &mut Act<'_>, child: &Serial, parent: Option<&Serial>) -> Result<()> {
        if let Some(parent) = parent {
            self.refuse_loop(act, child, parent).await?;
            let levels = |of: &HashMap<SerialKey, i64>, key: SerialKey| of.get(&key).copied().unwrap_or_default();
            if levels(&self.levels_above, parent.key) + levels(&self.levels_below, child.key) + 1 > MOST_LEVELS {
                return Err(refused(NotLinked::TooDeep, "Units would be nested more than 200 levels deep."));
            }
        }
        let created = parent.map_or(child.created, |parent| parent.created.max(child.created));
        if act.at < created {
            return Err(Error::timestamp("The unit was created later.", Some(created)));
        }
        if self.busy.contains(&child.key) {
            return Err(refused(NotLinked::InProduction, "The serial is in production."));
        }
        Ok(())
    }

    async fn refuse_loop(&self, act: &mut Act<'_>, child: &Serial, parent: &Serial) -> Result<()> {
        let Some(mut round) = way_up(&self.above, parent.key, child.key) else { return Ok(()) };
        round.reverse();
        round.push(child.key);
        let ids: Vec<i64> = round.iter().map(|key| key.0).collect();
        let found = serials::views_of(act.tx, &ids).await?;
        let code = |key: &SerialKey| {
            found.iter().find(|view| view.serial.key == *key).and_then(|view| view.serial.code.clone())
        };
        let loop_codes = round.iter().map(code).collect();
        let rule = SerialNotLinkedError {
            rule: NotLinked::Loop,
            parent_serial_key: None,
            batch_key: None,
            index: None,
            round,
            loop_codes,
        };
        Err(Error::rule(&rule, "The unit would be a part of itself."))
    }
}

/// Each once.
fn ids(keys: impl Iterator<Item = SerialKey>) -> Vec<i64> {
    keys.map(|key| key.0).collect::<HashSet<_>>().into_iter().collect()
}
