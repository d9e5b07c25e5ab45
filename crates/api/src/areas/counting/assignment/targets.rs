//! What assignments name: users, and positions or products.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use domain::ErrorData;
use domain::collection::Collection;
use domain::counting::{AssignmentStatus, CountAssignment, CountSession, CountType};
use domain::key::{CountAssignmentKey, PositionKey, ProductId, UserKey};
use domain::rule::warehouse::RowFault;
use domain::warehouse::movement::is_beyond;
use serde_json::{Map, Value};
use store::product::products;
use store::warehouse::positions;
use store::{Tx, entities};

use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;

/// Whom and what assignments name, as far as there is such a thing.
pub(in crate::areas::counting) struct Named {
    kind: CountType,
    users: HashSet<UserKey>,
    targets: HashMap<String, Target>,
}

#[derive(Debug, Clone)]
pub(in crate::areas::counting) enum Target {
    Product(ProductId),
    Position(PositionKey),
}

impl Named {
    pub(in crate::areas::counting) async fn load(
        tx: &mut Tx,
        kind: CountType,
        users: &BTreeSet<&UserKey>,
        targets: &BTreeSet<&str>,
    ) -> Result<Self> {
        let mut found = HashSet::new();
        for user in users {
            if entities::exists(tx, Collection::User, user.as_str()).await? {
                found.insert(UserKey::clone(user));
            }
        }
        let keys: Vec<String> = targets.iter().map(|key| (*key).to_owned()).collect();
        let targets = match kind {
            CountType::Product => of_products(tx, &keys).await?,
            CountType::Position => of_positions(tx, &keys).await?,
        };
        Ok(Self { kind, users: found, targets })
    }

    /// Whether there is such a user; nobody in particular is fine.
    pub(in crate::areas::counting) fn has_user(&self, user: Option<&UserKey>) -> bool {
        user.is_none_or(|user| self.users.contains(user))
    }

    pub(in crate::areas::counting) fn target(&self, key: &str) -> Option<&Target> {
        self.targets.get(key)
    }

    /// What is wrong with a target that is not there.
    pub(in crate::areas::counting) fn unknown(&self) -> &'static str {
        match self.kind {
            CountType::Product => "There is no such product.",
            CountType::Position => "There is no such position, or nothing can lie there.",
        }
    }
}

async fn of_products(tx: &mut Tx, keys: &[String]) -> Result<HashMap<String, Target>> {
    let found = products::find_all(tx, keys).await?.into_iter().filter(|product| !product.trash);
    Ok(found.map(|product| (product.key.to_string(), Target::Product(product.id))).collect())
}

async fn of_positions(tx: &mut Tx, keys: &[String]) -> Result<HashMap<String, Target>> {
    let found = positions::which_exist(tx, keys).await?.into_iter().filter(|key| !is_beyond(key));
    Ok(found.map(|key| (key.to_string(), Target::Position(key))).collect())
}

/// An assignment to be planned.
pub(in crate::areas::counting) struct NewAssignment<'a> {
    pub(in crate::areas::counting) target: &'a Target,
    pub(in crate::areas::counting) assigned_to: Option<&'a UserKey>,
    pub(in crate::areas::counting) include_children: bool,
    pub(in crate::areas::counting) notes: Option<&'a str>,
    pub(in crate::areas::counting) extra: &'a Map<String, Value>,
}

pub(in crate::areas::counting) fn planned(
    cx: &Cx,
    session: &CountSession,
    new: NewAssignment<'_>,
) -> Result<CountAssignment> {
    let (product_id, position_key) = match new.target {
        Target::Product(id) => (Some(*id), None),
        Target::Position(key) => (None, Some(key.clone())),
    };
    Ok(CountAssignment {
        key: CountAssignmentKey(cx.new_id()?),
        rev: 1,
        session_key: session.key,
        target_type: session.kind,
        product_id,
        position_key,
        assigned_to: new.assigned_to.cloned(),
        include_children: new.include_children,
        status: AssignmentStatus::Planned,
        created: cx.now(),
        created_by: cx.caller.user_key.clone(),
        started: None,
        completed: None,
        notes: new.notes.map(str::to_owned),
        extra: new.extra.clone(),
    })
}

/// All that is wrong with a list of assignments.
#[derive(Default)]
pub(in crate::areas::counting) struct TargetFaults(Vec<RowFault>);

impl TargetFaults {
    pub(in crate::areas::counting) fn add(
        &mut self,
        row: usize,
        field: impl Into<Cow<'static, str>>,
        message: &'static str,
    ) {
        self.0.push(RowFault { row, field: field.into().into_owned(), message: message.to_owned() });
    }

    /// 400 if there are any.
    pub(in crate::areas::counting) fn none(self) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let data = ErrorData { errors: Some(self.0), ..ErrorData::default() };
        Err(ApiError::bad_request_with("Some assignments are wrong; nothing was changed.", &data))
    }
}
