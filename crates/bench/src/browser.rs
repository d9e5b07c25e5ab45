//! The web console in a browser, as its own program measures it.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::report::{Report, Row};
use crate::server::BINARY;

pub fn measure(report: &mut Report) {
    println!("browser");
    let output = Command::new("scripts/in-console")
        .args(["npm", "run", "--silent", "bench"])
        .env("TRACEWRIGHT_BINARY", Path::new(BINARY).canonicalize().expect("the service is built"))
        .stderr(Stdio::inherit())
        .output()
        .expect("the console is there");
    assert!(output.status.success(), "the program of the console failed");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    for line in lines.lines().filter(|line| line.starts_with('{')) {
        let line: Value = serde_json::from_str(line).expect("a line of figures");
        let text = |name: &str| line[name].as_str().expect("a text").to_owned();
        report.add(Row {
            engine: "browser",
            work: text("work"),
            measured: text("measured"),
            floor: text("floor"),
            ratio: text("ratio"),
            goal: text("goal").leak(),
        });
    }
}
