//! Everything the two engines spell differently: column types, row locks, lists, the clock and the names of errors.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::{memchr, memchr2};
use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

use crate::error::{Constraint, StoreError};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

/// How PostgreSQL is told to lock rows.
pub(crate) const ROW_LOCK: &str = "for no key update";

/// Token, SQLite, PostgreSQL.
const TOKENS: &[(&str, &str, &str)] = &[
    // A bigint primary key is no rowid in SQLite and would cost a second tree.
    ("{id}", "integer primary key", "bigint primary key"),
    ("{int}", "integer", "bigint"),
    ("{bool}", "integer", "boolean"),
    ("{text}", "text", "text collate \"C\""),
    ("{bytes}", "blob", "bytea"),
    ("{strict}", "strict", ""),
    // The primary key is the table: no second tree.
    ("{strict_keyed}", "strict, without rowid", ""),
    // `for update` would block foreign keys as well.
    ("{lock}", "", ROW_LOCK),
    // How an index on a condition is used for those that do not meet it.
    ("{is_false}", "= false", "is false"),
    ("{skip_locked}", "", "for no key update skip locked"),
    (
        "{now}",
        "cast(unixepoch('subsec') * 1000 as integer)",
        "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)",
    ),
];

impl Dialect {
    /// The engine's own text of a statement: its tokens, and the places of parameters. In one pass, since it is done whenever
    /// a statement is run that is no literal.
    pub(crate) fn spell(self, text: &str) -> Cow<'_, str> {
        let mark = |text: &str| match self {
            Dialect::Sqlite => memchr2(b'{', b'$', text.as_bytes()),
            Dialect::Postgres => memchr(b'{', text.as_bytes()),
        };
        if mark(text).is_none() {
            return Cow::Borrowed(text);
        }
        let mut spelled = String::with_capacity(text.len() + 64);
        let mut rest = text;
        while let Some(at) = mark(rest) {
            spelled.push_str(&rest[..at]);
            rest = &rest[at..];
            rest = match rest.strip_prefix('$') {
                Some(place) => {
                    // Only `?2` is the second parameter to SQLite, wherever it stands.
                    spelled.push(if place.starts_with(|next: char| next.is_ascii_digit()) { '?' } else { '$' });
                    place
                }
                None => self.spell_token(rest, &mut spelled),
            };
        }
        spelled.push_str(rest);
        Cow::Owned(spelled)
    }

    /// Spells the token that the text begins with, or what only looks like one; returns what comes behind it.
    fn spell_token<'a>(self, text: &'a str, spelled: &mut String) -> &'a str {
        let Some(end) = text.find('}') else {
            spelled.push_str(text);
            return "";
        };
        let (token, rest) = text.split_at(end + 1);
        if let Some((_, sqlite, postgres)) = TOKENS.iter().find(|(name, _, _)| *name == token) {
            spelled.push_str(if self == Dialect::Sqlite { sqlite } else { postgres });
            return rest;
        }
        let words: Vec<&str> = token[1..end].split(' ').collect();
        match self.phrase(&words) {
            // Words of a token can be places themselves.
            Some(phrase) => spelled.push_str(&self.spell(&phrase)),
            None => spelled.push_str(token),
        }
        rest
    }

    fn phrase(self, words: &[&str]) -> Option<String> {
        Some(match (self, words) {
            // Any of a list parameter.
            (Dialect::Sqlite, ["in", place]) => format!("in (select value from rarray({place}))"),
            (Dialect::Postgres, ["in", place]) => format!("= any({place})"),
            // The entries of a list parameter as rows of one column, `value`.
            (Dialect::Sqlite, ["each", place]) => format!("(select value from rarray({place})) as listed"),
            (Dialect::Postgres, ["each", place]) => format!("unnest({place}::text[]) as listed (value)"),
            // The rows of a table whose column is one of a list of numbers. SQLite is faster when it goes through the list itself.
            (Dialect::Sqlite, ["of-any", table, column, place]) => {
                format!("rarray({place}) as listed cross join {table} on {table}.{column} = listed.value")
            }
            (Dialect::Postgres, ["of-any", table, column, place]) => {
                format!("(select * from {table} where {column} = any({place})) as {table}")
            }
            // The objects of a JSON list as rows, their members as columns of text.
            (Dialect::Sqlite, ["rows", place, columns @ ..]) => {
                let columns: Vec<String> = columns.iter().map(|name| format!("value ->> '{name}' as {name}")).collect();
                format!("(select {} from json_each({place})) as listed", columns.join(", "))
            }
            (Dialect::Postgres, ["rows", place, columns @ ..]) => {
                let columns: Vec<String> = columns.iter().map(|name| format!("{name} text")).collect();
                format!("jsonb_to_recordset(cast({place} as text)::jsonb) as listed ({})", columns.join(", "))
            }
            // For recursive statements: the rows of a table, as `next`, whose column is the id of a row found so far. Left
            // to themselves, both planners read the whole table for every step once it is large.
            (Dialect::Sqlite, ["along", found, table, column]) => {
                format!("{found} cross join {table} as next on next.{column} = {found}.id")
            }
            (Dialect::Postgres, ["along", found, table, column]) => {
                format!(
                    "{found} cross join lateral (select * from {table} where {table}.{column} = {found}.id offset 0) as next"
                )
            }
            // A folded column that fits a pattern, by itself or by its trigrams.
            (Dialect::Sqlite, ["matches", table, column, place]) => format!("{table}.{column} glob {place}"),
            // The first or the third part of a folded column that has three, with a separator between them.
            (dialect, ["part", table, column, number]) => dialect.part(table, column, number),
            (Dialect::Sqlite, ["part-matches", table, column, number, place]) => {
                format!("{} glob {place}", self.part(table, column, number))
            }
            (Dialect::Postgres, ["part-matches", table, column, number, place]) => {
                format!("{} like {place}", self.part(table, column, number))
            }
            (Dialect::Sqlite, ["indexed", table, id, column, place]) => {
                format!("{table}.{id} in (select rowid from {table}_{column}_trigram where {column} glob {place})")
            }
            // The trigrams of a text in their order are the text: SQLite need not look at the column.
            (Dialect::Sqlite, ["containing", table, id, column, place]) => {
                let index = format!("{table}_{column}_trigram");
                format!("{table}.{id} in (select rowid from {index} where {index} match {place})")
            }
            (
                Dialect::Postgres,
                ["matches", table, column, place]
                | ["indexed", table, _, column, place]
                | ["containing", table, _, column, place],
            ) => format!("{table}.{column} like {place}"),
            // The same as rows of a column `key`, found one after the other: whoever wants a few need not wait for all.
            (Dialect::Sqlite, ["found-indexed", table, _, column, place]) => {
                format!("(select rowid as key from {table}_{column}_trigram where {column} glob {place}) as found")
            }
            (Dialect::Sqlite, ["found-containing", table, _, column, place]) => {
                let index = format!("{table}_{column}_trigram");
                format!("(select rowid as key from {index} where {index} match {place}) as found")
            }
            (
                Dialect::Postgres,
                ["found-indexed", table, id, column, place] | ["found-containing", table, id, column, place],
            ) => format!("(select {id} as key from {table} where {column} like {place}) as found"),
            // The trigrams of a column, kept by the database itself; rows are known by their integer primary key.
            (Dialect::Sqlite, ["trigram", table, id, column]) => sqlite_trigrams(table, id, column),
            (Dialect::Postgres, ["trigram", table, _, column]) => {
                format!("create index {table}_{column}_trigram on {table} using gin ({column} gin_trgm_ops)")
            }
            // Whether a table is there at all.
            (Dialect::Sqlite, ["has", table]) => {
                format!("exists (select 1 from sqlite_schema where type = 'table' and name = '{table}')")
            }
            (Dialect::Postgres, ["has", table]) => format!("to_regclass('{table}') is not null"),
            _ => return None,
        })
    }

    fn part(self, table: &str, column: &str, number: &str) -> String {
        let whole = format!("{table}.{column}");
        match (self, number) {
            (Dialect::Postgres, _) => format!("split_part({whole}, chr(31), {number})"),
            (Dialect::Sqlite, "1") => format!("substr({whole}, 1, instr({whole}, char(31)) - 1)"),
            (Dialect::Sqlite, _) => {
                let behind = format!("substr({whole}, instr({whole}, char(31)) + 1)");
                format!("substr({behind}, instr({behind}, char(31)) + 1)")
            }
        }
    }

    /// The part of a migration that is for this engine: everything but sections marked for the other one.
    pub(crate) fn migration(self, text: &str) -> String {
        let mut wanted = true;
        let lines = text.lines().filter(|line| match line.trim() {
            "-- sqlite:" => {
                wanted = self == Dialect::Sqlite;
                false
            }
            "-- postgres:" => {
                wanted = self == Dialect::Postgres;
                false
            }
            "-- both:" => {
                wanted = true;
                false
            }
            _ => wanted,
        });
        let kept: Vec<&str> = lines.collect();
        self.spell(&kept.join("\n")).into_owned()
    }
}

