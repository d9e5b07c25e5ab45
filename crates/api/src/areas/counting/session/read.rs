use std::collections::BTreeMap;

use domain::counting::{CountSession, CountType, SessionStatus};
use domain::key::{CountSessionKey, PositionKey};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::counting::sessions::{self, Wanted};
use store::counting::{assignments, marks, records};

use super::wire::{self, Full, SessionRecord, record};
use super::{SessionPath, not_found};
use crate::Result;
use crate::areas::counting::assignment::{AssignedTarget, assigned_target};
use crate::areas::filters::wildcard;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path, Query};
use crate::reply::{Bare, Listed};

/// Filters for counting sessions; all conditions combine.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Filters {
    /// Wildcard pattern for the code: `*` is any run of characters, `?` one character.
    search: Option<String>,
    /// Only sessions in these statuses.
    #[serde(default)]
    status: Vec<SessionStatus>,
    /// Only sessions with targets of this type.
    #[serde(rename = "type")]
    kind: Option<CountType>,
}

pub(super) async fn list(
    cx: Cx,
    Query(filters): Query<Filters>,
    Paging(page): Paging<500>,
) -> Result<Listed<SessionRecord>> {
    let wanted = Wanted { search: wildcard(filters.search), statuses: filters.status, kind: filters.kind };
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = sessions::list(tx, &wanted, &page).await?;
            Ok::<_, ApiError>(Listed { rows: wire::records(tx, found.rows).await?, total: found.total })
        })
        .await
}

pub(super) async fn one(cx: Cx, Path(path): Path<SessionPath>) -> Result<Bare<Full>> {
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let session = find(tx, path.session_key).await?;
            let coverage = sessions::coverage(tx, &session).await?;
            let mut targets: BTreeMap<String, Vec<AssignedTarget>> = BTreeMap::new();
            for assignment in assignments::views_of_session(tx, session.key).await? {
                let user = assignment.assigned_to.as_ref().map(ToString::to_string).unwrap_or_default();
                targets.entry(user).or_default().push(assigned_target(assignment));
            }
            Ok::<_, ApiError>(Bare(Full { session: record(session, coverage), assignments: targets }))
        })
        .await
}

pub(super) async fn processed(cx: Cx, Path(path): Path<SessionPath>) -> Result<Bare<i64>> {
    cx.read(async move |tx: &mut Tx| {
        let session = find(tx, path.session_key).await?;
        Ok(Bare(records::processed(tx, session.key).await?))
    })
    .await
}

pub(super) async fn completed(cx: Cx, Path(path): Path<SessionPath>) -> Result<Bare<Vec<PositionKey>>> {
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let session = find(tx, path.session_key).await?;
            Ok::<_, ApiError>(Bare(marks::completed(tx, session.key).await?))
        })
        .await
}

async fn find(tx: &mut Tx, key: CountSessionKey) -> Result<CountSession> {
    sessions::find(tx, key).await?.ok_or_else(not_found)
}
