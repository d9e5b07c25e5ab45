//! Positions from tables: what each row becomes, and how all of them are written.

use std::collections::{HashMap, HashSet};

use domain::key::{PositionKey, PositionLinkKey};
use domain::text::fold;
use domain::warehouse::{NOWHERE, PositionData, PositionTree, Trouble, is_reserved};
use schemars::JsonSchema;
use serde::Serialize;
use store::warehouse::links::{self, Move, PositionLink};
use store::warehouse::positions::{self, Position};
use store::{Lock, Tx};

use super::inside;
use crate::Result;
use crate::cx::Cx;
use crate::import::{self, Columns, Faults, Form, Import, Imported, Importer, Modes, Row, RowFaults};
use crate::input::Upload;

pub(super) async fn run(cx: Cx, upload: Upload<Form<Positions>>) -> Result<Imported<Positions>> {
    import::run(cx, Positions, upload).await
}

pub(super) struct Positions;

const CODE: &str = "code";
const PARENT: &str = "parent_code";
const OWNED: &str = "owned";
const AVAILABLE: &str = "available";
const FIXED: &str = "fixed";
const DISPOSABLE: &str = "disposable";
const ALLOW_CONSUMPTION: &str = "allow_consumption";

/// The columns, in the order of the table.
pub(super) const NAMES: [&str; 7] = [CODE, PARENT, OWNED, AVAILABLE, FIXED, DISPOSABLE, ALLOW_CONSUMPTION];

const CREATE: &str = "create";
const UPSERT: &str = "upsert";

/// A row, as far as it can be understood by itself. Cells that are empty or faulty are none.
pub(super) struct Line {
    code: String,
    folded: String,
    parent: Option<String>,
    owned: Option<bool>,
    available: Option<bool>,
    fixed: Option<bool>,
    disposable: Option<bool>,
    allow_consumption: Option<bool>,
}

impl Line {
    /// What the cells say; an empty one leaves its member as it is.
    fn apply(&self, data: &mut PositionData) {
        data.owned = self.owned.unwrap_or(data.owned);
        data.available = self.available.unwrap_or(data.available);
        data.fixed = self.fixed.unwrap_or(data.fixed);
        data.disposable = self.disposable.unwrap_or(data.disposable);
        data.allow_consumption = self.allow_consumption.or(data.allow_consumption);
    }

