//! Who works at the plant.

/// Somebody who signs in.
#[derive(Debug)]
pub struct Account {
    /// Also the key of the user, but for the one of `admin`, which the site makes.
    pub(crate) key: &'static str,
    pub username: &'static str,
    pub(crate) name: &'static str,
    pub(crate) surname: &'static str,
    pub scope: &'static str,
    pub(crate) department: &'static str,
    pub(crate) hourly_cost: f64,
    /// What they do.
    pub duty: &'static str,
    /// The last number of their address.
    pub(crate) host: u8,
    pub(crate) device: &'static str,
}

const OFFICE: &str = "office/1.4";
const TERMINAL: &str = "terminal/2.3";
const SCANNER: &str = "scanner/1.1";

/// Everybody, `admin` first.
pub const ACCOUNTS: &[Account] = &[
    Account {
        key: "admin",
        username: "admin",
        name: "",
        surname: "",
        scope: "admin library production operator quality warehouse viewer",
        department: "",
        hourly_cost: 0.0,
        duty: "may do everything",
        host: 10,
        device: OFFICE,
    },
    Account {
        key: "elena",
        username: "elena.ferri",
        name: "Elena",
        surname: "Ferri",
        scope: "library",
        department: "engineering",
        hourly_cost: 46.0,
        duty: "products, bills of materials and processes",
        host: 11,
        device: OFFICE,
    },
    Account {
        key: "jonas",
        username: "jonas.pichler",
        name: "Jonas",
        surname: "Pichler",
        scope: "production",
        department: "planning",
        hourly_cost: 43.5,
        duty: "plans orders, corrects what was entered wrongly",
        host: 12,
        device: OFFICE,
    },
    Account {
        key: "marta",
        username: "marta.kofler",
        name: "Marta",
        surname: "Kofler",
        scope: "quality",
        department: "quality",
        hourly_cost: 44.0,
        duty: "fields and forms, issues, history records",
        host: 13,
        device: OFFICE,
    },
    Account {
        key: "davide",
        username: "davide.rossi",
        name: "Davide",
        surname: "Rossi",
        scope: "warehouse",
        department: "warehouse",
        hourly_cost: 34.0,
        duty: "runs the warehouse: receipts, shipments, counts",
        host: 14,
        device: SCANNER,
    },
    Account {
        key: "sara",
        username: "sara.nagy",
        name: "Sara",
        surname: "Nagy",
        scope: "warehouse",
        department: "warehouse",
        hourly_cost: 29.5,
        duty: "moves and counts goods",
        host: 15,
        device: SCANNER,
    },
    Account {
        key: "luca",
        username: "luca.moser",
        name: "Luca",
        surname: "Moser",
        scope: "operator",
        department: "electronics",
        hourly_cost: 31.0,
        duty: "places and solders boards",
        host: 21,
        device: TERMINAL,
    },
    Account {
        key: "anna",
        username: "anna.weiss",
        name: "Anna",
        surname: "Weiss",
        scope: "operator",
        department: "assembly",
        hourly_cost: 30.5,
        duty: "assembles control units and drive units",
        host: 22,
        device: TERMINAL,
    },
    Account {
        key: "pavel",
        username: "pavel.novak",
        name: "Pavel",
        surname: "Novak",
        scope: "operator",
        department: "assembly",
        hourly_cost: 32.0,
        duty: "builds motors and gearboxes, packs",
        host: 23,
        device: TERMINAL,
    },
    Account {
        key: "ines",
        username: "ines.costa",
        name: "Ines",
        surname: "Costa",
        scope: "operator",
        department: "test",
        hourly_cost: 33.5,
        duty: "inspects, calibrates and tests",
        host: 24,
        device: TERMINAL,
    },
    Account {
        key: "thomas",
        username: "thomas.gruber",
        name: "Thomas",
        surname: "Gruber",
        scope: "viewer",
        department: "quality",
        hourly_cost: 0.0,
        duty: "audits: reads everything, changes nothing",
        host: 31,
        device: OFFICE,
    },
];

/// Of each: key, code, name, description.
pub(crate) const DEPARTMENTS: &[(&str, &str, &str, &str)] = &[
    ("engineering", "ENG", "Engineering", "Products and processes"),
    ("planning", "PLN", "Production planning", "Orders and queues"),
    ("quality", "QUA", "Quality", "Inspection, complaints, audits"),
    ("warehouse", "WHS", "Warehouse", "Hall 1, gates 1 and 2"),
    ("electronics", "ELE", "Electronics", "Line 1: boards"),
    ("assembly", "ASM", "Assembly", "Lines 2 and 3: motors, gearboxes, drive units"),
    ("test", "TST", "Test field", "Benches 1 to 4"),
];

pub(crate) fn account(key: &str) -> Option<&'static Account> {
    ACCOUNTS.iter().find(|account| account.key == key)
}
