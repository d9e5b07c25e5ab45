use futures_util::future::join_all;
use sheet::{Cell, FileKind, Look, Writer};
use testkit::{Method, Site, Value, form, json, on_both_engines};

use super::gadgets::{operations, serve};
use super::{clerk, dry_run, execute, table, tried, try_import};

const FAULTY: &str = "Code;NAME ;active;Comment;weight;\n\
    a;first;yes;x;1.5;\n\
    ;second;maybe;;1,5;\n\
    ;;;;;\n\
    A;'=third;no;;;\n\
    b;fourth;;;-0.0000001;\n";

async fn nothing_is_left(site: &Site) {
    assert_eq!((site.objects(), site.count("import_file").await, site.count("department").await), (0, 0, 0));
}

on_both_engines! {
    async fn all_faults_of_all_rows(site) {
        let clerk = clerk(site, &serve(site).await).await;
        let answer = try_import(&clerk, "list.csv", FAULTY.as_bytes()).await.expect(200);
        let faults: Vec<String> = answer.body["errors"].as_array().unwrap().iter().map(|fault| {
            let text = |name: &str| fault[name].as_str().unwrap().to_owned();
            format!("{} {} {:?} {}", fault["row"], text("column"), text("value"), text("message"))
        }).collect();
        assert_eq!(faults, [
            "3 code \"\" The code is empty.",
            "3 active \"maybe\" Must be true, false, yes, no, 1 or 0.",
            "3 weight \"1,5\" Not a decimal number.",
            "5 code \"A\" The code is repeated.",
            "6 weight \"-0.0000001\" Must have at most 6 digits after the decimal point.",
        ]);
        let body = &answer.body;
        assert_eq!((&body["status"], &body["filename"], &body["ignored_columns"]), (&json!("error"), &json!("list.csv"), &json!(["Comment"])));
        assert_eq!((&body["rows_total"], &body["rows_valid"], &body["rows_error"]), (&json!(4), &json!(1), &json!(3)));
        let counts = ["x-import-status", "x-error-count", "x-valid-count"].map(|name| answer.header(name).to_owned());
        assert_eq!(counts, ["error", "3", "1"]);
        nothing_is_left(site).await;
    }

    async fn faults_as_a_sheet_to_correct(site) {
        let clerk = clerk(site, &serve(site).await).await;
        let request = clerk.request(Method::POST, "/gadget/import").header("accept", "*/*").multipart(dry_run("list.csv", FAULTY.as_bytes()));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let headers = ["x-import-status", "x-error-count", "x-valid-count", "content-type", "content-disposition"];
        let headers = headers.map(|name| answer.headers()[name].to_str().unwrap().to_owned());
        assert_eq!(headers, ["error", "3", "1", sheet::XLSX, "attachment; filename=\"import_errors.xlsx\""]);
        let sheet = table(FileKind::Xlsx, &answer.bytes().await.unwrap());
        assert_eq!(sheet.columns, ["code", "name", "active", "weight", "status", "errors"]);
        assert_eq!(sheet.rows, [
            ["a", "first", "yes", "1.5", "OK", ""],
            ["", "second", "maybe", "1,5", "ERROR", "code: The code is empty.; active: Must be true, false, yes, no, 1 or 0.; weight: Not a decimal number."],
            ["A", "'=third", "no", "", "ERROR", "code: The code is repeated."],
            ["b", "fourth", "", "'-0.0000001", "ERROR", "weight: Must have at most 6 digits after the decimal point."],
        ]);
        nothing_is_left(site).await;
        let noted: i64 = site.look("select count(*) from audit where operation = 'import_gadgets' and outcome = 'ok'", vec![]).await.unwrap();
        assert_eq!(noted, 1, "that it was tried is in the log");
    }

    async fn a_good_file_is_kept_and_executed_once(site) {
        let clerk = clerk(site, &serve(site).await).await;
        let file = "\u{feff}code,meta:Colour,name\r\n'-1,red,minus\r\n\r\n2,\"blue, dark\",two\r\n";
        let answer = try_import(&clerk, "good.CSV", file.as_bytes()).await.expect(200);
        let key = answer.body["file_key"].as_str().unwrap();
        assert_eq!(answer.body, json!({
            "status": "valid", "file_key": key, "filename": "good.CSV", "rows_total": 2, "rows_valid": 2, "ignored_columns": [],
            "rows_created": 2, "rows_skipped": 0
        }));
        assert_eq!((site.objects(), site.count("import_file").await, site.count("department").await), (1, 1, 0));
        let done = execute(&clerk, key, &[]).await.detail();
        assert_eq!(done, json!({ "rows_total": 2, "rows_created": 2 }));
        let rows: Vec<(String, String)> = site.all("select code, name from department order by code").await;
        assert_eq!(rows, [("-1", "minus Colour=red"), ("2", "two Colour=blue, dark")].map(|(code, name)| (code.to_owned(), name.to_owned())));
        execute(&clerk, key, &[]).await.expect(404);
        assert_eq!((site.objects(), site.count("import_file").await), (0, 0));
        let (targets, total): (Value, i64) = site.look("select targets, targets_total from audit where operation = 'import_gadgets' and outcome = 'ok' order by key desc limit 1", vec![]).await.unwrap();
        assert_eq!((&targets[0], total), (&json!(format!("ImportFile/{key}")), 3));
    }

    async fn a_workbook_is_as_good(site) {
        let clerk = clerk(site, &serve(site).await).await;
        let mut writer = Writer::new(FileKind::Xlsx, Vec::new()).unwrap();
        writer.header(["CODE", "name", "active"]).unwrap();
        writer.row(Look::Plain, &[Cell::number(12345), Cell::text("=1+1"), Cell::Boolean(false)]).unwrap();
        let answer = try_import(&clerk, "a.xlsx", &writer.finish().unwrap()).await.expect(200);
        execute(&clerk, answer.body["file_key"].as_str().unwrap(), &[]).await.expect(200);
        let rows: Vec<(String, String)> = site.all("select code, name from department").await;
        assert_eq!(rows, [("12345".to_owned(), "=1+1".to_owned())]);
    }

    async fn what_is_no_import(site) {
        let clerk = clerk(site, &serve(site).await).await;
        let refused = async |name: &str, file: &[u8], status: u16| {
            let answer = try_import(&clerk, name, file).await.expect(status);
            answer.body["detail"].as_str().map(str::to_owned).unwrap_or_else(|| answer.body["detail"].to_string())
        };
        assert_eq!(refused("a.txt", b"code\n1\n", 400).await, "The file must be .csv or .xlsx.");
        assert_eq!(refused("a.csv", b"code\n\xff\n", 400).await, "The file is not UTF-8 text.");
        assert_eq!(refused("a.xlsx", b"code\n1\n", 400).await, "The file is no XLSX workbook, or is damaged or protected by a password.");
        assert_eq!(refused("a.csv", b"code\n\n", 400).await, "The file has no rows below its header.");
        assert_eq!(refused("a.csv", b"", 400).await, "The first row has to name the columns.");
        assert_eq!(refused("a.csv", b"code,Code \n1,2\n", 400).await, "The header has the column code twice.");
        let missing = try_import(&clerk, "a.csv", b"name,x\n1,2\n").await.expect(400);
        assert_eq!(missing.body["detail"]["missing_columns"], json!(["code"]));
        assert_eq!(refused("a.csv", &[b"code\n".to_vec(), b"1\n".repeat(200_001)].concat(), 413).await, "The file has more than 200000 rows.");
        let large = vec![b'x'; 32 * 1024 * 1024 + 1];
        refused("a.csv", &large, 413).await;
        let longer = try_import(&clerk, "a.csv", b"code\n1,\n2,x\n").await.expect(200);
        assert_eq!(longer.body["errors"], json!([{ "row": 3, "column": "", "value": "x", "message": "The row has more cells than the header." }]));

        let send = async |fields: &[(&'static str, &str)]| clerk.upload(Method::POST, "/gadget/import", fields, &[]).await;
        send(&[("place", "here")]).await.expect(400);
        send(&[("dry_run", "false")]).await.expect(400);
        assert_eq!(send(&[("import_mode", "create")]).await.faults(), ["missing body.place"]);
        let faults = send(&[("dry_run", "perhaps"), ("import_mode", "replace"), ("x", "1")]).await.faults();
        let values = ["bool_type body.dry_run", "enum body.import_mode", "missing body.place"];
        assert_eq!(faults, [&["extra_forbidden body.x"], &values[..]].concat());
        let faults = send(&[("dry_run", "perhaps"), ("import_mode", "replace")]).await.faults();
        assert_eq!(faults, values);
        let no_mode = clerk.upload(Method::POST, "/other/import", &[], &[("file", "a.csv", b"code\n1\n")]).await;
        assert_eq!(no_mode.faults(), ["missing body.import_mode"]);
        clerk.upload(Method::POST, "/gadget/import", &[("dry_run", "false")], &[("file", "a.csv", b"code\n1\n")]).await.expect(400);
        clerk.upload(Method::POST, "/gadget/import", &[("place", "nowhere")], &[("file", "a.csv", b"code\n1\n")]).await.expect(404);
        nothing_is_left(site).await;
    }

    async fn only_who_tried_it_may_execute_it(site) {
        let base = serve(site).await;
        let clerk = clerk(site, &base).await;
        let key = tried(&clerk, "code\n1\n").await;
        let other = site.user("other", "org:department:write").await.at(&base);
        execute(&other, &key, &[]).await.expect(403);
        let elsewhere = site.api_token(&clerk, "org:department:write").await;
        execute(&elsewhere, &key, &[]).await.expect(403);
        execute(&clerk, &key, &[("import_mode", "create")]).await.expect(403);
        execute(&clerk, &key, &[("place", "elsewhere")]).await.expect(403);
        clerk.upload(Method::POST, "/other/import", &[("dry_run", "false"), ("file_key", &key)], &[]).await.expect(404);
        for unknown in ["x", "../..", "0000000000000", "vvvvvvvvvvvvv"] {
            execute(&clerk, unknown, &[]).await.expect(404);
        }
        assert_eq!(site.count("department").await, 0);
        execute(&clerk, &key, &[("import_mode", "upsert"), ("place", "here")]).await.expect(200);
    }

    async fn what_changed_meanwhile_is_checked_again(site) {
        let clerk = clerk(site, &serve(site).await).await;
        let fields = [("place", "here"), ("import_mode", "create")];
        let answer = clerk.upload(Method::POST, "/gadget/import", &fields, &[("file", "a.csv", b"code\n1\n2\n")]).await.expect(200);
        let key = answer.body["file_key"].as_str().unwrap();
        site.execute("insert into department (key, name, name_folded, code, code_folded) values ('d', 'D', 'd', '2', '2')", vec![]).await;
        let refused = execute(&clerk, key, &[]).await.expect(422);
        assert_eq!(refused.body["detail"], json!({
            "error_type": "ImportException", "message": "Rows are no longer valid; nothing was imported.", "rule": "rows",
            "errors": [{ "row": 3, "column": "code", "value": "2", "message": "The code is taken." }]
        }));
        assert_eq!((site.count("department").await, site.objects()), (1, 1), "nothing changed, the file is still there");
        site.execute("delete from department", vec![]).await;
        execute(&clerk, key, &[]).await.expect(200);
    }

    async fn a_write_that_fails_changes_nothing(site) {
        let clerk = clerk(site, &serve(site).await).await;
        let file = form(&[("place", "a full shelf")], &[("file", "a.csv", b"code\n1\n")]);
        let answer = clerk.send(clerk.request(Method::POST, "/gadget/import").multipart(file)).await.expect(200);
        execute(&clerk, answer.body["file_key"].as_str().unwrap(), &[]).await.expect(409);
        assert_eq!((site.count("department").await, site.count("import_file").await, site.objects()), (0, 1, 1));
    }

    async fn many_at_once_execute_it_once(site) {
        let clerk = clerk(site, &serve(site).await).await;
        let key = tried(&clerk, "code\n1\n2\n3\n").await;
        let answers = join_all((0..6).map(|_| execute(&clerk, &key, &[]))).await;
        let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 404, 404, 404, 404, 404]);
        assert_eq!((site.count("department").await, site.objects()), (3, 0));
    }

    async fn repeated_under_a_key_it_is_answered_alike(site) {
        let clerk = clerk(site, &serve(site).await).await;
        let keyed = |key: &str, form: reqwest::multipart::Form| clerk.request(Method::POST, "/gadget/import").header("idempotency-key", key.to_owned()).multipart(form);
        let trial = || clerk.send(keyed("k1", dry_run("a.csv", b"code\n1\n")));
        let first = trial().await.expect(200);
        let again = trial().await.expect(200);
        assert_eq!((again.header("idempotency-replayed"), &again.text), ("true", &first.text));
        assert_eq!((site.objects(), site.count("import_file").await), (1, 1));
        let key = first.body["file_key"].as_str().unwrap().to_owned();
        let execution = || clerk.send(keyed("k2", form(&[("dry_run", "false"), ("file_key", &key)], &[])));
        let done = execution().await.expect(200);
        let repeated = execution().await.expect(200);
        assert_eq!((repeated.header("idempotency-replayed"), &repeated.text), ("true", &done.text));
        assert_eq!(trial().await.expect(200).text, first.text, "though it is executed by now");
        assert_eq!((site.count("department").await, site.objects()), (1, 0));
        let faulty = || clerk.send(keyed("k3", dry_run("a.csv", b"code,active\n2,x\n")).header("accept", "application/json"));
        assert_eq!(faulty().await.expect(200).body["rows_error"], 1);
        assert_eq!(faulty().await.expect(200).header("idempotency-replayed"), "", "what changes nothing is not kept");
        let other = clerk.send(keyed("k2", form(&[("dry_run", "false"), ("file_key", "x")], &[]))).await;
        assert_eq!(other.faults(), ["idempotency_mismatch header.Idempotency-Key"]);
    }

    async fn a_file_is_kept_for_a_day(site) {
        let clerk = clerk(site, &serve(site).await).await;
        let key = tried(&clerk, "code\n1\n").await;
        let clean = async || {
            let now = site.app().now();
            site.app().db.write("clean", async move |tx: &mut store::Tx| store::imports::remove_old(tx, now).await).await.unwrap()
        };
        // Its session does not live as long, so the file is made older.
        site.execute("update import_file set created = created - 86399999", vec![]).await;
        assert_eq!(clean().await, 0);
        site.execute("update import_file set created = created - 1", vec![]).await;
        execute(&clerk, &key, &[]).await.expect(404);
        assert_eq!(clean().await, 1);
        site.app().media.erase_gone(&site.app().db).await.unwrap();
        assert_eq!((site.objects(), site.count("import_file").await), (0, 0));
    }

    /// However many rows there are, a step costs a few statements.
    async fn twenty_thousand_rows(site) {
        let clerk = clerk(site, &serve(site).await).await;
        let rows: String = (0..20_000).map(|row| format!("c{row},name {row},true,{row}.5\n")).collect();
        let file = format!("code,name,active,weight\n{rows}");
        let (cost, answer) = site.statements(try_import(&clerk, "a.csv", file.as_bytes())).await;
        assert_eq!((&answer.body["rows_valid"], &answer.body["rows_created"]), (&json!(20_000), &json!(20_000)), "{}", answer.text);
        assert!(cost < 12, "{cost} statements");
        let (cost, done) = site.statements(execute(&clerk, answer.body["file_key"].as_str().unwrap(), &[])).await;
        assert_eq!(done.detail(), json!({ "rows_total": 20_000, "rows_created": 20_000 }));
        assert!(cost < 18, "{cost} statements");
        assert_eq!(site.count("department").await, 20_000);
    }
}

#[test]
fn the_document_says_it_all() {
    let document = api::openapi::document(&operations());
    let import = &document["paths"]["/gadget/import"]["post"];
    let form = &document["components"]["schemas"]["ImportGadget"]["properties"];
    assert_eq!(
        import["requestBody"]["content"]["multipart/form-data"]["schema"]["$ref"],
        "#/components/schemas/ImportGadget"
    );
    assert_eq!((&form["dry_run"]["default"], &form["import_mode"]["default"]), (&json!(true), &json!("upsert")));
    assert!(form["place"].is_object() && form["file_key"].is_object() && form["file"].is_object());
    let content = import["responses"]["200"]["content"].as_object().unwrap();
    assert_eq!(content.keys().collect::<Vec<_>>(), ["application/json", sheet::XLSX]);
    let export = &document["paths"]["/gadget/export"]["get"];
    assert_eq!(
        export["responses"]["200"]["content"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["text/csv", sheet::XLSX]
    );
    assert!(export["responses"]["206"].is_null());
}