    fn folded_parent(&self) -> Option<String> {
        self.parent.as_deref().map(fold)
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PositionImportCounts")]
pub(super) struct Counts {
    positions_to_create: usize,
    positions_to_update: usize,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PositionsImported")]
pub(super) struct ImportedPositions {
    rows_total: usize,
    created: usize,
    updated: usize,
}

/// What happens to the rows.
#[derive(Default)]
pub(super) struct Plan {
    /// New ones, and those that change.
    positions: Vec<Position>,
    links: Vec<PositionLink>,
    moves: Vec<Move>,
    created: usize,
    updated: usize,
}

impl Importer for Positions {
    type Row = Line;
    type Plan = Plan;
    type Counts = Counts;
    type Detail = ImportedPositions;

    const TARGET: &'static str = "position";
    const COLUMNS: Columns = Columns { required: &[CODE], optional: &NAMES, prefixes: &[] };
    const MODES: Modes = Modes { names: &[CREATE, UPSERT], default: Some(CREATE) };

    fn read(&self, row: &Row<'_>, faults: &mut RowFaults<'_>) -> Line {
        let code = row.code(CODE);
        match code.chars().count() {
            0 => faults.add(CODE, row.get(CODE), "A position needs a code."),
            129.. => faults.add(CODE, code, "Must have at most 128 characters."),
            _ => {}
        }
        let parent = row.get(PARENT).trim();
        Line {
            code: code.to_owned(),
            folded: fold(code),
            parent: (!parent.is_empty()).then(|| parent.to_owned()),
            owned: row.boolean(OWNED, faults),
            available: row.boolean(AVAILABLE, faults),
            fixed: row.boolean(FIXED, faults),
            disposable: row.boolean(DISPOSABLE, faults),
            allow_consumption: row.boolean(ALLOW_CONSUMPTION, faults),
        }
    }

    async fn lock(&self, tx: &mut Tx, import: &Import<Line>) -> Result<()> {
        tx.lock(Lock::Positions).await?;
        let codes: Vec<String> = import.rows.iter().map(|(_, line)| line.folded.clone()).collect();
        Ok(positions::lock_codes(tx, &codes).await?)
    }

    async fn plan(&self, tx: &mut Tx, import: &Import<Line>, faults: &mut Faults) -> Result<Plan> {
        let known = KnownPositions::load(tx, import).await?;
        let mut tree = links::tree(tx).await?;
        let targets = targets(import, &known, faults)?;
        let moved = place(&import.rows, &targets, &known, &mut tree, faults);
        tell_troubles(&targets, &tree, &moved, faults);
        plan(import, &targets, &tree, &moved)
    }

    fn counts(&self, plan: &Plan) -> Counts {
        Counts { positions_to_create: plan.created, positions_to_update: plan.updated }
    }

    async fn write(&self, tx: &mut Tx, import: &Import<Line>, plan: Plan) -> Result<ImportedPositions> {
        positions::save(tx, &plan.positions).await?;
        links::insert_all(tx, &plan.links).await?;
        links::change_all(tx, &plan.moves).await?;
        Ok(ImportedPositions { rows_total: import.rows.len(), created: plan.created, updated: plan.updated })
    }
}

/// The positions that the rows name, by folded code.
struct KnownPositions(HashMap<String, Position>);

impl KnownPositions {
    async fn load(tx: &mut Tx, import: &Import<Line>) -> Result<Self> {
        let named = import.rows.iter().flat_map(|(_, line)| [Some(line.folded.clone()), line.folded_parent()]);
        let named: HashSet<String> = named.flatten().collect();
        let named: Vec<String> = named.into_iter().collect();
        let found = positions::by_codes(tx, &named).await?;
        Ok(Self(found.into_iter().map(|position| (fold(&position.data.code), position)).collect()))
    }
}

/// A row that can be carried out, as far as its code tells.
struct Target<'a> {
    row: u32,
    line: &'a Line,
    key: PositionKey,
    before: Option<&'a Position>,
}

/// The rows whose codes are in order; the faults of the others are told.
fn targets<'a>(import: &'a Import<Line>, known: &'a KnownPositions, faults: &mut Faults) -> Result<Vec<Target<'a>>> {
    let (mut targets, mut seen) = (Vec::with_capacity(import.rows.len()), HashSet::new());
    for (row, line) in &import.rows {
        let before = known.0.get(&line.folded);
        let fault = match before {
            _ if line.code.is_empty() => continue,
            _ if !seen.insert(line.folded.as_str()) => Some("Another row has this code."),
            Some(position) if is_reserved(&position.key) => Some("The code belongs to a reserved position."),
            Some(_) if import.mode == CREATE => Some("There is a position with this code."),
            _ => None,
        };
        if let Some(why) = fault {
            faults.add(*row, CODE, line.code.as_str(), why);
            continue;
        }
        let key = match before {
            Some(position) => position.key.clone(),
            None => PositionKey::trusted(import.cx.new_key()?),
        };
        targets.push(Target { row: *row, line, key, before });
    }
    Ok(targets)
}

/// Puts the positions of the rows where the rows say; gives those that are new or moved. Parents are checked in every row, also in
/// those whose code is at fault.
fn place(
    rows: &[(u32, Line)],
    targets: &[Target<'_>],
    known: &KnownPositions,
    tree: &mut PositionTree,
    faults: &mut Faults,
) -> HashSet<PositionKey> {
    let of_rows: HashMap<&str, &PositionKey> =
        targets.iter().map(|target| (target.line.folded.as_str(), &target.key)).collect();
    let mut parents = HashMap::with_capacity(rows.len());
    for (row, line) in rows {
        let Some(folded) = line.folded_parent() else { continue };
        let of_row = of_rows.get(folded.as_str()).copied();
        let why = match of_row.or_else(|| known.0.get(&folded).map(|position| &position.key)) {
            None => "There is no such position.",
            Some(parent) if parent.as_str() == NOWHERE => "No position can be in it.",
            Some(parent) => {
                parents.insert(*row, parent);
                continue;
            }
        };
        faults.add(*row, PARENT, line.parent.as_deref().unwrap_or_default(), why);
    }
    let mut moved = HashSet::new();
    for Target { row, line, key, before } in targets {
        let wanted = match (parents.get(row), before) {
            (Some(parent), _) => (*parent).clone(),
            (None, None) if line.folded_parent().is_none() => inside(),
            (None, _) => continue,
        };
        if tree.parent(key) != Some(&wanted) {
            tree.put(key.clone(), wanted);
            moved.insert(key.clone());
        }
    }
    moved
}

fn tell_troubles(targets: &[Target<'_>], tree: &PositionTree, moved: &HashSet<PositionKey>, faults: &mut Faults) {
    let troubles = tree.troubles(moved);
    for target in targets {
        let why = match troubles.get(&target.key) {
            Some(Trouble::Loop) => "The position would be in itself.",
            Some(Trouble::TooDeep) => "Positions would be nested more than 99 levels deep.",
            None => continue,
        };
        faults.add(target.row, PARENT, target.line.parent.as_deref().unwrap_or_default(), why);
    }
}

/// What has to be written.
fn plan(
    import: &Import<Line>,
    targets: &[Target<'_>],
    tree: &PositionTree,
    moved: &HashSet<PositionKey>,
) -> Result<Plan> {
    let (mut plan, now) = (Plan::default(), import.cx.now());
    for Target { line, key, before, .. } in targets {
        let parent = tree.parent(key).cloned();
        let Some(before) = before else {
            plan.created += 1;
            let mut data = PositionData::new(line.code.clone());
            line.apply(&mut data);
            if let Some(parent_key) = parent.clone() {
                let link_key = PositionLinkKey(import.cx.new_id()?);
                plan.links.push(PositionLink { key: link_key, rev: 1, child_key: key.clone(), parent_key });
            }
            let (created, updated) = (now, now);
            plan.positions.push(Position {
                key: key.clone(),
                rev: 1,
                data,
                created,
                updated,
                deleted: false,
                parent_key: parent,
            });
            continue;
        };
        plan.updated += 1;
        let mut position = Position::clone(before);
        line.apply(&mut position.data);
        let is_moved = moved.contains(key);
        if let Some(parent_key) = parent.filter(|_| is_moved) {
            plan.moves.push((key.clone(), parent_key.clone()));
            position.parent_key = Some(parent_key);
        }
        if is_moved || position.data != before.data {
            position.rev += 1;
            position.updated = now;
            plan.positions.push(position);
        }
    }
    Ok(plan)
}
