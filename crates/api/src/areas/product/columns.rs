//! The columns of product tables: how a cell shows a field, and how a cell changes it. An import leaves a field alone if the
//! cell shows its present value, so importing an unchanged export changes nothing.

use domain::Quantity;
use domain::form::FieldKind;
use domain::json::{self, Unread};
use domain::product::{ProductData, TraceabilityLevel, UNIT_CHARS, WindowType};
use serde_json::Value;
use sheet::Cell;

use crate::import::{boolean, quantity, yes_or_no};

/// A field of a product that fits in one cell.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) show: fn(&ProductData) -> CellValue,
    /// Sets the field to the text, or to its default; or says what is wrong with the text.
    pub(super) set: fn(&mut ProductData, Option<&str>) -> Result<(), String>,
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CellValue {
    Nothing,
    Text(String),
    Number(String),
    Boolean(bool),
}

impl CellValue {
    /// Whether a cell that was read says the same.
    pub(super) fn is(&self, cell: &str) -> bool {
        match self {
            CellValue::Nothing => cell.is_empty(),
            CellValue::Text(text) => cell == text,
            CellValue::Number(text) => same_number(cell.trim(), text),
            CellValue::Boolean(value) => boolean(cell) == Some(*value),
        }
    }

    pub(super) fn into_cell(self) -> Cell<'static> {
        match self {
            CellValue::Nothing => Cell::Empty,
            CellValue::Text(text) => Cell::text(text),
            CellValue::Number(text) => Cell::number(text),
            CellValue::Boolean(value) => Cell::Boolean(value),
        }
    }
}

pub(super) const CODE: &str = "code";
pub(super) const TAGS: &str = "tags";
pub(super) const META: &str = "meta:";
/// The columns that name other records, which have to be looked up.
pub(super) const COUNTER: &str = "counter_key";
pub(super) const PRODUCTION_POSITION: &str = "default_production_position_key";
pub(super) const CONSUMPTION_POSITION: &str = "default_consumption_position_key";
/// A cell with this text clears its field.
pub(super) const CLEARS: &str = "\\N";

macro_rules! column {
    ($name:ident text $most:literal) => {
        Column {
            name: stringify!($name),
            show: |data| data.$name.clone().map_or(CellValue::Nothing, CellValue::Text),
            set: |data, cell| {
                data.$name = cell.map(|cell| at_most(cell, $most)).transpose()?;
                Ok(())
            },
        }
    };
    ($name:ident boolean $default:literal) => {
        Column {
            name: stringify!($name),
            show: |data| CellValue::Boolean(data.$name),
            set: |data, cell| {
                data.$name = cell.map_or(Ok($default), yes_or_no)?;
                Ok(())
            },
        }
    };
    ($name:ident quantity) => {
        Column {
            name: stringify!($name),
            show: |data| CellValue::Number(data.$name.to_string()),
            set: |data, cell| {
                data.$name = cell.map_or(Ok(Quantity::ZERO), not_negative)?;
                Ok(())
            },
        }
    };
    ($name:ident optional $read:ident) => {
        Column {
            name: stringify!($name),
            show: |data| data.$name.map_or(CellValue::Nothing, |value| CellValue::Number(value.to_string())),
            set: |data, cell| {
                data.$name = cell.map($read).transpose()?;
                Ok(())
            },
        }
    };
}

/// All fields that need no lookup, in the order of the table.
pub(super) const FIELDS: &[Column] = &[
    column!(description text 10_000),
    column!(active boolean true),
    Column {
        name: "traceability_level",
        show: |data| {
            data.traceability_level.map_or(CellValue::Nothing, |level| CellValue::Text(level.name().to_owned()))
        },
        set: |data, cell| {
            let read = |cell: &str| TraceabilityLevel::parse(cell.trim()).ok_or("Must be form_only or complete.");
            data.traceability_level = cell.map(read).transpose()?;
            Ok(())
        },
    },
    column!(manage_inventory boolean false),
    column!(allow_negative_inventory boolean false),
    column!(serial_code_on_creation boolean false),
    column!(cost_target optional quantity),
    column!(cost_average optional quantity),
    column!(technical_batch_qt quantity),
    column!(minimum_order_qt quantity),
    column!(minimum_stock_qt optional not_negative),
    Column {
        name: "unit",
        show: |data| if data.unit.is_empty() { CellValue::Nothing } else { CellValue::Text(data.unit.clone()) },
        set: |data, cell| {
            data.unit = cell.map_or(Ok(String::new()), |cell| at_most(cell.trim(), UNIT_CHARS))?;
            Ok(())
        },
    },
    column!(production_notes text 100_000),
    column!(throughput_time_target optional not_negative),
    column!(processing_time_target optional not_negative),
    column!(kpi_window_size optional window_size),
    Column {
        name: "kpi_window_type",
        show: |data| CellValue::Text(data.kpi_window_type.name().to_owned()),
        set: |data, cell| {
            let read = |cell: &str| WindowType::parse(cell.trim()).ok_or("Must be count or time.");
            data.kpi_window_type = cell.map_or(Ok(WindowType::Count), read)?;
            Ok(())
        },
    },
];

/// Columns that are looked up, behind the fields.
const LOOKED_UP: [&str; 4] = [COUNTER, PRODUCTION_POSITION, CONSUMPTION_POSITION, TAGS];

