use sheet::FileKind;
use testkit::{Person, Site, json, on_both_engines};

use super::gadgets::serve;
use super::{clerk, execute, table, try_import};

async fn fill(site: &Site, rows: usize) {
    let work = async move |tx: &mut store::Tx| {
        for row in 0..rows {
            let sql = "insert into department (key, name, name_folded, code, code_folded) values ($1, $2, '', $1, $1)";
            tx.run(
                store::Sql::raw(sql),
                &store::params![format!("=c{row:05}"), format!("name; \"{row}\" {}", "x".repeat(100))],
            )
            .await?;
        }
        Ok(())
    };
    site.app().write("fill", work).await.unwrap();
}

async fn export(person: &Person, query: &str) -> reqwest::Response {
    person.media(&format!("/api/gadget/export{query}")).await
}

/// What it is, and under which name.
fn shown(answer: &reqwest::Response) -> [&str; 2] {
    ["content-type", "content-disposition"].map(|name| answer.headers()[name].to_str().unwrap())
}

on_both_engines! {
    async fn every_format(site) {
        let clerk = clerk(site, &serve(site).await).await;
        fill(site, 2).await;
        let csv = export(&clerk, "").await;
        assert_eq!(shown(&csv), ["text/csv; charset=utf-8", "attachment; filename=\"gadgets.csv\""]);
        let text = csv.text().await.unwrap();
        assert!(text.starts_with("code,name,active,weight\r\n'=c00000,\"name; \"\"0\"\" xxx"), "{text}");
        let template = export(&clerk, "?format=template").await;
        assert_eq!(template.headers()["content-type"], "text/csv; charset=utf-8");
        assert_eq!(template.text().await.unwrap(), "code,name,active,weight\r\n");
        let xlsx = export(&clerk, "?format=xlsx").await;
        assert_eq!(shown(&xlsx), [sheet::XLSX, "attachment; filename=\"gadgets.xlsx\""]);
        let sheet = table(FileKind::Xlsx, &xlsx.bytes().await.unwrap());
        assert_eq!(sheet.columns, ["code", "name", "active", "weight"]);
        assert_eq!((sheet.rows[1][0].as_str(), sheet.rows[1][2].as_str(), sheet.rows[1][3].as_str()), ("'=c00001", "true", "12.5"));
        assert_eq!(clerk.get("/gadget/export?format=pdf").await.faults(), ["enum query.format"]);
    }

    async fn more_than_fits_into_memory(site) {
        let clerk = clerk(site, &serve(site).await).await;
        fill(site, 20_000).await;
        for (query, kind) in [("", FileKind::Csv), ("?format=xlsx", FileKind::Xlsx)] {
            let (cost, answer) = site.statements(export(&clerk, query)).await;
            assert!(cost < 5, "{cost} statements");
            let file = answer.bytes().await.unwrap();
            assert_eq!(table(kind, &file).rows.len(), 20_000, "{kind:?}");
            if kind == FileKind::Csv {
                assert!(file.len() > 2 * 1024 * 1024);
                let again = try_import(&clerk, "again.csv", &file).await.expect(200);
                assert_eq!((&again.body["rows_created"], &again.body["rows_skipped"]), (&json!(0), &json!(20_000)), "{}", again.text);
                let done = execute(&clerk, again.body["file_key"].as_str().unwrap(), &[]).await.detail();
                assert_eq!(done["rows_created"], 0);
            }
        }
    }

    async fn whatever_goes_wrong_is_an_ordinary_error(site) {
        let clerk = clerk(site, &serve(site).await).await;
        fill(site, 20_000).await;
        for query in ["", "?format=xlsx"] {
            let refused = clerk.get(&format!("/broken/export{query}")).await.expect(409);
            assert_eq!(refused.body["detail"], "The gadget is broken.");
        }
        site.execute("update department set name = $1 where key = '=c00007'", vec!["x".repeat(40_000).into()]).await;
        let refused = clerk.get("/gadget/export?format=xlsx").await.expect(400);
        assert_eq!(refused.body["detail"], "Row 9 has a cell of more than 32,767 characters, which XLSX can't hold: use CSV.");
        assert_eq!(export(&clerk, "").await.status(), 200);
        site.user("nobody", "").await.at(&serve(site).await).get("/gadget/export").await.expect(403);
    }
}
