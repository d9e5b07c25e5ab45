//! How products are made, and from what.

use super::forms::{Entry, Value};

pub(crate) struct Route {
    pub(crate) product: &'static str,
    pub(crate) phases: &'static [Phase],
    pub(crate) lines: &'static [Line],
}

pub(crate) struct Phase {
    pub(crate) name: &'static str,
    pub(crate) operation: &'static str,
    /// How many are made at a time.
    pub(crate) batch: usize,
    /// Whether every step is confirmed, in order.
    pub(crate) checked: bool,
    /// How long a batch takes.
    pub(crate) minutes: i64,
    pub(crate) steps: &'static [Step],
}

pub(crate) struct Step {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
    pub(crate) form: &'static [Entry],
}

/// A component, how much of it one unit takes, and the place of the phase that takes it.
pub(crate) struct Line {
    pub(crate) component: &'static str,
    pub(crate) quantity: f64,
    pub(crate) phase: usize,
}

const fn line(component: &'static str, quantity: f64, phase: usize) -> Line {
    Line { component, quantity, phase }
}

const fn told(title: &'static str, text: &'static str) -> Step {
    Step { title, text, form: &[] }
}

const fn asked(title: &'static str, text: &'static str, form: &'static [Entry]) -> Step {
    Step { title, text, form }
}

const fn entry(key: &'static str, field: &'static str, value: Value) -> Entry {
    Entry { key, field, value }
}

/// Of each: key, code, name, description.
pub(crate) const OPERATIONS: &[(&str, &str, &str, &str)] = &[
    ("smd", "SMD", "Placement and soldering", "Line 1: printer, placer, oven"),
    ("inspection", "AOI", "Optical inspection", "Line 1, end"),
    ("assembly", "ASM", "Assembly", "Lines 2 and 3"),
    ("winding", "WND", "Winding and joining", "Line 3"),
    ("testing", "TST", "Testing", "Benches 1 to 4"),
    ("calibration", "CAL", "Calibration", "Bench 4"),
    ("pairing", "PAI", "Pairing", "Line 2, end"),
    ("packing", "PCK", "Packing", "Gate 2"),
];

