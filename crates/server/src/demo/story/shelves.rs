//! The warehouse: halls, racks and bins, and places at customers.

pub(crate) struct Position {
    pub(crate) key: &'static str,
    pub(crate) code: &'static str,
    pub(crate) parent: &'static str,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Fixed,
    /// A carrier that moves with all it holds.
    Mobile,
    /// Nothing is taken from here for production.
    Blocked,
    /// At a customer's.
    Foreign,
}

const fn fixed(key: &'static str, code: &'static str, parent: &'static str) -> Position {
    Position { key, code, parent, kind: Kind::Fixed }
}

const fn other(key: &'static str, code: &'static str, parent: &'static str, kind: Kind) -> Position {
    Position { key, code, parent, kind }
}

/// Finished goods.
pub(crate) const FINISHED: &str = "fg-1";
/// Where consumed goods come from if nothing says otherwise.
pub(crate) const LINE: &str = "line";
pub(crate) const QUARANTINE: &str = "quarantine";
/// Drive systems that a customer tries out.
pub(crate) const ON_LOAN: &str = "loan-nordkette";

pub(crate) const POSITIONS: &[Position] = &[
    fixed("hall-1", "H1", "IN"),
    fixed("rack-a", "A", "hall-1"),
    fixed("a-01", "A-01", "rack-a"),
    fixed("a-02", "A-02", "rack-a"),
    fixed("a-03", "A-03", "rack-a"),
    fixed("a-04", "A-04", "rack-a"),
    fixed("a-05", "A-05", "rack-a"),
    fixed("rack-b", "B", "hall-1"),
    fixed("b-01", "B-01", "rack-b"),
    fixed("b-02", "B-02", "rack-b"),
    fixed("b-03", "B-03", "rack-b"),
    fixed("b-04", "B-04", "rack-b"),
    fixed("rack-c", "C", "hall-1"),
    fixed("c-01", "C-01", "rack-c"),
    fixed("c-02", "C-02", "rack-c"),
    fixed("c-03", "C-03", "rack-c"),
    fixed("c-04", "C-04", "rack-c"),
    fixed(LINE, "LINE", "hall-1"),
    fixed("buffer", "BUFFER", "hall-1"),
    fixed("buffer-boards", "BUFFER-PB", "buffer"),
    fixed("buffer-units", "BUFFER-CU", "buffer"),
    fixed("buffer-motors", "BUFFER-MO", "buffer"),
    fixed("buffer-gears", "BUFFER-GB", "buffer"),
    fixed("buffer-drives", "BUFFER-DU", "buffer"),
    fixed("hall-2", "H2", "IN"),
    fixed(FINISHED, "FG-1", "hall-2"),
    other(QUARANTINE, "QUARANTINE", "hall-2", Kind::Blocked),
    other("trolley-1", "TR-1", "rack-c", Kind::Mobile),
    other(ON_LOAN, "LOAN-NORDKETTE", "OUT", Kind::Foreign),
];