fn sqlite_trigrams(table: &str, id: &str, column: &str) -> String {
    let index = format!("{table}_{column}_trigram");
    let add = format!("insert into {index} (rowid, {column}) values (new.{id}, new.{column});");
    let drop = format!("insert into {index} ({index}, rowid, {column}) values ('delete', old.{id}, old.{column});");
    format!(
        "create virtual table {index} using fts5 ({column}, content = '{table}', content_rowid = '{id}', tokenize = 'trigram case_sensitive 1');
         create trigger {index}_insert after insert on {table} begin {add} end;
         create trigger {index}_delete after delete on {table} begin {drop} end;
         create trigger {index}_update after update of {column} on {table} begin {drop} {add} end"
    )
}

/// Unique indexes with a name of their own: index name (PostgreSQL), columns (SQLite), what it means.
const UNIQUE: &[(&str, &str, Constraint)] = &[
    ("user_account_username", "user_account.username_folded", Constraint::UsernameTaken),
    ("user_account_skeleton", "user_account.skeleton", Constraint::UsernameAlike),
    ("user_session_token", "user_session.token_key", Constraint::SessionOfToken),
    ("department_code", "department.code_folded", Constraint::DepartmentCodeTaken),
    ("custom_field_slug", "custom_field.slug", Constraint::SlugTaken),
    ("product_key", "product.key", Constraint::KeyTaken),
    ("product_code", "product.code", Constraint::ProductCodeTaken),
    ("work_order_code", "work_order.wo_code", Constraint::WorkOrderCodeTaken),
    ("position_code", "position.code_folded", Constraint::PositionCodeTaken),
    ("count_session_code", "count_session.code", Constraint::CountSessionCodeTaken),
    ("issue_type_code", "issue_type.code_folded", Constraint::IssueTypeCodeTaken),
    ("task_code", "task.code", Constraint::TaskCodeTaken),
    ("movement_list_code", "movement_list.type, movement_list.code", Constraint::MovementListCodeTaken),
];