/// The names of all columns except custom fields, in the order of the table.
pub(super) const NAMES: [&str; 1 + FIELDS.len() + LOOKED_UP.len()] = {
    let mut names = [CODE; 1 + FIELDS.len() + LOOKED_UP.len()];
    let mut at = 0;
    while at < names.len() - 1 {
        names[1 + at] = if at < FIELDS.len() { FIELDS[at].name } else { LOOKED_UP[at - FIELDS.len()] };
        at += 1;
    }
    names
};

/// Spreadsheets drop insignificant zeros.
fn same_number(one: &str, other: &str) -> bool {
    let plain = |text: &str| match text.contains('.') && !text.contains(['e', 'E']) {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    plain(one) == plain(other)
}

fn at_most(cell: &str, most: usize) -> Result<String, String> {
    if cell.chars().count() > most {
        return Err(format!("Must have at most {most} characters."));
    }
    Ok(cell.to_owned())
}

fn not_negative(cell: &str) -> Result<Quantity, String> {
    match quantity(cell)? {
        negative if negative.is_negative() => Err("Must be 0 or more.".to_owned()),
        enough => Ok(enough),
    }
}

fn window_size(cell: &str) -> Result<i64, String> {
    let read = cell.trim().parse::<i64>().ok();
    read.filter(|size| *size >= 1).ok_or_else(|| "Must be a whole number of 1 or more.".to_owned())
}

/// The value of a custom field in a cell: text as it is, everything else as JSON.
pub(super) fn show_value(value: &Value) -> CellValue {
    match value {
        Value::Null => CellValue::Nothing,
        Value::String(text) => CellValue::Text(text.clone()),
        Value::Number(number) if number.as_str().contains(['e', 'E']) => CellValue::Text(number.to_string()),
        Value::Number(number) => CellValue::Number(number.to_string()),
        Value::Bool(value) => CellValue::Boolean(*value),
        other => CellValue::Text(other.to_string()),
    }
}

/// Reads the value of a custom field of this type from a cell.
pub(super) fn read_value(kind: FieldKind, cell: &str) -> Result<Value, String> {
    match kind {
        FieldKind::Number => json::read_number(cell).map(Value::Number).ok_or_else(|| "Must be a number.".to_owned()),
        FieldKind::Boolean | FieldKind::Ternary => yes_or_no(cell).map(Value::Bool),
        FieldKind::Files => match json::read(cell.as_bytes()) {
            Ok(value) => Ok(value),
            Err(Unread::Objection(objection)) => Err(format!("{objection}.")),
            Err(Unread::Invalid(_)) => Ok(Value::String(cell.to_owned())),
        },
        FieldKind::Text | FieldKind::Choice | FieldKind::Date | FieldKind::Time | FieldKind::Separator => {
            Ok(Value::String(cell.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_its_place() {
        let fields = FIELDS.iter().map(|column| column.name);
        let all: Vec<&str> = [CODE]
            .into_iter()
            .chain(fields)
            .chain([COUNTER, PRODUCTION_POSITION, CONSUMPTION_POSITION, TAGS])
            .collect();
        assert_eq!(all, NAMES);
    }

    #[test]
    fn what_is_shown_is_read_again() {
        let mut data = ProductData::new("P".to_owned());
        for (name, cell) in [
            ("description", "=a \"b\";\n"),
            ("active", "no"),
            ("traceability_level", "form_only"),
            ("cost_target", "-1.5"),
            ("technical_batch_qt", "0.000001"),
            ("minimum_stock_qt", "2.5"),
            ("unit", "kg"),
            ("kpi_window_size", "30"),
            ("kpi_window_type", "time"),
        ] {
            let column = FIELDS.iter().find(|column| column.name == name).unwrap();
            (column.set)(&mut data, Some(cell)).unwrap();
            assert!((column.show)(&data).is(cell), "{name}");
        }
        let mut again = ProductData::new("P".to_owned());
        for column in FIELDS {
            match (column.show)(&data) {
                CellValue::Nothing => {}
                CellValue::Text(text) | CellValue::Number(text) => (column.set)(&mut again, Some(&text)).unwrap(),
                CellValue::Boolean(value) => (column.set)(&mut again, Some(&value.to_string())).unwrap(),
            }
        }
        assert_eq!(again, data);
        for column in FIELDS {
            (column.set)(&mut again, None).unwrap();
        }
        assert_eq!(again, ProductData::new("P".to_owned()), "cleared, every field has its default");
    }

    #[test]
    fn bad_cells_say_why() {
        let mut data = ProductData::new("P".to_owned());
        for (name, cell) in [
            ("active", "maybe"),
            ("traceability_level", "all"),
            ("cost_average", "1.0000001"),
            ("minimum_order_qt", "-1"),
            ("minimum_stock_qt", "-1"),
            ("unit", "seventeen letters"),
            ("throughput_time_target", "x"),
            ("kpi_window_size", "0"),
            ("kpi_window_type", "days"),
        ] {
            let column = FIELDS.iter().find(|column| column.name == name).unwrap();
            assert!((column.set)(&mut data, Some(cell)).unwrap_err().ends_with('.'), "{name}");
        }
        assert_eq!(data, ProductData::new("P".to_owned()));
    }
}
