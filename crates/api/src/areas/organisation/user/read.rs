use domain::collection::Collection;
use domain::key::DepartmentKey;
use domain::scope::unknown_words;
use schemars::JsonSchema;
use serde::Deserialize;
use store::organisation::accounts::{self, Wanted};
use store::{Paged, Tx};

use super::wire::{UserLine, UserRecord, line, record};
use crate::Result;
use crate::areas::paths::UserPath;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path, Query, Search};
use crate::reply::{Envelope, EnvelopeList, envelope, envelope_list};

#[derive(Deserialize, JsonSchema)]
pub(super) struct UsersQuery {
    /// Whether to leave out disabled users.
    #[serde(default = "yes")]
    active_only: bool,
    /// Case-insensitive substring of username, name, surname or email.
    #[serde(default)]
    search: Search,
    /// Only users of this department.
    department_key: Option<DepartmentKey>,
    /// Only users with this word in their scope.
    scope: Option<String>,
}

fn yes() -> bool {
    true
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<UsersQuery>,
    Paging(page): Paging<10_000>,
) -> Result<EnvelopeList<UserLine>> {
    let wanted = Wanted {
        active_only: query.active_only,
        search: query.search.pattern(),
        department: query.department_key,
        scope: query.scope,
    };
    let now = cx.now();
    let one_word = |word: &String| !word.contains(char::is_whitespace) && unknown_words(word).is_empty();
    let found = if wanted.scope.as_ref().is_none_or(one_word) {
        cx.db.read_long(async move |tx: &mut Tx| accounts::list(tx, &wanted, now, &page).await).await?
    } else {
        // Nobody has an unknown scope.
        Paged { rows: Vec::new(), total: page.count.then_some(0) }
    };
    let lines = found.rows.into_iter().map(|user| line(user, &cx.caller)).collect();
    envelope_list("Users listed.", lines, found.total)
}

pub(super) async fn one(cx: Cx, Path(path): Path<UserPath>) -> Result<Envelope<UserRecord>> {
    let now = cx.now();
    let user = cx.db.glance(async |tx: &mut Tx| accounts::find(tx, &path.user_key, now).await).await?;
    let user = user.ok_or_else(|| ApiError::missing(Collection::User))?;
    envelope("User found.", record(user, &cx.caller))
}