/// Unique indexes that two transactions can run into only at the same time: the one that comes second runs again, and then
/// sees what the first has made.
const AGAIN: &[&str] = &[
    "count_record_open",
    "file_address",
    "movement_origin",
    "serial_code",
    "serial_link_active",
    "stock_pair_pkey",
    "stock_serial",
    "stock_untraced",
    "task_rel_id",
    "task_rel_key",
    "wip_serial",
];

/// References that fail only when one transaction begins to refer to a record that another is removing: it runs again, and then
/// sees that the record is gone.
const AGAIN_REFERENCES: &[&str] = &[
    "product_counter_key_fkey",
    "media_connection_media_key_fkey",
    "has_tag_tag_key_fkey",
    "issue_issue_type_key_fkey",
    "task_live_type_key_fkey",
];

fn unique_constraint(name: &str) -> Constraint {
    let known = UNIQUE.iter().find(|(index, columns, _)| *index == name || *columns == name);
    match known {
        Some((_, _, constraint)) => *constraint,
        None if name.ends_with("_pkey") || name.ends_with(".key") => Constraint::KeyTaken,
        None => Constraint::Other,
    }
}

pub(crate) fn sqlite_error(error: rusqlite::Error) -> StoreError {
    let rusqlite::Error::SqliteFailure(failure, message) = &error else {
        return StoreError::Engine(Arc::new(error));
    };
    match failure.code {
        ErrorCode::ConstraintViolation => StoreError::Constraint(match failure.extended_code {
            rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE | rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY => {
                let named = message.as_deref().and_then(|text| text.strip_prefix("UNIQUE constraint failed: "));
                named.map_or(Constraint::Other, unique_constraint)
            }
            rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Constraint::Reference,
            rusqlite::ffi::SQLITE_CONSTRAINT_CHECK => Constraint::Check,
            _ => Constraint::Other,
        }),
        ErrorCode::DiskFull => StoreError::Full(Arc::new(error)),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Conflict(Arc::new(error)),
        ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::ReadOnly | ErrorCode::OperationInterrupted => {
            StoreError::Unavailable(Arc::new(error))
        }
        _ => StoreError::Engine(Arc::new(error)),
    }
}

