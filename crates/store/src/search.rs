//! Searching folded text columns. Both engines have an index of trigrams for it; shorter searches look at the column itself.

use domain::search::{Pattern, Piece};

use crate::sql::Query;
use crate::value::Value;

/// From so many characters on, trigrams narrow a search down.
const TRIGRAM: usize = 3;
/// SQLite holds the rows of every trigram of a text at once, so longer texts are looked for in the column itself.
const LONGEST: usize = 100;

/// A folded column and the integer primary key of its table. Its index is declared in its migration by
/// `{trigram table id column}`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Searched {
    pub(crate) table: &'static str,
    pub(crate) id: &'static str,
    pub(crate) column: &'static str,
}

/// Whether so much text narrows a search down.
pub(crate) fn is_selective(text: &str) -> bool {
    text.chars().count() >= TRIGRAM
}

/// Whether the trigrams of a text with so many characters narrow a search down.
fn narrows(characters: usize) -> bool {
    (TRIGRAM..=LONGEST).contains(&characters)
}

/// The first text behind all that start with this one; none if there is no such text.
pub(crate) fn behind(prefix: &str) -> Option<String> {
    let mut text = prefix.to_owned();
    while let Some(last) = text.pop() {
        if let Some(next) = (last..=char::MAX).nth(1) {
            text.push(next);
            return Some(text);
        }
    }
    None
}

impl Searched {
    /// `{}` in it is the place of the pattern's value.
    fn condition(self, pattern: &Pattern) -> String {
        let Self { table, id, column } = self;
        if part(pattern).is_some() {
            ["{containing ", table, " ", id, " ", column, " {}}"].concat()
        } else if narrows(pattern.longest_text()) {
            ["{indexed ", table, " ", id, " ", column, " {}}"].concat()
        } else {
            ["{matches ", table, " ", column, " {}}"].concat()
        }
    }
}

impl Searched {
    /// A condition within a statement, and its value.
    pub(crate) fn fits(self, pattern: &Pattern) -> (String, Value) {
        (self.condition(pattern), value(pattern))
    }

    /// The rows that fit, by their keys, as `found.key`; none if trigrams can't tell. Behind it comes its value.
    pub(crate) fn found(self, pattern: &Pattern) -> Option<(String, Value)> {
        let Self { table, id, column } = self;
        let how = if part(pattern).is_some() { "{found-containing " } else { "{found-indexed " };
        let found = [how, table, " ", id, " ", column, " {}}"].concat();
        narrows(pattern.longest_text()).then(|| (found, value(pattern)))
    }
}

/// The text of a pattern that only asks whether it occurs, if trigrams can tell.
fn part(pattern: &Pattern) -> Option<&str> {
    match pattern.pieces() {
        [Piece::Run, Piece::Text(text), Piece::Run] => Some(text.as_str()).filter(|text| narrows(text.chars().count())),
        _ => None,
    }
}

fn value(pattern: &Pattern) -> Value {
    part(pattern).map_or_else(|| Value::Pattern(pattern.clone()), |text| Value::Part(text.to_owned()))
}

impl Query {
    /// Only rows whose column fits the pattern.
    #[track_caller]
    pub(crate) fn matching(self, searched: Searched, pattern: &Pattern) -> Self {
        self.filter(&searched.condition(pattern), value(pattern))
    }

    /// Only rows of which one column or the other fits.
    #[track_caller]
    pub(crate) fn matching_either(self, one: Searched, other: Searched, pattern: &Pattern) -> Self {
        let condition = format!("({} or {})", one.condition(pattern), other.condition(pattern));
        self.filter(&condition, value(pattern))
    }

    /// Only rows of which neither column fits.
    #[track_caller]
    pub(crate) fn matching_neither(self, one: Searched, other: Searched, pattern: &Pattern) -> Self {
        let condition = format!("not ({} or {})", one.condition(pattern), other.condition(pattern));
        self.filter(&condition, value(pattern))
    }
}

/// For SQLite's GLOB, which knows the case and can use the trigrams.
pub(crate) fn glob(pattern: &Pattern) -> String {
    let spelled = spell(pattern, "*", "?", |character| match character {
        '*' | '?' | '[' => format!("[{character}]"),
        other => other.to_string(),
    });
    // SQLite refuses a longer one. No column has a text that it could match, and nothing matches an open bracket.
    if spelled.len() > GLOB_BYTES { "[".to_owned() } else { spelled }
}

const GLOB_BYTES: usize = 50_000;

/// For PostgreSQL's LIKE.
pub(crate) fn like(pattern: &Pattern) -> String {
    spell(pattern, "%", "_", |character| match character {
        '%' | '_' | '\\' => format!("\\{character}"),
        other => other.to_string(),
    })
}

/// For PostgreSQL's LIKE: the text, wherever it occurs.
pub(crate) fn like_part(text: &str) -> String {
    like(&Pattern::substring(text))
}