pub(crate) const ROUTES: &[Route] = &[
    Route {
        product: "pb-7",
        phases: &[
            Phase {
                name: "Placement",
                operation: "smd",
                batch: 8,
                checked: false,
                minutes: 35,
                steps: &[
                    asked(
                        "Print the paste",
                        "Measure at **three** corners; enter the lowest.",
                        &[entry("pb_paste", "paste_height", Value::Reading(112.0, 138.0))],
                    ),
                    asked("Place and solder", "Oven program 7.", &[entry("pb_placed", "placed", Value::Yes)]),
                ],
            },
            Phase {
                name: "Inspection",
                operation: "inspection",
                batch: 8,
                checked: true,
                minutes: 25,
                steps: &[asked(
                    "Look at every joint",
                    "Those of the power module under the microscope.",
                    &[entry("pb_optical", "optical", Value::OneOf(&["optical-ok", "optical-ok", "optical-reworked"]))],
                )],
            },
        ],
        lines: &[line("pm-4", 1.0, 0), line("pcb-7", 1.0, 0), line("cp-7", 1.0, 0), line("sp-60", 4.5, 0)],
    },
    Route {
        product: "cu-7",
        phases: &[
            Phase {
                name: "Mounting",
                operation: "assembly",
                batch: 4,
                checked: true,
                minutes: 40,
                steps: &[
                    told("Spread the thermal paste", "A film of 0.1 mm, nothing over the edge."),
                    asked(
                        "Mount the board",
                        "Six screws, crosswise.",
                        &[entry("cu_torque", "torque", Value::Reading(0.9, 1.1))],
                    ),
                ],
            },
            Phase {
                name: "Calibration",
                operation: "calibration",
                batch: 4,
                checked: false,
                minutes: 30,
                steps: &[
                    asked(
                        "Flash the firmware",
                        "The version that the order says.",
                        &[entry("cu_firmware", "firmware", Value::OneOf(&["fw-720", "fw-721"]))],
                    ),
                    asked(
                        "Calibrate the current sensor",
                        "At 20 A; repeat when the offset is above 12 mA.",
                        &[entry("cu_offset", "offset", Value::Reading(1.0, 11.5))],
                    ),
                ],
            },
        ],
        lines: &[line("pb-7", 1.0, 0), line("hc-7", 1.0, 0), line("sc-m3", 6.0, 0), line("tg-2", 2.5, 0)],
    },
    Route {
        product: "mo-250",
        phases: &[Phase {
            name: "Winding and joining",
            operation: "winding",
            batch: 4,
            checked: true,
            minutes: 50,
            steps: &[
                asked(
                    "Wind and solder",
                    "Program W-18.",
                    &[entry("mo_resistance", "resistance", Value::Reading(58.5, 63.5))],
                ),
                asked(
                    "Join rotor and stator",
                    "With the guide. **Magnets: keep tools away.**",
                    &[entry("mo_insulation", "insulation", Value::Yes), entry("mo_cured", "cured", Value::Today)],
                ),
            ],
        }],
        lines: &[line("rt-14", 1.0, 0), line("st-18", 1.0, 0), line("cw-08", 0.42, 0)],
    },
    Route {
        product: "gb-36",
        phases: &[
            Phase {
                name: "Assembly",
                operation: "assembly",
                batch: 15,
                checked: false,
                minutes: 60,
                steps: &[told("Grease the gears", "35 g each, with the dosing gun.")],
            },
            Phase {
                name: "Run-in",
                operation: "testing",
                batch: 15,
                checked: false,
                minutes: 45,
                steps: &[asked(
                    "Listen",
                    "One minute at 90 rpm.",
                    &[entry("gb_noise", "noise", Value::Reading(54.0, 61.5))],
                )],
            },
        ],
        lines: &[line("gw-36", 1.0, 0), line("gr-2", 0.035, 0)],
    },
    Route {
        product: "du-250",
        phases: &[
            Phase {
                name: "Assembly",
                operation: "assembly",
                batch: 2,
                checked: true,
                minutes: 40,
                steps: &[
                    told(
                        "Insert motor, gearbox and control unit",
                        "As in the picture; the cable leaves at the bottom.",
                    ),
                    asked(
                        "Tighten the housing",
                        "Twelve screws, crosswise.",
                        &[entry("du_torque", "torque", Value::Reading(4.8, 5.3))],
                    ),
                    asked(
                        "Test for leaks",
                        "0.3 bar for one minute.",
                        &[entry("du_leak", "leak", Value::Reading(0.1, 1.8))],
                    ),
                ],
            },
            Phase {
                name: "End-of-line test",
                operation: "testing",
                batch: 1,
                checked: false,
                minutes: 18,
                steps: &[
                    asked(
                        "Run the test cycle",
                        "Program DU-250, 12 minutes.",
                        &[
                            entry("du_efficiency", "efficiency", Value::Reading(80.5, 84.9)),
                            entry("du_bench_time", "bench_time", Value::Now),
                        ],
                    ),
                    asked(
                        "Attach the report",
                        "As the bench prints it.",
                        &[entry("du_report", "report", Value::Report)],
                    ),
                ],
            },
        ],
        lines: &[
            line("mo-250", 1.0, 0),
            line("cu-7", 1.0, 0),
            line("ts-1", 1.0, 0),
            line("gb-36", 1.0, 0),
            line("hs-2", 1.0, 0),
            line("sc-m5", 12.0, 0),
            line("tl-3", 1.0, 1),
        ],
    },
    Route {
        product: "ds-250",
        phases: &[
            Phase {
                name: "Pairing",
                operation: "pairing",
                batch: 2,
                checked: false,
                minutes: 35,
                steps: &[asked(
                    "Pair drive, battery and display",
                    "The code is shown on the display.",
                    &[
                        entry("ds_pairing", "pairing_code", Value::Code("PX-")),
                        entry("ds_firmware", "firmware", Value::OneOf(&["fw-721"])),
                    ],
                )],
            },
            Phase {
                name: "Packing",
                operation: "packing",
                batch: 2,
                checked: true,
                minutes: 20,
                steps: &[
                    asked(
                        "Check the contents",
                        "Drive, battery, display, cables, manual.",
                        &[entry("ds_contents", "contents_checked", Value::Yes)],
                    ),
                    asked(
                        "Weigh the parcel",
                        "Less than 7.3 kg: something is missing.",
                        &[entry("ds_weight", "weight", Value::Reading(7.35, 7.6))],
                    ),
                ],
            },
        ],
        lines: &[
            line("du-250", 1.0, 0),
            line("bt-500", 1.0, 0),
            line("dp-2", 1.0, 0),
            line("cb-2", 1.0, 0),
            line("bx-1", 1.0, 1),
            line("um-1", 1.0, 1),
        ],
    },
];

/// What a drive system is made of from the last week on: a code on its labels leads to the manual.
pub(crate) const LATER_SET: &[Line] = &[
    line("du-250", 1.0, 0),
    line("bt-500", 1.0, 0),
    line("dp-2", 1.0, 0),
    line("cb-2", 2.0, 0),
    line("bx-1", 1.0, 1),
    line("tl-3", 2.0, 1),
];

pub(crate) fn route(product: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| route.product == product)
}
