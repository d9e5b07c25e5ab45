//! Codes of serials: those that are given, and those that counters make.

use std::collections::HashSet;

use domain::key::{CounterKey, ProductId, SerialKey};
use domain::rule::production::{CounterCodeTaken, CounterNotDefinedError};
use domain::rule::serial::SerialCodeAlreadyPresent;
use store::Tx;
use store::administration::counters::{self, Drawn};
use store::serial::serials;

use crate::act::Act;
use crate::{Boxed, Error, Result};

/// How many codes or serials an error names.
pub(crate) const NAMED: usize = 1_000;

/// Checks that live serials of the product have none of these codes, and that none is there twice.
pub(crate) async fn must_be_free(act: &mut Act<'_>, product: ProductId, codes: &[String]) -> Result<()> {
    let taken = serials::taken_codes(act.tx, product, codes).await?;
    let mut seen = HashSet::with_capacity(codes.len());
    let (mut conflicts, mut told) = (0, HashSet::new());
    let mut named = Vec::new();
    for code in codes {
        if taken.contains(code) || !seen.insert(code) {
            conflicts += 1;
            if named.len() < NAMED && told.insert(code) {
                named.push(code.clone());
            }
        }
    }
    if conflicts == 0 {
        return Ok(());
    }
    let rule = SerialCodeAlreadyPresent { codes: named, conflict_count: conflicts };
    Err(Error::rule(&rule, "Serials of the product have these codes already, or a code is sent twice."))
}

/// Draws codes of a product from a counter, none of those beside them. The serials that need them are named where there is no
/// counter.
pub(crate) fn draw<'a>(
    act: &'a mut Act<'_>,
    product: ProductId,
    counter: Option<&'a CounterKey>,
    count: usize,
    serial_keys: &'a [SerialKey],
    beside: HashSet<String>,
) -> Boxed<'a, Vec<String>> {
    Box::pin(async move {
        let now = act.now;
        let taken = async move |tx: &mut Tx, drawn: &[String]| taken_as_stored(tx, product, drawn, &beside).await;
        let drawn = match counter {
            Some(key) => counters::draw(act.tx, key, count, now, taken).await?,
            None => Drawn::NoCounter,
        };
        let counter_key = counter.cloned();
        match drawn {
            Drawn::Codes(codes) => Ok(codes.into_iter().map(|code| code.to_uppercase()).collect()),
            Drawn::NoCounter => {
                let serial_keys = serial_keys.iter().take(NAMED).copied().collect();
                let rule = CounterNotDefinedError { counter_key, serial_keys };
                Err(Error::rule(&rule, "No counter makes codes for units of the product."))
            }
            Drawn::AllTaken => {
                Err(Error::rule(&CounterCodeTaken { counter_key }, "The next 1,000 codes of the counter are taken."))
            }
        }
    })
}

/// Which of these codes are taken, as they are stored: in upper case.
async fn taken_as_stored(
    tx: &mut Tx,
    product: ProductId,
    drawn: &[String],
    beside: &HashSet<String>,
) -> store::Result<HashSet<String>> {
    let upper: Vec<String> = drawn.iter().map(|code| code.to_uppercase()).collect();
    let mut taken = serials::taken_codes(tx, product, &upper).await?;
    taken.extend(beside.iter().cloned());
    Ok(drawn.iter().zip(&upper).filter(|(_, upper)| taken.contains(*upper)).map(|(code, _)| code.clone()).collect())
}
