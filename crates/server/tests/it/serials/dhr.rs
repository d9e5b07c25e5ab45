//! The Device History Record: as JSON, as a document and as an archive.

use std::io::{Cursor, Read};

use domain::Timestamp;
use domain::serial::history::{self, Wording};
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::*;
use crate::backup::tree;
use crate::production::complete;

/// A file as it was answered.
struct Downloaded {
    media_type: String,
    disposition: String,
    bytes: Vec<u8>,
}

async fn download(plant: &Plant, serial: &str, query: &str) -> Downloaded {
    let answer = plant.admin.request(Method::GET, &format!("/serial/{serial}/dhr?{query}")).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let header = |name: &str| answer.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
    let (media_type, disposition) = (header("content-type"), header("content-disposition"));
    Downloaded { media_type, disposition, bytes: answer.bytes().await.unwrap().to_vec() }
}

/// The record as JSON.
async fn record(plant: &Plant, serial: &str) -> Value {
    plant.get(&format!("/serial/{serial}/dhr?format=json")).await
}

/// The text of a document, page by page, without the ends of lines.
fn pages(bytes: &[u8]) -> Vec<String> {
    assert!(bytes.starts_with(b"%PDF"));
    let document = lopdf::Document::load_mem(bytes).unwrap();
    let numbers = document.get_pages().into_keys();
    numbers.map(|number| document.extract_text(&[number]).unwrap().split_whitespace().collect()).collect()
}

/// A text without blanks, as [`pages`] has it.
fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The files of an archive by their paths.
fn unpacked(bytes: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    let mut files = Vec::new();
    for name in names {
        let mut bytes = Vec::new();
        archive.by_name(&name).unwrap().read_to_end(&mut bytes).unwrap();
        files.push((name, bytes));
    }
    files
}

fn file<'a>(files: &'a [(String, Vec<u8>)], path: &str) -> &'a [u8] {
    let found = files.iter().find(|(name, _)| name == path);
    &found.unwrap_or_else(|| panic!("no {path}")).1
}

fn sha256(bytes: &[u8]) -> String {
    domain::text::hex(&Sha256::digest(bytes))
}

async fn attach(plant: &Plant, serial: &str, subfolder: &str, name: &str, bytes: &[u8]) {
    let mut fields = vec![("bucket", "serial"), ("object_key", serial)];
    if !subfolder.is_empty() {
        fields.push(("subfolder", subfolder));
    }
    plant.admin.upload(Method::POST, "/files", &fields, &[("contents", name, bytes)]).await.expect(200);
}

fn kinds(record: &Value) -> Vec<String> {
    each(&record["missing_evidence"], "kind")
}

/// A PNG of one pixel.
const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 6,
    0, 0, 0, 0x1F, 0x15, 0xC4, 0x89, 0, 0, 0, 10, b'I', b'D', b'A', b'T', 0x78, 0x9C, 0x63, 0, 1, 0, 0, 5, 0, 1, 0x0D,
    0x0A, 0x2D, 0xB4, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xAE, 0x42, 0x60, 0x82,
];

const SECTIONS: [Wording; 9] = [
    history::IDENTIFICATION,
    history::DATES,
    history::MANUFACTURED,
    history::RELEASED,
    history::MISSING,
    history::ACCEPTANCE,
    history::LABELS,
    history::COMPONENTS,
    history::ATTACHMENTS,
];