/// For SQLite's MATCH: all words of the text, one after the other.
pub(crate) fn phrase(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn spell(pattern: &Pattern, run: &str, one: &str, escape: impl Fn(char) -> String) -> String {
    let pieces = pattern.pieces().iter().map(|piece| match piece {
        Piece::Run => run.to_owned(),
        Piece::One => one.to_owned(),
        Piece::Text(text) => text.chars().map(&escape).collect(),
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_a_prefix() {
        assert_eq!(behind("p0"), Some("p1".to_owned()));
        assert_eq!(behind("a\u{d7ff}"), Some("a\u{e000}".to_owned()));
        assert_eq!(behind("a\u{10ffff}"), Some("b".to_owned()));
        assert_eq!(behind("\u{10ffff}"), None);
    }

    use crate::dialect::Dialect;
    use crate::params;
    use crate::postgres::Postgres;
    use crate::sql::Sql;
    use crate::tx::{Begin, Link, Tx};
    use crate::usage::Usage;

    const TABLE: &str = "create table thing (key {id}, name {text} not null) {strict};\n{trigram thing key name}";
    const NAME: Searched = Searched { table: "thing", id: "key", column: "name" };
    const NAMES: [&str; 17] = [
        "",
        "a",
        "abc",
        "xabcx",
        "abcabc",
        "a*c",
        "a?c",
        "a[b]c",
        "100%",
        "a_c",
        "a\\c",
        "àéî",
        "straße 7",
        "ab c",
        "an \"abc\"",
        "aaab",
        "aaaab",
    ];
    const SEARCHES: [&str; 26] = [
        "", "*", "a", "abc", "abc*", "*abc", "*abc*", "a?c", "a*c", "\\*", "a\\?c", "[b]", "a[b]c", "100%", "%", "_",
        "a\\\\c", "àéî", "stra?e", "b c", "???", "abc?", "\"abc\"", "n \"a", "aaaa", "abca",
    ];

    /// Fills the table, changes a row and removes another, then holds every search against the rule.
    async fn check(mut tx: Tx) -> Tx {
        for (key, name) in NAMES.iter().enumerate() {
            let insert = Sql::raw("insert into thing (key, name) values ($1, $2)");
            tx.run(insert, &params![key as i64, *name]).await.unwrap();
        }
        tx.run(Sql::raw("insert into thing (key, name) values (100, 'abc gone'), (101, 'old abc')"), &[])
            .await
            .unwrap();
        tx.run(Sql::raw("delete from thing where key = 100"), &[]).await.unwrap();
        tx.run(Sql::raw("update thing set name = 'new xyz' where key = 101"), &[]).await.unwrap();
        let large = "a".repeat(LONGEST + 2);
        tx.run(Sql::raw("insert into thing (key, name) values (102, $1)"), &params![large.as_str()]).await.unwrap();
        let all: Vec<&str> = NAMES.into_iter().chain(["new xyz", large.as_str()]).collect();
        let long = "a".repeat(LONGEST + 1);
        for search in SEARCHES.into_iter().chain([long.as_str()]) {
            for pattern in [Pattern::wildcard(search), Pattern::substring(search)] {
                let (sql, params) = Query::new("select name from thing").matching(NAME, &pattern).parts();
                let mut found: Vec<String> = tx.all(sql, &params).await.unwrap();
                let mut wanted: Vec<String> =
                    all.iter().filter(|name| pattern.matches(name)).map(|name| (*name).to_owned()).collect();
                found.sort();
                wanted.sort();
                assert_eq!(found, wanted, "{search:?} {pattern:?}");
            }
        }
        tx
    }

    #[test]
    fn long_texts_are_looked_for_in_the_column() {
        let trigrams = |pattern: &Pattern| NAME.found(pattern).is_some();
        for (characters, used) in [(2, false), (3, true), (LONGEST, true), (LONGEST + 1, false)] {
            let text = "é".repeat(characters);
            for pattern in [Pattern::substring(&text), Pattern::wildcard(&text), Pattern::wildcard(&format!("{text}*"))]
            {
                let condition = NAME.condition(&pattern);
                assert_eq!(
                    (trigrams(&pattern), !condition.starts_with("{matches")),
                    (used, used),
                    "{characters}: {condition}"
                );
            }
        }
    }

    #[tokio::test]
    async fn sqlite_finds_what_the_rule_says() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(&Dialect::Sqlite.migration(TABLE)).unwrap();
        let plan: String = connection
            .query_row(
                &format!(
                    "explain query plan select name from thing where {}",
                    Dialect::Sqlite.spell("{indexed thing key name '*abc*'}")
                ),
                [],
                |row| row.get(3),
            )
            .unwrap();
        assert!(!plan.contains("SCAN thing") || plan.contains("VIRTUAL"), "the trigrams are used: {plan}");
        check(Tx::new(Link::Sqlite(connection), Usage::default())).await;
    }

    #[tokio::test]
    async fn postgres_finds_what_the_rule_says() {
        let url = std::env::var("TRACEWRIGHT_TEST_POSTGRES").expect("run the tests by `make test`");
        let postgres = Postgres::open(&url, 1).await.unwrap();
        let mut tx = postgres.begin(Begin::Write).await.unwrap();
        tx.run(Sql::raw("create extension if not exists pg_trgm"), &[]).await.unwrap();
        for statement in Dialect::Postgres.migration(TABLE).split(';') {
            tx.run(Sql::raw(statement.to_owned()), &[]).await.unwrap();
        }
        let tx = check(tx).await;
        if let Link::Postgres(link) = tx.into_link() {
            link.end(false).await.unwrap();
        }
    }
}