pub(crate) fn postgres_error(error: tokio_postgres::Error) -> StoreError {
    let Some(db) = error.as_db_error() else {
        // Without a word from the server the connection is the trouble, unless we could not read or send a value.
        let ours =
            error.is_closed() || std::error::Error::source(&error).is_some_and(|cause| cause.is::<std::io::Error>());
        return if ours { StoreError::Unavailable(Arc::new(error)) } else { StoreError::Engine(Arc::new(error)) };
    };
    let code = db.code();
    if *code == SqlState::UNIQUE_VIOLATION && db.constraint().is_some_and(|name| AGAIN.contains(&name)) {
        return StoreError::Conflict(Arc::new(error));
    }
    if *code == SqlState::UNIQUE_VIOLATION {
        return StoreError::Constraint(db.constraint().map_or(Constraint::Other, unique_constraint));
    }
    if *code == SqlState::FOREIGN_KEY_VIOLATION {
        if db.constraint().is_some_and(|name| AGAIN_REFERENCES.contains(&name)) {
            return StoreError::Conflict(Arc::new(error));
        }
        return StoreError::Constraint(Constraint::Reference);
    }
    if *code == SqlState::CHECK_VIOLATION {
        return StoreError::Constraint(Constraint::Check);
    }
    if *code == SqlState::NOT_NULL_VIOLATION {
        return StoreError::Constraint(Constraint::Other);
    }
    if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED {
        return StoreError::Conflict(Arc::new(error));
    }
    // Only `Tx::insist` divides by what can be zero.
    if *code == SqlState::DIVISION_BY_ZERO {
        return StoreError::Outdated;
    }
    if *code == SqlState::DISK_FULL {
        return StoreError::Full(Arc::new(error));
    }
    // 08: connection, 53: out of connections or memory, 57P: the server is going down or coming up, 55P03: a lock was
    // not to be had in time, 57014: a statement took too long, 25006: only a standby is left.
    let class = code.code();
    if ["08", "53", "57P", "25006", "55P03", "57014"].iter().any(|known| class.starts_with(known)) {
        return StoreError::Unavailable(Arc::new(error));
    }
    StoreError::Engine(Arc::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_lists_are_spelled_for_each_engine() {
        let text = "select key from token where key {in $2} and user_key = $1 {lock}";
        assert_eq!(
            Dialect::Sqlite.spell(text),
            "select key from token where key in (select value from rarray(?2)) and user_key = ?1 "
        );
        assert_eq!(
            Dialect::Postgres.spell(text),
            "select key from token where key = any($2) and user_key = $1 for no key update"
        );
    }

    #[test]
    fn migrations_keep_only_their_engine() {
        let text =
            "create table a (key {id}) {strict};\n-- sqlite:\ncreate s;\n-- postgres:\ncreate p;\n-- both:\ncreate b;";
        assert_eq!(
            Dialect::Sqlite.migration(text),
            "create table a (key integer primary key) strict;\ncreate s;\ncreate b;"
        );
        assert_eq!(
            Dialect::Postgres.migration(text),
            "create table a (key bigint primary key) ;\ncreate p;\ncreate b;"
        );
    }

    #[test]
    fn default_empty_objects_are_no_tokens() {
        assert_eq!(Dialect::Sqlite.spell("default '{}'"), "default '{}'");
    }
}
