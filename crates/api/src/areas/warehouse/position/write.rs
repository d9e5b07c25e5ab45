use domain::key::{PositionKey, PositionLinkKey};
use domain::warehouse::is_reserved;
use domain::{ErrorData, Timestamp};
use store::administration::counters::{self, Drawn};
use store::warehouse::contents;
use store::warehouse::links::{self, PositionLink};
use store::warehouse::positions::{self, Position};
use store::{Constraint, Lock, Tx};

use super::check::check_parent;
use super::wire::{NewPosition, PositionChange, PositionRecord, record};
use super::{PositionPath, not_found};
use crate::Result;
use crate::areas::codes::{counter_of, drawn_code};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, KeyedJson, Path};
use crate::reply::{Done, Envelope, envelope};

pub(super) async fn create(cx: Cx, Json(body): Json<NewPosition>) -> Result<Done<Envelope<PositionRecord>>> {
    let key = body._key.clone().map_or_else(|| cx.new_key().map(PositionKey::trusted), Ok)?;
    let (link_key, now) = (PositionLinkKey(cx.new_id()?), cx.now());
    let created = cx.change("create position", async move |tx: &mut Tx| {
        tx.lock(Lock::Positions).await?;
        let parent = &body.parent_position_key;
        check_parent(tx, parent, None).await?;
        let code = match &body.code {
            Some(code) => code.0.clone(),
            None => draw(tx, now).await?,
        };
        let position = Position {
            key: key.clone(),
            rev: 1,
            data: body.data(code),
            created: now,
            updated: now,
            deleted: false,
            parent_key: Some(parent.clone()),
        };
        positions::insert(tx, &position).await?;
        let link = PositionLink { key: link_key, rev: 1, child_key: key.clone(), parent_key: parent.clone() };
        links::insert_all(tx, &[link]).await?;
        envelope("Position created.", record(tx, position).await?)
    });
    created.await.map_err(taken)
}

/// Draws the next code from the counter for positions.
async fn draw(tx: &mut Tx, now: Timestamp) -> Result<String> {
    let counter_key = counter_of(tx, "positions").await?;
    let drawn = match &counter_key {
        Some(key) => counters::draw(tx, key, 1, now, positions::taken_codes).await?,
        None => Drawn::NoCounter,
    };
    drawn_code(drawn, counter_key, "No counter makes codes for positions.")
}

pub(super) async fn change(
    cx: Cx,
    Path(path): Path<PositionPath>,
    KeyedJson(body): KeyedJson<PositionChange>,
) -> Result<Done<Envelope<PositionRecord>>> {
    let (asking, now) = (cx.clone(), cx.now());
    let changed = cx.change("change position", async move |tx: &mut Tx| {
        let mut position = load(tx, &asking, &path.position_key).await?;
        if is_reserved(&position.key) && !body.suits_reserved() {
            return Err(ApiError::bad_request("Of a reserved position, only code and extra can be changed."));
        }
        if let Some(parent) = &body.parent_position_key.0
            && position.parent_key.as_ref() != Some(parent)
        {
            check_parent(tx, parent, Some(&position.key)).await?;
            links::change_all(tx, &[(position.key.clone(), parent.clone())]).await?;
            position.parent_key = Some(parent.clone());
        }
        body.clone().apply(&mut position.data);
        position.rev += 1;
        position.updated = now;
        positions::update(tx, &position).await?;
        envelope("Position changed.", record(tx, position).await?)
    });
    changed.await.map_err(taken)
}

pub(super) async fn remove(cx: Cx, Path(path): Path<PositionPath>) -> Result<Done<Envelope<()>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("delete position", async move |tx: &mut Tx| {
        let position = load(tx, &asking, &path.position_key).await?;
        if is_reserved(&position.key) {
            return Err(ApiError::bad_request("A reserved position can't be deleted."));
        }
        let child_positions = links::children(tx, &position.key).await?;
        let stock_rows = contents::stock_rows(tx, &position.key).await?;
        let counts = contents::busy_pairs(tx, &position.key).await?;
        if child_positions + stock_rows + counts > 0 {
            let data = ErrorData {
                child_positions: Some(child_positions),
                stock_rows: Some(stock_rows),
                counts: Some(counts),
                ..ErrorData::default()
            };
            return Err(ApiError::bad_request_with("The position is in use.", &data));
        }
        links::remove(tx, &position.key).await?;
        positions::delete(tx, &position.key, now).await?;
        envelope("Position deleted.", ())
    })
    .await
}

/// Locks the tree and a position to be changed.
async fn load(tx: &mut Tx, cx: &Cx, key: &PositionKey) -> Result<Position> {
    tx.lock(Lock::Positions).await?;
    let position = positions::lock(tx, key).await?.ok_or_else(not_found)?;
    cx.check_revision(Some(position.rev))?;
    Ok(position)
}

/// Turns a violated database constraint into an error for the client.
fn taken(error: ApiError) -> ApiError {
    match error.constraint() {
        Some(Constraint::PositionCodeTaken) => ApiError::conflict("Another position has this code."),
        _ => error.or_key_taken(),
    }
}
