//! The column of tags: their names, and how they change products.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

use domain::collection::Collection;
use domain::key::{ProductKey, TagKey};
use store::Tx;
use store::tags::{self, Tag, Tagged};

use super::super::columns::CLEARS;
use crate::Result;
use crate::cx::Cx;

/// Maximum number of tags that a cell may give a product.
const MOST_TAGS: usize = 1_000;

/// The names in a cell, each once.
pub(super) fn read_tags(cell: &str) -> Result<Vec<String>, String> {
    if cell == CLEARS {
        return Ok(Vec::new());
    }
    let mut names: Vec<&str> =
        cell.split('|').map(str::trim).filter(|name| !name.is_empty()).take(MOST_TAGS + 1).collect();
    if names.len() > MOST_TAGS {
        return Err(format!("At most {MOST_TAGS} tags."));
    }
    if names.iter().any(|name| name.chars().count() > 64) {
        return Err("The name of a tag has at most 64 characters.".to_owned());
    }
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(*name));
    Ok(names.into_iter().map(str::to_owned).collect())
}

/// Whether a cell that shows tags has these, in any order.
pub(super) fn are_same(wanted: &[String], shown: &str) -> bool {
    let shown: HashSet<&str> = shown.split('|').map(str::trim).filter(|name| !name.is_empty()).collect();
    wanted.len() == shown.len() && wanted.iter().all(|name| shown.contains(name.as_str()))
}

/// Replaces the tags of products; creates unknown ones.
pub(super) async fn write_tags(tx: &mut Tx, cx: &Cx, wanted: &[(ProductKey, Vec<String>)]) -> Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    let keys: Vec<String> = wanted.iter().map(|(product, _)| product.to_string()).collect();
    let mut present: HashMap<String, Vec<Tag>> = HashMap::new();
    for tagged in tags::of_records(tx, Collection::Product, &keys).await? {
        present.entry(tagged.record_key).or_default().push(tagged.tag);
    }
    let by_name = tags_by_name(tx, cx, wanted).await?;
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    for (product, names) in wanted {
        let present = present.remove(product.as_str()).unwrap_or_default();
        let on = |key: &TagKey| (key.clone(), Tagged { collection: Collection::Product, key: product.to_string() });
        let missing = names.iter().filter(|name| !present.iter().any(|tag| tag.name == **name));
        added.extend(missing.filter_map(|name| by_name.get(name)).map(on));
        removed.extend(present.iter().filter(|tag| !names.contains(&tag.name)).map(|tag| on(&tag.key)));
    }
    tags::connect(tx, &added).await?;
    tags::disconnect(tx, &removed).await?;
    Ok(())
}

/// A tag for each name; if several have the name, the first.
async fn tags_by_name(tx: &mut Tx, cx: &Cx, wanted: &[(ProductKey, Vec<String>)]) -> Result<HashMap<String, TagKey>> {
    let names: BTreeSet<&String> = wanted.iter().flat_map(|(_, names)| names).collect();
    let names: Vec<String> = names.into_iter().cloned().collect();
    let mut keys: HashMap<String, TagKey> = HashMap::new();
    for (key, name) in tags::named(tx, &names).await? {
        keys.entry(name).or_insert(key);
    }
    let mut made = Vec::new();
    for name in names {
        if let Entry::Vacant(place) = keys.entry(name.clone()) {
            let tag = Tag { key: TagKey::trusted(cx.new_key()?), rev: 1, name, description: None, color: None };
            place.insert(tag.key.clone());
            made.push(tag);
        }
    }
    tags::insert_all(tx, &made).await?;
    Ok(keys)
}
