//! Orders, in the order in which they are planned: WO-0001 is the first.

pub(crate) struct Plan {
    pub(crate) product: &'static str,
    pub(crate) quantity: usize,
    /// Days from the day it is planned.
    pub(crate) due_in: i64,
    pub(crate) project: Option<&'static str>,
    pub(crate) priority: bool,
    pub(crate) notes: Option<&'static str>,
    /// Who does each phase; nobody yet if there are none.
    pub(crate) operators: &'static [&'static str],
}

const fn plan(product: &'static str, quantity: usize, due_in: i64, operators: &'static [&'static str]) -> Plan {
    Plan { product, quantity, due_in, project: None, priority: false, notes: None, operators }
}

impl Plan {
    const fn of(mut self, project: &'static str) -> Self {
        self.project = Some(project);
        self
    }

    const fn first(mut self) -> Self {
        self.priority = true;
        self
    }

    const fn noted(mut self, notes: &'static str) -> Self {
        self.notes = Some(notes);
        self
    }
}

const BOARDS: &[&str] = &["luca", "ines"];
const UNITS: &[&str] = &["anna", "ines"];
const MOTORS: &[&str] = &["pavel"];
const GEARS: &[&str] = &["pavel", "pavel"];
const SYSTEMS: &[&str] = &["anna", "pavel"];

pub(crate) const BERGRAD: &str = "Bergrad spring order";
pub(crate) const NORDKETTE: &str = "Nordkette pilot";

pub(crate) const ORDERS: &[Plan] = &[
    plan("pb-7", 24, 7, BOARDS),
    plan("gb-36", 30, 8, GEARS),
    plan("mo-250", 16, 9, MOTORS),
    plan("cu-7", 16, 9, UNITS),
    plan("du-250", 12, 10, UNITS).of(BERGRAD),
    plan("ds-250", 8, 9, SYSTEMS).of(BERGRAD).first().noted("Deliver on one pallet, with the test reports."),
    plan("pb-7", 24, 8, BOARDS),
    plan("mo-250", 16, 8, MOTORS),
    plan("cu-7", 16, 8, UNITS).noted("Firmware 7.2.1 only."),
    plan("du-250", 12, 9, UNITS).of(NORDKETTE),
    plan("ds-250", 10, 9, SYSTEMS).of(NORDKETTE).noted("Two of them go out on loan first."),
    plan("gb-36", 30, 7, GEARS),
    plan("pb-7", 16, 10, BOARDS),
    plan("mo-250", 8, 9, MOTORS),
    plan("cu-7", 8, 12, UNITS),
    plan("du-250", 10, 10, UNITS).of(NORDKETTE),
    plan("ds-250", 6, 9, SYSTEMS).of("Trade fair").first().noted("For the stand: polish the housings."),
    plan("gb-36", 20, 14, &[]),
    plan("cu-7", 4, 1, &[]).of("Spare parts"),
    plan("du-250", 2, 12, UNITS).of("Sample"),
];
