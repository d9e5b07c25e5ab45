use std::collections::BTreeMap;

use domain::scope::{Rights, Scope, coarse_scopes};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Result;
use crate::cx::Cx;
use crate::reply::{Envelope, envelope};

type Names = Vec<&'static str>;

#[derive(Serialize, JsonSchema)]
pub(super) struct Scopes {
    /// What each coarse scope includes.
    coarse: BTreeMap<&'static str, Coarse>,
    /// What every signed-in user has.
    base: Names,
    /// Every fine-grained scope.
    all: Names,
    /// What the caller has.
    mine: Names,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CoarseScope")]
struct Coarse {
    description: &'static str,
    scopes: Names,
}

pub(super) async fn list(cx: Cx) -> Result<Envelope<Scopes>> {
    let coarse = coarse_scopes()
        .map(|(name, description, rights)| (name, Coarse { description, scopes: rights.names() }))
        .collect();
    let all = Scope::all().map(Scope::name).collect();
    let scopes = Scopes { coarse, base: Rights::base().names(), all, mine: cx.caller.rights.names() };
    envelope("Scopes listed.", scopes)
}
