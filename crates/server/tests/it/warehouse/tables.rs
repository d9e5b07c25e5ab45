//! Positions in tables. The machinery itself is tested in `imports`.

use sheet::{Cells, Column, FileKind, ReadError, Rows};
use testkit::{Method, form, on_both_engines};

use super::*;

const HEADER: &str = "code,parent_code,owned,available,fixed,disposable,allow_consumption";
const UPSERT: &[(&str, &str)] = &[("import_mode", "upsert")];

async fn dry_run(person: &Person, file: &str, fields: &[(&'static str, &str)]) -> Answer {
    let request = person.request(Method::POST, "/position-import").header("accept", "application/json");
    person.send(request.multipart(form(fields, &[("file", "positions.csv", file.as_bytes())]))).await
}

async fn execute(person: &Person, key: &str) -> Answer {
    let fields = [("dry_run", "false"), ("file_key", key)];
    person.send(person.request(Method::POST, "/position-import").multipart(form(&fields, &[]))).await
}

/// The key of a file without faults, and what its dry run counted.
async fn tried(person: &Person, file: &str, fields: &[(&'static str, &str)]) -> (String, Value) {
    let tried = dry_run(person, file, fields).await.expect(200).body;
    assert_eq!(tried["status"], "valid", "{tried}");
    (
        tried["file_key"].as_str().unwrap().to_owned(),
        json!([tried["positions_to_create"], tried["positions_to_update"]]),
    )
}

/// Both steps: rows, created, updated.
async fn import(person: &Person, file: &str, fields: &[(&'static str, &str)]) -> Value {
    let (key, counted) = tried(person, file, fields).await;
    let done = execute(person, &key).await.expect(200).detail();
    assert_eq!(counted, json!([done["created"], done["updated"]]), "as the dry run said");
    json!([done["rows_total"], done["created"], done["updated"]])
}

fn faults(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.body["status"], "error", "{}", answer.text);
    let shown = |fault: &Value| {
        format!("{} {} {}", fault["row"], fault["column"].as_str().unwrap(), fault["value"].as_str().unwrap())
    };
    answer.body["errors"].as_array().unwrap().iter().map(shown).collect()
}

async fn export(person: &Person, query: &str) -> Vec<u8> {
    let answer = person.media(&format!("/api/position-export?{query}")).await;
    assert_eq!(answer.status(), 200);
    answer.bytes().await.unwrap().to_vec()
}

async fn csv(person: &Person, query: &str) -> String {
    String::from_utf8(export(person, query).await).unwrap()
}

/// The rows of a sheet.
#[derive(Default)]
struct Sheet(Vec<Vec<String>>);

impl Rows for Sheet {
    type Error = ReadError;

    fn header(&mut self, columns: &[Column]) -> Result<(), ReadError> {
        self.0.push(columns.iter().map(|column| column.written.clone()).collect());
        Ok(())
    }

    fn row(&mut self, _: u32, cells: &Cells) -> Result<(), ReadError> {
        self.0.push((0..7).map(|column| cells.get(column).to_owned()).collect());
        Ok(())
    }
}

/// What tables hold of positions.
async fn stored(site: &Site) -> Vec<(String, String)> {
    let kept = ["position", "position_link"];
    site.contents().await.into_iter().filter(|(table, _)| kept.contains(&table.as_str())).collect()
}

on_both_engines! {
    async fn parents_may_stand_anywhere(site) {
        let keeper = keeper(site).await;
        make(&keeper, "H", "IN").await;
        let file = "code;parent_code;fixed;allow_consumption;colour\n\
                    A11;a1;no;0;red\n\
                    A1; A ;;yes;\n\
                    \n\
                    A;;;;\n\
                    H1;h;;;\n\
                    S;OUT;1;;\n";
        let (key, counted) = tried(&keeper, file, &[]).await;
        assert_eq!((counted, site.count("position").await), (json!([5, 0]), 4), "the first step changes nothing");
        assert_eq!(execute(&keeper, &key).await.expect(200).detail(), json!({ "rows_total": 5, "created": 5, "updated": 0 }));
        execute(&keeper, &key).await.expect(404);
        assert_eq!(tree(&keeper, "").await, json!(["IN", [["A", [["A1", [["A11", []]]]]], ["H", [["H1", []]]]]]));
        assert_eq!(tree(&keeper, "?position_key=OUT").await, json!(["OUT", [["S", []]]]));
        let listed = keeper.get("/position?search=a*").await.body;
        let shown: Vec<Value> = listed.as_array().unwrap().iter().map(|row| json!([row["code"], row["fixed"], row["allow_consumption"], row["owned"]])).collect();
        assert_eq!(json!(shown), json!([["A", true, null, true], ["A1", true, true, true], ["A11", false, false, true]]));
        let ignored = dry_run(&keeper, "code,Colour\nnew,red\n", &[]).await.expect(200).body;
        assert_eq!(ignored["ignored_columns"], json!(["Colour"]));
    }

    async fn all_faults_of_all_rows_are_told(site) {
        let keeper = keeper(site).await;
        shelves(&keeper).await;
        let long = "x".repeat(129);
        let too_long = format!("7 code {long}");
        let file = format!(
            "{HEADER}\n\
             ,A,,,,,\n\
             new,A,,,,,\n\
             NEW,A,,,,,\n\
             a1,,,,,,\n\
             in,,,,,,\n\
             {long},,,,,,\n\
             far,nowhere,maybe,2,no,x,perhaps\n\
             void,NULL,,,,,\n\
             me,ME,,,,,\n\
             one,two,,,,,\n\
             two,one,,,,,\n\
             below,one,,,,,\n"
        );
        let tried = dry_run(&keeper, &file, &[]).await.expect(200);
        assert_eq!(
            faults(&tried),
            [
                "2 code ", "4 code NEW", "5 code a1", "6 code in", too_long.as_str(), "8 owned maybe", "8 available 2",
                "8 disposable x", "8 allow_consumption perhaps", "8 parent_code nowhere", "9 parent_code NULL", "10 parent_code ME",
                "11 parent_code two", "12 parent_code one",
            ]
        );
        assert_eq!((tried.header("x-import-status"), tried.header("x-error-count"), tried.header("x-valid-count")), ("error", "10", "2"));
        assert_eq!(site.count("position").await, 6);
        assert_eq!(faults(&dry_run(&keeper, "code\nin\nOUT\nnew\n", UPSERT).await), ["2 code in", "3 code OUT"]);
        let unseen = dry_run(&keeper, "code,fixed\n\u{200b}\u{3164},no\n", &[]).await;
        assert_eq!(faults(&unseen), ["2 code \u{200b}\u{3164}"], "nobody can see it");
        let parents = dry_run(&keeper, "code,parent_code\n,no\nnew,A\nNEW,no\na1,no\nin,NULL\n", &[]).await;
        assert_eq!(
            faults(&parents),
            [
                "2 code ", "2 parent_code no", "4 code NEW", "4 parent_code no", "5 code a1", "5 parent_code no", "6 code in",
                "6 parent_code NULL",
            ],
            "parents, too, where the code is at fault"
        );
        assert_eq!(
            faults(&dry_run(&keeper, "code,parent_code\nA,A1\n", UPSERT).await), ["2 parent_code A1"], "round by what is there"
        );
        assert_eq!(dry_run(&keeper, "parent_code\nA\n", &[]).await.expect(400).body["detail"]["missing_columns"], json!(["code"]));
        dry_run(&keeper, "code\n", &[]).await.expect(400);
        keeper.upload(Method::POST, "/position-import", &[("dry_run", "true")], &[]).await.expect(400);
        keeper.upload(Method::POST, "/position-import", &[("dry_run", "false")], &[]).await.expect(400);
        keeper.upload(Method::POST, "/position-import", &[], &[("file", "a.txt", b"code\nA\n")]).await.expect(400);
        assert_eq!(dry_run(&keeper, "code\nB\n", &[("import_mode", "replace")]).await.faults(), ["enum body.import_mode"]);
        let sheet = keeper.upload(Method::POST, "/position-import", &[], &[("file", "a.csv", b"code\nA1\n")]).await.expect(200);
        assert_eq!((sheet.header("x-error-count"), sheet.header("content-type")), ("1", sheet::XLSX));
    }

    async fn what_is_too_deep_is_told(site) {
        let keeper = keeper(site).await;
        let chain: String = (1..=100).map(|level| format!("L{level},{}\n", if level == 1 { String::new() } else { format!("L{}", level - 1) })).collect();
        assert_eq!(faults(&dry_run(&keeper, &format!("code,parent_code\n{chain}"), &[]).await), ["101 parent_code L99"]);
        let chain: Vec<&str> = chain.lines().take(99).collect();
        assert_eq!(import(&keeper, &format!("code,parent_code\n{}\n", chain.join("\n")), &[]).await, json!([99, 99, 0]));
        assert_eq!(faults(&dry_run(&keeper, "code,parent_code\nnew,L99\n", &[]).await), ["2 parent_code L99"]);
        assert_eq!(
            faults(&dry_run(&keeper, "code,parent_code\ntop,\nL1,top\n", UPSERT).await), ["3 parent_code top"], "with what is in it"
        );
    }

    async fn an_upsert_changes_what_cells_say_and_nothing_else(site) {
        let keeper = keeper(site).await;
        shelves(&keeper).await;
        keeper.patch("/position/A1", json!({ "fixed": false, "allow_consumption": false, "extra": { "a": 1 } })).await.expect(200);
        let before = keeper.get("/position/A2").await.body["position"].clone();
        let file = "code,parent_code,owned,fixed\n\
                    a1,,no,\n\
                    A2,,,\n\
                    A3,a1,,no\n";
        assert_eq!(import(&keeper, file, UPSERT).await, json!([3, 1, 2]));
        let a1 = keeper.get("/position/A1").await.body["position"].clone();
        assert_eq!((&a1["code"], &a1["owned"], &a1["fixed"]), (&json!("A1"), &json!(false), &json!(false)));
        assert_eq!((&a1["allow_consumption"], &a1["extra"], &a1["parent_position_key"]), (&json!(false), &json!({ "a": 1 }), &json!("A")));
        assert_eq!(keeper.get("/position/A2").await.body["position"], before, "not even its revision");
        assert_eq!(tree(&keeper, "").await, json!(["IN", [["A", [["A1", [["A3", []]]], ["A2", []]]]]]));
        assert_eq!(import(&keeper, "code,parent_code\nA1,IN\nA,A1\n", UPSERT).await, json!([2, 0, 2]), "turned round in one file");
        assert_eq!(tree(&keeper, "").await, json!(["IN", [["A1", [["A", [["A2", []]]], ["A3", []]]]]]));
        let links: Vec<(String, i64)> = site.all("select child_key, rev from position_link order by child_key").await;
        assert!(links.contains(&("A".to_owned(), 2)) && links.contains(&("A2".to_owned(), 1)), "{links:?}");
    }

    async fn rows_are_checked_again_when_they_are_written(site) {
        let keeper = keeper(site).await;
        let (key, _) = tried(&keeper, "code,parent_code\nA,\nB,A\n", &[]).await;
        keeper.post("/position", json!({ "code": "b" })).await.expect(200);
        let refused = execute(&keeper, &key).await.expect(422).body["detail"].clone();
        assert_eq!((&refused["error_type"], &refused["rule"]), (&json!("ImportException"), &json!("rows")));
        assert_eq!((&refused["errors"][0]["row"], &refused["errors"][0]["column"]), (&json!(3), &json!("code")));
        assert_eq!(site.count("position").await, 4, "all or nothing");
        let other = site.user("other", "warehouse").await;
        execute(&other, &key).await.expect(403);
        let fields = [("dry_run", "false"), ("file_key", key.as_str()), ("import_mode", "upsert")];
        keeper.upload(Method::POST, "/position-import", &fields, &[]).await.expect(403);
        execute(&keeper, "0000000000000").await.expect(404);
        site.clock.advance_seconds(25 * 3600);
        let keeper = site.visitor("keeper").sign_in(site.password()).await;
        execute(&keeper, &key).await.expect(404);
    }

    async fn exports_have_parents_first_and_come_in_again(site) {
        let keeper = keeper(site).await;
        assert_eq!(csv(&keeper, "format=template").await, format!("{HEADER}\r\n"));
        assert_eq!(csv(&keeper, "").await, format!("{HEADER}\r\n"));
        make(&keeper, "Z", "IN").await;
        make(&keeper, "A1", "Z").await;
        make(&keeper, "supplier", "OUT").await;
        keeper.post("/position", json!({ "code": "=A", "parent_position_key": "A1", "owned": false, "fixed": false })).await.expect(200);
        keeper.post("/position", json!({ "code": "12345", "available": false, "disposable": true, "allow_consumption": true })).await.expect(200);
        let table = csv(&keeper, "").await;
        assert_eq!(table, format!(
            "{HEADER}\r\n12345,IN,true,false,true,true,true\r\nZ,IN,true,true,true,false,\r\nA1,Z,true,true,true,false,\r\n'=A,A1,false,true,false,false,\r\n"
        ));
        assert_eq!(csv(&keeper, "is_in_position=OUT").await, format!("{HEADER}\r\nsupplier,OUT,true,true,true,false,\r\n"));
        assert_eq!(csv(&keeper, "search=a*&fixed_only=true").await, format!("{HEADER}\r\nA1,Z,true,true,true,false,\r\n"));
        let answer = keeper.media("/api/position-export?format=xlsx").await;
        assert_eq!(answer.headers()["content-disposition"], "attachment; filename=\"positions.xlsx\"");
        assert_eq!(answer.headers()["cache-control"], "no-store", "who sits there next finds nothing of it");
        let bytes = answer.bytes().await.unwrap();
        let mut sheet = Sheet::default();
        sheet::read(FileKind::Xlsx, &bytes, &mut sheet).unwrap();
        assert_eq!((sheet.0.len(), &sheet.0[1][..2]), (5, &["12345".to_owned(), "IN".to_owned()][..]));
        let before = stored(site).await;
        let columns = keeper.upload(Method::POST, "/position-import", UPSERT, &[("file", "p.xlsx", &bytes[..])]).await.expect(200).body;
        assert_eq!((&columns["positions_to_create"], &columns["positions_to_update"]), (&json!(0), &json!(4)), "{columns}");
        assert_eq!(import(&keeper, &table, UPSERT).await, json!([4, 0, 4]));
        assert_eq!(stored(site).await, before, "an unchanged export changes nothing");
        for key in ["=A", "A1", "Z", "12345"] {
            let found = keeper.get("/position").await.body;
            let row = found.as_array().unwrap().iter().find(|row| row["code"] == key).unwrap().clone();
            keeper.delete(&format!("/position/{}", row["_key"].as_str().unwrap())).await.expect(200);
        }
        assert_eq!(import(&keeper, &table, &[]).await, json!([4, 4, 0]));
        assert_eq!(csv(&keeper, "").await, table);
        keeper.get("/position-export?format=pdf").await.expect(422);
    }
}
