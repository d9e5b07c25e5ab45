use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use domain::key::id_from_text;
use reqwest::{Body, Method, RequestBuilder};
use serde_json::{Map, Value, json};

use crate::Person;

/// Set to `write` by `make snapshots`, which writes the files anew instead of comparing with them.
const VARIABLE: &str = "SNAPSHOTS";

/// Answers of one test, each compared with a file of its name: request, status and body. Keys and other ids that differ from run
/// to run are numbered as they appear. Times stay, since tests move the clock by hand.
pub struct Album {
    folder: PathBuf,
    write: bool,
    taken: BTreeSet<String>,
    faults: Vec<String>,
}

impl Album {
    pub fn open(folder: PathBuf) -> Self {
        let write = std::env::var(VARIABLE).is_ok_and(|value| value == "write");
        Self { folder, write, taken: BTreeSet::new(), faults: Vec::new() }
    }

    /// Reads something and compares the answer; gives its body.
    pub async fn get(&mut self, name: &str, who: &Person, path: &str) -> Value {
        self.send(name, who, who.request(Method::GET, path)).await
    }

    /// Sends a body and compares the answer; gives its body.
    pub async fn post(&mut self, name: &str, who: &Person, path: &str, sent: Value) -> Value {
        self.send(name, who, who.request(Method::POST, path).json(&sent)).await
    }

    /// Sends a request of any kind and compares the answer; gives its body.
    pub async fn send(&mut self, name: &str, who: &Person, request: RequestBuilder) -> Value {
        let (http, request) = request.build_split();
        let request = request.expect("a request");
        let address = request.url().as_str().replacen(&who.base, "", 1);
        let mut shown = json!({ "request": format!("{} {address}", request.method()) });
        if let Some(sent) = request.body().and_then(Body::as_bytes) {
            shown["sent"] = serde_json::from_slice(sent).unwrap_or_else(|_| json!(String::from_utf8_lossy(sent)));
        }
        let answer = who.send(RequestBuilder::from_parts(http, request)).await;
        shown["status"] = json!(answer.status);
        shown["body"] = answer.body.clone();
        self.compare(name, &format!("{:#}\n", Names::default().value(shown)));
        answer.body
    }

    fn compare(&mut self, name: &str, shown: &str) {
        let name = format!("{name}.json");
        let file = self.folder.join(&name);
        if self.write {
            std::fs::create_dir_all(&self.folder).expect("the folder");
            std::fs::write(file, shown).expect("the snapshot is written");
        } else {
            let kept = std::fs::read_to_string(file).unwrap_or_default();
            self.faults.extend(difference(&kept, shown).map(|lines| format!("{name} has changed {lines}")));
        }
        assert!(self.taken.insert(name), "two snapshots of one name");
    }

    /// Fails if an answer was not that of its file, or if there is a file of no answer.
    pub fn close(mut self) {
        for entry in std::fs::read_dir(&self.folder).expect("the folder") {
            let name = entry.expect("a file").file_name().to_string_lossy().into_owned();
            if !self.taken.contains(&name) {
                self.faults.push(format!("{name} is the snapshot of nothing: delete it"));
            }
        }
        let hint = "If all of it is meant to be so, run `make snapshots` and commit what has changed.";
        assert!(self.faults.is_empty(), "{}\n{hint}", self.faults.join("\n"));
    }
}

/// What differs, from the first line that does.
fn difference(kept: &str, shown: &str) -> Option<String> {
    let same = kept.lines().zip(shown.lines()).take_while(|(kept, shown)| kept == shown).count();
    let rest = |text: &str, mark: &str| {
        let lines = text.lines().skip(same).take(8).map(|line| format!("{mark} {line}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    (kept != shown).then(|| format!("from line {} on:\n{}\n{}", same + 1, rest(kept, "-"), rest(shown, "+")))
}

/// Stable names for what differs from run to run, by what it is.
#[derive(Default)]
struct Names(HashMap<String, String>);

impl Names {
    fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(values) => values.into_iter().map(|value| self.value(value)).collect(),
            Value::Object(members) => {
                let named = members.into_iter().map(|(name, value)| (self.text(&name), self.value(value)));
                Value::Object(named.collect::<Map<_, _>>())
            }
            other => other,
        }
    }

    /// A text may be an address that holds keys.
    fn text(&mut self, text: &str) -> String {
        let words = text.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric());
        words
            .map(|word| {
                let end = word.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric()).len();
                let (word, behind) = word.split_at(end);
                format!("{}{behind}", self.word(word))
            })
            .collect()
    }

    fn word(&mut self, word: &str) -> String {
        let random = word.len() >= 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !random && id_from_text(word).is_none() {
            return word.to_owned();
        }
        let next = format!("<{}>", self.0.len() + 1);
        self.0.entry(word.to_owned()).or_insert(next).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbered_as_they_appear_and_all_else_stays() {
        let [one, two] = [1_i64 << 60, 3_i64 << 60].map(domain::key::id_to_text);
        let shown =
            json!({ "_key": two, "path": format!("/media/{one}/a.png"), "made": [two, "2026-03-01T08:00:00.000Z"] });
        let expected =
            json!({ "_key": "<1>", "path": "/media/<2>/a.png", "made": ["<1>", "2026-03-01T08:00:00.000Z"] });
        assert_eq!(Names::default().value(shown), expected);
        assert_eq!(Names::default().text("0123456789abcdef0123456789abcdef: no"), "<1>: no");
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(difference("a\nb\nc\n", "a\nb\nc\n"), None);
        assert_eq!(difference("a\nb\n", "a\nx\n").unwrap(), "from line 2 on:\n- b\n+ x");
        assert!(difference("a\n", "a\nmore\n").is_some());
        assert!(difference("a\n", "a").is_some(), "the end of a line counts");
    }
}
