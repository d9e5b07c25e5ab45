//! What the plant makes and buys.

use super::shelves::{FINISHED, LINE};

pub(crate) struct Product {
    pub(crate) key: &'static str,
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) kind: Kind,
    /// Where it lies.
    pub(crate) bin: &'static str,
    /// Of one unit, in euros.
    pub(crate) cost: f64,
    pub(crate) minimum: Option<u32>,
    pub(crate) tag: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Made here, traced with everything in it; its codes begin like this.
    Made(&'static str),
    /// Made here, counted only.
    MadeUntraced,
    /// Bought with serial numbers.
    Traced,
    Bought,
    /// Bought, and booked later than it is used now and then.
    Loose,
}

impl Product {
    pub(crate) fn is_traced(&self) -> bool {
        matches!(self.kind, Kind::Made(_) | Kind::Traced)
    }

    const fn least(mut self, quantity: u32) -> Self {
        self.minimum = Some(quantity);
        self
    }

    const fn tagged(mut self, tag: &'static str) -> Self {
        self.tag = Some(tag);
        self
    }
}

const fn made(
    key: &'static str,
    code: &'static str,
    begins: &'static str,
    name: &'static str,
    bin: &'static str,
    cost: f64,
) -> Product {
    Product { key, code, name, unit: "", kind: Kind::Made(begins), bin, cost, minimum: None, tag: None }
}

const fn bought(key: &'static str, code: &'static str, name: &'static str, bin: &'static str, cost: f64) -> Product {
    Product { key, code, name, unit: "", kind: Kind::Bought, bin, cost, minimum: None, tag: None }
}

const fn traced(key: &'static str, code: &'static str, name: &'static str, bin: &'static str, cost: f64) -> Product {
    let product = bought(key, code, name, bin, cost);
    Product { kind: Kind::Traced, ..product }
}

const fn measured(key: &'static str, code: &'static str, name: &'static str, unit: &'static str, cost: f64) -> Product {
    let product = bought(key, code, name, "c-04", cost);
    Product { unit, ..product }
}

pub(crate) const PRODUCTS: &[Product] = &[
    made("ds-250", "DS-250", "DS7-", "Drive system 250 W, set for frame builders", FINISHED, 612.0).tagged("series-7"),
    made("du-250", "DU-250", "DU7-", "Mid-drive unit 250 W", "buffer-drives", 268.0).tagged("series-7"),
    made("cu-7", "CU-7", "CU7-", "Control unit", "buffer-units", 71.5).tagged("safety"),
    made("pb-7", "PB-7", "PB7-", "Controller board", "buffer-boards", 38.2).tagged("safety"),
    made("mo-250", "MO-250", "MO7-", "Motor module 250 W", "buffer-motors", 64.0).tagged("series-7"),
    Product { kind: Kind::MadeUntraced, ..bought("gb-36", "GB-36", "Gearbox 36:1", "buffer-gears", 41.0) },
    traced("pm-4", "PM-4", "Power module", "a-01", 9.8).least(20).tagged("safety"),
    traced("ts-1", "TS-1", "Torque sensor", "a-02", 17.4).least(10).tagged("safety"),
    traced("rt-14", "RT-14", "Rotor with magnets", "a-03", 21.0),
    traced("bt-500", "BT-500", "Battery pack 500 Wh", "b-01", 186.0).least(12).tagged("safety"),
    traced("dp-2", "DP-2", "Display", "b-02", 34.0),
    bought("dp-1", "DP-1", "Display, first generation", "b-02", 29.0),
    bought("pcb-7", "PCB-7", "Printed circuit board", "a-04", 4.1).least(30),
    bought("cp-7", "CP-7", "Kit of passive components", "a-04", 6.35),
    bought("hc-7", "HC-7", "Cooling housing", "b-03", 8.9),
    bought("st-18", "ST-18", "Stator stack", "b-03", 14.2),
    bought("gw-36", "GW-36", "Gear set 36:1", "b-04", 23.6),
    bought("hs-2", "HS-2", "Housing shells, pair", "b-04", 31.0),
    bought("cb-2", "CB-2", "Cable set", "c-01", 7.7),
    bought("bx-1", "BX-1", "Carton", "c-02", 1.9).least(40),
    bought("um-1", "UM-1", "User manual", "c-02", 0.6),
    bought("tl-3", "TL-3", "Type label", "c-03", 0.08),
    Product { kind: Kind::Loose, ..bought("sc-m3", "SC-M3", "Screw M3 x 8", LINE, 0.03) },
    Product { kind: Kind::Loose, ..bought("sc-m5", "SC-M5", "Screw M5 x 16", LINE, 0.05) },
    measured("sp-60", "SP-60", "Solder paste", "g", 0.09),
    measured("tg-2", "TG-2", "Thermal paste", "g", 0.12),
    measured("cw-08", "CW-08", "Copper wire 0.8 mm", "kg", 11.4),
    measured("gr-2", "GR-2", "Gear grease", "kg", 16.0),
];

/// Of each: key, name, description, colour.
pub(crate) const TAGS: &[(&str, &str, &str, &str)] = &[
    ("series-7", "Series 7", "The drives of this year", "#0B5394"),
    ("safety", "Safety critical", "A fault of it can hurt somebody", "#CC0000"),
    ("pilot", "Pilot customer", "Tell Marta before it leaves the house", "#6AA84F"),
    ("hazardous", "Hazardous goods", "Store and send as the sheet says", "#E69138"),
];

pub(crate) fn product(key: &str) -> Option<&'static Product> {
    PRODUCTS.iter().find(|product| product.key == key)
}
