//! Fields of forms, and what is entered in them.

/// Of each: key, name, type, label, hint.
pub(crate) const FIELDS: &[(&str, &str, &str, &str, Option<&str>)] = &[
    ("supplier_lot", "Supplier lot", "text", "Supplier lot", None),
    ("transport_test", "UN 38.3 certificate", "text", "Transport test (UN 38.3)", Some("number of the certificate")),
    ("paste_height", "Paste height", "number", "Paste height (µm)", Some("mean of five pads")),
    ("placed", "All parts placed", "boolean", "All parts placed", None),
    ("optical", "Optical result", "choice", "Optical result", None),
    ("torque", "Torque", "number", "Torque (Nm)", None),
    ("firmware", "Firmware", "choice", "Firmware", None),
    ("offset", "Current offset", "number", "Current offset (mA)", Some("with the motor at rest")),
    ("resistance", "Winding resistance", "number", "Winding resistance (mΩ)", Some("between two phases, at 20 °C")),
    ("insulation", "Insulation test", "ternary", "Insulation test passed", None),
    ("cured", "Glue cured on", "date", "Glue cured on", None),
    ("noise", "Noise", "number", "Noise (dB(A))", Some("at a distance of 1 m")),
    ("leak", "Leak rate", "number", "Leak rate (mbar/min)", Some("after one minute under pressure")),
    ("efficiency", "Efficiency", "number", "Efficiency (%)", Some("at half load")),
    ("bench_time", "Bench time", "time", "Bench started at", None),
    ("report", "Test report", "files", "Test report", None),
    ("pairing_code", "Pairing code", "text", "Pairing code", None),
    ("weight", "Weight", "number", "Weight (kg)", None),
    ("contents_checked", "Contents checked", "boolean", "Contents checked", None),
    ("defect", "Defect", "choice", "Defect", None),
    ("containment", "Containment", "text", "What was done at once", None),
    ("root_cause", "Root cause", "text", "Root cause", None),
    ("photo", "Photo", "files", "Photo", None),
    ("done_as_planned", "Done as planned", "boolean", "Done as planned", None),
    ("next_due", "Next due", "date", "Next due", None),
];

/// Of each choice field: key and text of its values.
pub(crate) const LISTS: &[(&str, &[(&str, &str)])] = &[
    ("optical", &[("optical-ok", "Good"), ("optical-reworked", "Good after rework")]),
    ("firmware", &[("fw-720", "7.2.0"), ("fw-721", "7.2.1")]),
    (
        "defect",
        &[
            ("defect-solder", "Solder joint"),
            ("defect-leak", "Leak"),
            ("defect-noise", "Noise"),
            ("defect-drift", "Sensor drift"),
            ("defect-cosmetic", "Cosmetic"),
            ("defect-delivery", "Damaged on delivery"),
        ],
    ),
];

/// A field of a step.
pub(crate) struct Entry {
    /// Of the form field.
    pub(crate) key: &'static str,
    pub(crate) field: &'static str,
    pub(crate) value: Value,
}

/// What somebody enters.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    Reading(f64, f64),
    OneOf(&'static [&'static str]),
    Yes,
    Today,
    Now,
    /// A text that begins like this and ends with a number.
    Code(&'static str),
    /// The report of the unit.
    Report,
}