on_both_engines! {
    async fn a_record_says_what_is_missing_until_it_is_complete(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("C", json!({})).await;
        let part = plant.unit("C", "C-1").await;
        let form = json!([{ "_key": "w", "custom_field_key": "weight", "mandatory": true, "label": "Net weight" }]);
        let steps = json!([{ "title": "Weigh", "type": "form", "form_fields": form }]);
        let phases = [json!({ "production_batch_qt": 0, "step_check": true, "steps": steps })];
        let members = json!({ "traceability_level": "complete", "counter_key": "units", "serial_code_on_creation": true });
        let order = plant.shop.order_of("P", members, &phases, 1.0).await;
        let job = plant.shop.job(&order, 0).await;
        let bom = json!([{ "component_key": "C", "qt": 1, "phase_key": job["phase_key"] }]);
        let change = json!({ "new_bom": bom, "new_project_code": "PRJ" });
        plant.admin.patch(&format!("/work-order/{}", order.key), change).await.expect(200);
        let began = site.app().now();
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = &started["batch_data"];
        let unit = each(&plant.get(&format!("/batch/{}/serials", text(&batch["_key"]))).await, "serial_key").remove(0);

        let open = record(&plant, &unit).await;
        let mut missing = kinds(&open);
        missing.sort_unstable();
        assert_eq!(missing, ["component_missing", "form_value_missing", "not_released", "step_not_done"]);
        assert_eq!((&open["complete"], &open["quantity_released"]["unit"]), (&json!(false), &json!(0)));
        assert_eq!(open["headings"]["record"], json!({ "classic": "Device History Record", "batch_record": "Batch record (ISO 13485, 7.5.1)" }));
        let lacking = open["missing_evidence"].as_array().unwrap().iter().find(|one| one["kind"] == "component_missing").unwrap();
        assert_eq!(lacking["message"], format!("A unit of C is not linked to {}.", text(&open["identification"]["serial_code"])));
        let expected = &open["components"]["children"][0];
        assert_eq!((&expected["expected"], &expected["product_code"], &expected["expected_quantity"]), (&json!(true), &json!("C"), &json!(1)));
        let phase = &open["dates_of_manufacture"]["phases"][0];
        assert_eq!((&phase["phase_alias"], &phase["start"], &phase["end"]), (&json!("Phase 0"), &json!(began), &json!(null)));

        let links = json!([{ "child_serial_key": part, "parent_serial_key": unit }]);
        plant.operator.put(&format!("/batch/{}/serial-temp-links", text(&batch["_key"])), links).await.expect(200);
        site.clock.advance_seconds(60);
        let sent = json!({
            "batch_key": batch["_key"], "step_key": job["step_sequence"][0]["_key"], "form_data": [{ "form_field_key": "w", "value": 5.5 }],
        });
        event(&plant.operator, "STEP_COMPLETED", sent).await.expect(200);
        if plant.read(&unit).await["released"].is_null() {
            complete(&plant.operator, batch, json!({})).await.expect(200);
        }
        let done = record(&plant, &unit).await;
        assert_eq!((kinds(&done), &done["complete"]), (Vec::<String>::new(), &json!(true)));
        let read = plant.read(&unit).await;
        let named = &done["identification"];
        for member in ["product_key", "wo_key", "state", "created", "created_by", "released", "released_by", "scrapped", "scrap_reason"] {
            assert_eq!(named[member], read[member], "{member}");
        }
        assert_eq!((&named["serial_code"], &named["wo_code"], &named["project_code"]), (&read["code"], &json!("P"), &json!("PRJ")));
        let made = &done["quantity_manufactured"];
        assert_eq!((&made["unit"], &made["work_order_planned"], &made["work_order_completed"]), (&json!(1), &json!(1), &json!(1)));
        assert_eq!(done["quantity_released"], json!({ "unit": 1, "work_order_released": 1 }));
        let field = &done["acceptance_records"]["fields"][0];
        assert_eq!((&field["label"], &field["value"], &field["field_type"]), (&json!("Net weight"), &json!(5.5), &json!("number")));
        assert_eq!((&field["phase_alias"], &field["mandatory"]), (&json!("Phase 0"), &json!(true)));
        assert_eq!(field["last_updated_by"]["user_key"], json!(plant.operator.key));
        let step = &done["acceptance_records"]["step_data"][0];
        assert_eq!((&step["step_title"], &step["status"], &step["job_key"]), (&json!("Weigh"), &json!("done"), &json!(order.jobs[0])));
        assert_eq!((&step["operator_key"], &step["timestamp"]), (&json!(plant.operator.key), &json!(site.app().now())));
        assert_eq!(each(&done["events"], "event_type"), plant.told(&unit).await, "in the order they were stored");
        let child = &done["components"]["children"][0];
        assert_eq!((&child["serial_key"], &child["confirmed"], &done["components"]["serial_key"]), (&json!(part), &json!(true), &json!(unit)));
        assert!(done["journal"]["last_seq"].as_i64().unwrap() >= done["events"].as_array().unwrap().last().unwrap()["seq"].as_i64().unwrap());
        assert_eq!((&done["children"], &done["acceptance_records"]["issues"]), (&json!([]), &json!([])));
        assert_eq!((&done["generated"], &done["generated_by"]), (&json!(site.app().now()), &json!(plant.admin.key)));
    }

    async fn the_document_has_both_wordings_of_every_section_in_order(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.products(&["A", "B"]).await;
        let data = json!([{ "form_field_key": "c", "custom_field_key": "colour", "value": "signal red", "label": "Paint" }]);
        let a = plant.made(json!({ "product_key": "A", "code": "A-1", "data": data })).await;
        let b = plant.unit("B", "B-1").await;
        plant.link(&b, &a).await.expect(200);
        attach(&plant, &a, "c", "pixel.png", PIXEL).await;
        attach(&plant, &a, "c", "notes.txt", b"all well").await;
        let printed = download(&plant, &a, "").await;
        assert_eq!(printed.media_type, "application/pdf");
        let text = pages(&printed.bytes).concat();
        let mut rest = text.as_str();
        for wording in [history::RECORD].into_iter().chain(SECTIONS) {
            for words in [wording.classic, wording.batch_record] {
                let words = packed(words);
                let at = rest.find(&words).unwrap_or_else(|| panic!("no {words} in {rest}"));
                rest = &rest[at + words.len()..];
            }
        }
        for shown in ["signal red", "Paint", "B-1", "A-1", "Tracewright", "notes.txt", &sha256(b"all well"), "+00:00"] {
            assert!(text.contains(&packed(shown)), "no {shown} in {text}");
        }
        assert!(text.contains("none"), "nothing is missing");

        let drawn = download(&plant, &a, "include_attachments=true&include_step_data=true").await.bytes;
        assert!(drawn.len() > printed.bytes.len(), "the picture is in it");
        attach(&plant, &a, "c", "a.png", b"\x89PNG\r\n\x1a\nand nothing else").await;
        attach(&plant, &a, "c", "b.pdf", b"%PDF-1.7 and nothing else").await;
        let text = pages(&download(&plant, &a, "include_attachments=true").await.bytes).concat();
        assert!(text.contains("a.png") && text.contains("b.pdf"), "what can't be drawn is named");
    }

    async fn the_document_says_what_auditors_ask_for(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.products(&["A", "B"]).await;
        let name = json!({ "name": "Ada", "surname": "King" });
        plant.admin.patch(&format!("/user/{}", plant.admin.key), name).await.expect(200);
        let data = json!([{ "form_field_key": "c", "custom_field_key": "colour", "value": null, "label": "Paint" }]);
        let a = plant.made(json!({ "product_key": "A", "code": "A-1", "released": null, "data": data })).await;
        let [worn, b] = plant.units("B", ["B-1", "B-2"]).await;
        plant.link(&worn, &a).await.expect(200);
        unlink(&plant.admin, &worn, &a, json!({ "reason": "noise" })).await.expect(200);
        plant.link(&b, &a).await.expect(200);
        attach(&plant, &b, "", "seal.txt", b"tight").await;
        site.sealed().await;
        let printed = pages(&download(&plant, &a, "include_children=true").await.bytes);
        let journal = record(&plant, &a).await["journal"].clone();
        assert_eq!(journal["sealed_seq"], journal["last_seq"], "all events are sealed");
        let first = &printed[0];
        let now = site.app().now().local(&domain::counter::TimeZone::UTC);
        for shown in ["Record complete, not released yet", &format!("Generated {now}, Ada King"), &format!("Created {now}, Ada King")] {
            assert!(first.contains(&packed(shown)), "no {shown} in {first}");
        }
        for member in ["last_seq", "sealed_seq", "head_block", "head_hash"] {
            let value = journal[member].as_str().map_or_else(|| journal[member].to_string(), str::to_owned);
            assert!(first.contains(&value), "{member}");
        }
        let text = printed.concat();
        assert!(text.contains(&packed("The unit is not released.")) && !text.contains("not_released"));
        assert!(text.contains(&packed(&format!("B-1 (replaced {now}: noise)"))), "{text}");
        assert!(text.contains("Paint–"), "an empty value is marked");
        let inner: Vec<bool> = printed.iter().map(|page| page.contains(&packed("A · A-1 › B · B-2"))).collect();
        assert!(!inner[0] && inner[inner.len() - 1], "a unit inside has pages of its own: {inner:?}");
        assert!(printed.last().unwrap().contains("seal.txt"), "a unit that has nothing but a file, too");

        plant.scrap(&worn).await;
        let text = pages(&download(&plant, &worn, "").await.bytes).concat();
        assert!(text.contains(&packed(&format!("Scrapped {now}, Ada King"))), "{text}");
    }

    async fn whatever_is_accepted_can_be_printed(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("A", json!({ "description": "泵".repeat(300) })).await;
        for value in ["\u{e0041}".repeat(10_000), format!("a{}", "\u{301}".repeat(9_999)), "泵".repeat(10_000)] {
            let data = json!([{ "custom_field_key": "colour", "value": value }]);
            let unit = plant.made(json!({ "product_key": "A", "released": null, "data": data })).await;
            assert!(download(&plant, &unit, "").await.bytes.starts_with(b"%PDF"));
        }
    }

    async fn an_archive_holds_every_file_with_its_digest(site) {
        let plant = plant(site).await;
        plant.admin.post("/field", json!({ "_key": "sticker", "name": "Label front", "type": "files" })).await.expect(200);
        plant.product("A", json!({})).await;
        let data = json!([{ "form_field_key": "f", "custom_field_key": "sticker", "value": [{ "name": "ä b.txt", "size": 4 }] }]);
        let unit = plant.made(json!({ "product_key": "A", "code": "A-1", "data": data })).await;
        attach(&plant, &unit, "f", "ä b.txt", b"seen").await;
        attach(&plant, &unit, "", "plain.txt", b"").await;
        let packed = download(&plant, &unit, "format=zip").await;
        assert_eq!(packed.media_type, "application/zip");
        let files = unpacked(packed.bytes);
        let manifest: Value = serde_json::from_slice(file(&files, "manifest.json")).unwrap();
        assert_eq!((&manifest["serial_key"], &manifest["generated"]), (&json!(unit), &json!(site.app().now())));
        let listed = manifest["files"].as_array().unwrap();
        assert_eq!(listed.len(), files.len() - 1, "every file but the list itself");
        for entry in listed {
            let bytes = file(&files, entry["path"].as_str().unwrap());
            assert_eq!((&entry["size"], &entry["sha256"]), (&json!(bytes.len()), &json!(sha256(bytes))), "{entry}");
        }
        assert_eq!(file(&files, &format!("attachments/{unit}/f/ä b.txt")), b"seen");
        assert_eq!(file(&files, &format!("attachments/{unit}/plain.txt")), b"");
        assert!(file(&files, "dhr.pdf").starts_with(b"%PDF"));
        let kept: Value = serde_json::from_slice(file(&files, "dhr.json")).unwrap();
        let answered = record(&plant, &unit).await;
        assert_eq!((&kept["identification"], &kept["attachments"]), (&answered["identification"], &answered["attachments"]));
        let attachment = &answered["labels"]["files"][0];
        assert_eq!((&attachment["form_field_key"], &attachment["sha256"]), (&json!("f"), &json!(sha256(b"seen"))));
        assert_eq!(answered["labels"]["files"].as_array().unwrap().len(), 1, "only of fields for labels");
        assert_eq!(answered["attachments"].as_array().unwrap().len(), 2);
        let served = plant.admin.media(attachment["path"].as_str().unwrap()).await;
        assert_eq!(served.bytes().await.unwrap(), "seen");
    }

    async fn an_archive_names_the_files_that_are_lost(site) {
        let plant = plant(site).await;
        plant.product("A", json!({})).await;
        let unit = plant.made(json!({ "product_key": "A", "code": "A-1" })).await;
        attach(&plant, &unit, "", "kept.txt", b"kept").await;
        attach(&plant, &unit, "", "lost.txt", b"lost").await;
        let objects = tree(&site.place.media_folder());
        std::fs::remove_file(objects.iter().find(|(_, bytes)| *bytes == b"lost").unwrap().0).unwrap();
        let files = unpacked(download(&plant, &unit, "format=zip").await.bytes);
        let manifest: Value = serde_json::from_slice(file(&files, "manifest.json")).unwrap();
        assert_eq!(manifest["missing"], json!([format!("attachments/{unit}/lost.txt")]));
        assert_eq!(file(&files, &format!("attachments/{unit}/kept.txt")), b"kept");
        assert!(files.iter().all(|(path, _)| !path.ends_with("lost.txt")));
    }

    async fn units_inside_have_records_of_their_own(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.products(&["A", "B", "C"]).await;
        let data = json!([{ "custom_field_key": "colour", "value": "red" }]);
        let [a, b] = [plant.unit("A", "A").await, plant.unit("B", "B").await];
        let valued = plant.made(json!({ "product_key": "C", "code": "VALUED", "data": data })).await;
        let [bare, gone] = plant.units("C", ["BARE", "GONE"]).await;
        for (child, parent) in [(&b, &a), (&valued, &b), (&bare, &b), (&gone, &a)] {
            plant.link(child, parent).await.expect(200);
        }
        unlink(&plant.admin, &gone, &a, json!({ "reason": "worn" })).await.expect(200);
        let whole = plant.get(&format!("/serial/{a}/dhr?format=json&include_children=true")).await;
        let children = whole["children"].as_array().unwrap();
        let keys: Vec<&Value> = children.iter().map(|child| &child["identification"]["serial_key"]).collect();
        assert_eq!(keys, [&json!(b), &json!(valued)], "those with parts or values, flat and in the order of the tree");
        attach(&plant, &bare, "", "note.txt", b"seen").await;
        let with_file = plant.get(&format!("/serial/{a}/dhr?format=json&include_children=true")).await;
        let last = with_file["children"].as_array().unwrap().last().unwrap();
        assert_eq!(last["identification"]["serial_key"], json!(bare), "a file is something to record, too");
        assert!(children.iter().all(|child| child["children"] == json!([])));
        let alone = record(&plant, &b).await;
        for member in ["identification", "components", "acceptance_records", "missing_evidence", "events"] {
            assert_eq!(children[0][member], alone[member], "{member}");
        }
        let tree = plant.get(&format!("/serial-hierarchy?serial_key={a}")).await;
        assert_eq!(whole["components"], tree[0], "with what was replaced");
        let text = pages(&download(&plant, &a, "include_children=true").await.bytes).concat();
        assert!(text.contains(&packed(history::CHILDREN.classic)) && text.contains(&packed(history::CHILDREN.batch_record)));
        assert_eq!(text.matches(&packed(history::IDENTIFICATION.classic)).count(), 4);
    }

    async fn a_record_has_a_thousand_others_at_most(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.products(&["A", "B"]).await;
        let a = plant.unit("A", "A").await;
        let data = json!([{ "custom_field_key": "colour", "value": "red" }]);
        let made = create(&plant.admin, json!({ "product_key": "B", "range": "B1-B1001", "data": data })).await.detail();
        let parts = each(&made["serials"], "serial_key");
        let link = |part: &String| json!({ "child_serial_key": part, "parent_serial_key": a });
        let bulk = |parts: &[String]| {
            json!({ "shared_data": { "event_type": "SERIAL_LINKED" }, "events": parts.iter().map(link).collect::<Vec<_>>() })
        };
        plant.admin.post("/event/bulk?results=false", bulk(&parts[..1_000])).await.expect(200);
        let path = format!("/serial/{a}/dhr?format=json&include_children=true");
        assert_eq!(plant.get(&path).await["children"].as_array().unwrap().len(), 1_000);
        plant.link(&parts[1_000], &a).await.expect(200);
        assert_eq!(plant.admin.get(&path).await.faults(), ["value_error query.include_children"]);
        assert_eq!(record(&plant, &a).await["components"]["children"].as_array().unwrap().len(), 1_001);
    }

    async fn files_are_named_by_the_code_and_the_time_of_the_site(site) {
        let plant = plant(site).await;
        plant.product("A", json!({})).await;
        plant.admin.patch("/config", json!({ "timezone": "Asia/Kolkata", "company_name": "Acme Pumps" })).await.expect(200);
        let unit = plant.unit("A", "A/1 \"ß\"").await;
        let uncoded = plant.made(json!({ "product_key": "A", "released": null })).await;
        let zone = domain::counter::zone("Asia/Kolkata").unwrap();
        let now: Timestamp = site.app().now();
        for (serial, code) in [(&unit, "A_1__SS_"), (&uncoded, uncoded.as_str())] {
            let name = format!("DHR_{code}_{}", now.local_stamp(&zone));
            for (query, ending) in [("", "pdf"), ("format=pdf", "pdf"), ("format=zip", "zip")] {
                let answered = download(&plant, serial, query).await;
                assert_eq!(answered.disposition, format!("attachment; filename=\"{name}.{ending}\""));
            }
        }
        let text = pages(&download(&plant, &unit, "").await.bytes).concat();
        assert!(text.contains(&packed(&now.local(&zone))) && text.contains("+05:30"), "{text}");
        assert!(text.contains(&packed("Acme Pumps")));
        let answer = plant.admin.get(&format!("/serial/{unit}/dhr?format=json")).await.expect(200);
        assert_eq!((answer.header("content-type"), answer.header("content-disposition")), ("application/json", ""));
    }

    async fn who_asks_for_what_is_not_there_is_told(site) {
        let plant = plant(site).await;
        plant.admin.patch("/config", json!({ "allow_serial_delete": true })).await.expect(200);
        plant.product("A", json!({})).await;
        let unit = plant.unit("A", "A").await;
        plant.admin.get("/serial/0000000000000/dhr?format=json").await.expect(404);
        plant.admin.get("/serial/0000000000000/dhr").await.expect(404);
        let faults = plant.admin.get(&format!("/serial/{unit}/dhr?format=docx&include_children=perhaps")).await.faults();
        assert_eq!(faults.len(), 2, "{faults:?}");
        plant.delete(&unit).await;
        assert_eq!(record(&plant, &unit).await["identification"]["state"], "deleted");
    }
}
