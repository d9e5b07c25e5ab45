//! Issues: closed ones, open ones, a critical one, and one that came back.

use serde_json::{Value, json};

use super::super::Told;
use super::super::files::picture;
use super::super::plant::{Plant, text, with};
use super::super::production::{job_of, numbered};
use super::super::warehouse::block_a_module;
use super::{entered, field, post};

/// Types have the keys that the site gives them; the story knows them by their codes.
pub(super) async fn types(plant: &mut Plant<'_>) -> Told {
    let nonconformity = json!([
        field("nc_defect", "defect", true),
        field("nc_done", "containment", true),
        field("nc_photo", "photo", false)
    ]);
    let complaint = json!([field("sc_lot", "supplier_lot", true), field("sc_defect", "defect", true)]);
    let types = [
        ("NC", "Nonconformity", "A unit that is not as it has to be", false, nonconformity),
        (
            "SAFE",
            "Safety concern",
            "Stops the orders it is linked to",
            true,
            json!([field("sf_defect", "defect", true), field("sf_cause", "root_cause", true)]),
        ),
        ("SUP", "Supplier complaint", "Goods that are not as ordered", false, complaint),
        ("IDEA", "Improvement", "Something that could be better", false, json!([])),
    ];
    for (code, name, description, critical, form) in types {
        let kind = json!({
            "name": name, "code": code, "description": description, "critical": critical, "form_template": form,
        });
        let made = plant.post("marta", "/issue-type", kind).await?;
        plant.note(&format!("issue type {code}"), text(&made, "/detail/_key")?);
    }
    Ok(())
}

/// What an issue is about: its kind and its key.
fn about(kind: &str, key: &str) -> Value {
    json!({ "type": kind, "key": key })
}

async fn report(
    plant: &mut Plant<'_>,
    who: &'static str,
    (code, name): (&str, &str),
    (title, description): (&str, &str),
    links: Vec<Value>,
) -> Told<String> {
    let kind = plant.noted(&format!("issue type {code}"))?;
    let issue = json!({ "issue_type_key": kind, "title": title, "description": description, "linked_to": links });
    let key = text(&plant.event(who, "ISSUE_CREATED", json!({ "issue_data": issue })).await?, "/issue_key")?;
    plant.note(name, key.clone());
    Ok(key)
}

async fn close(plant: &mut Plant<'_>, who: &'static str, name: &str, data: Value) -> Told {
    let issue = json!({ "_key": plant.noted(name)?, "data": data });
    plant.event(who, "ISSUE_CLOSED", json!({ "issue_data": issue })).await.map(drop)
}

/// The board that the inspection scrapped.
pub(in crate::demo) async fn report_bad_board(plant: &mut Plant<'_>) -> Told {
    let (order, unit) = (numbered(plant, 1)?.key.clone(), plant.noted("scrapped of order 1")?);
    let words = ("Solder bridge at the power module", "Between pins 3 and 4. The stencil was dirty.");
    let links = vec![about("work_order", &order), about("serial", &unit), about("product", "pb-7")];
    let issue = report(plant, "ines", ("NC", "bad board"), words, links).await?;
    let photo = picture("bridge.png", [150, 40, 40]);
    let shown = json!([{ "name": photo.name, "size": photo.bytes.len() }]);
    plant.attach("ines", ("issue", &issue), "nc_photo", photo).await?;
    plant.clock.pass_minutes(90);
    post(plant, "luca", &format!("Issue/{issue}"), "Stencil cleaned; the next boards are fine.").await?;
    let data = json!([
        entered("nc_defect", json!("defect-solder")),
        entered("nc_done", json!("Stencil cleaned, batch inspected twice")),
        entered("nc_photo", shown),
    ]);
    close(plant, "marta", "bad board", data).await
}

/// The drive unit that failed on the bench.
pub(in crate::demo) async fn report_leak(plant: &mut Plant<'_>) -> Told {
    let (job, unit) = (job_of(plant, 5, 1)?.key.clone(), plant.noted("scrapped of order 5")?);
    let words = ("Leak at the shaft seal", "The lip was turned over when the shaft was inserted.");
    report(plant, "ines", ("NC", "leak"), words, vec![about("serial", &unit), about("job", &job)]).await.map(drop)
}

/// A lot whose leads are bent: a unit is put aside, and the supplier is told.
pub(in crate::demo) async fn complain_about_modules(plant: &mut Plant<'_>) -> Told {
    let unit = block_a_module(plant).await?;
    let words = ("Power modules with bent leads", "One of 40 of lot HS-2307. The others were looked at and are good.");
    let links = vec![about("product", "pm-4"), about("serial", &unit.key)];
    report(plant, "davide", ("SUP", "complaint"), words, links).await?;
    let data = json!([entered("sc_lot", json!("HS-2307")), entered("sc_defect", json!("defect-delivery"))]);
    let issue = json!({ "_key": plant.noted("complaint")?, "data": data });
    plant.event("marta", "ISSUE_UPDATED", json!({ "issue_data": issue })).await.map(drop)
}

/// What stops an order: nobody knows yet why a sensor drifts.
pub(in crate::demo) async fn report_drift(plant: &mut Plant<'_>) -> Told {
    let (order, job) = (numbered(plant, 16)?.key.clone(), job_of(plant, 16, 0)?.key.clone());
    let drive =
        plant.stock.get("du-250").and_then(|units| units.back()).map(|unit| unit.key.clone()).unwrap_or_default();
    let words =
        ("Torque sensor drifts when hot", "8 % after 20 minutes at full load. The motor keeps pushing for a moment.");
    let links = vec![
        about("serial", &drive),
        about("work_order", &order),
        about("job", &job),
        about("project", "Nordkette pilot"),
    ];
    let issue = report(plant, "ines", ("SAFE", "drift"), words, links).await?;
    post(plant, "jonas", &format!("Issue/{issue}"), "Nothing leaves the test field until this is clear.").await?;
    let words = ("Cartons smudge in the rain", "The ink of the type label runs.");
    report(plant, "sara", ("IDEA", "cartons"), words, vec![about("product", "ds-250")]).await.map(drop)
}

/// The leak is closed, comes back and is open again; one issue is about nothing in particular and closed at once.
pub(in crate::demo) async fn look_after_issues(plant: &mut Plant<'_>) -> Told {
    let data =
        json!([entered("nc_defect", json!("defect-leak")), entered("nc_done", json!("Guide for the shaft made"))]);
    close(plant, "marta", "leak", data).await?;
    plant.clock.pass_minutes(30);
    let again = json!({ "_key": plant.noted("leak")?, "critical": false });
    plant.event("ines", "ISSUE_REOPENED", json!({ "issue_data": again })).await?;
    let idea = json!({ "issue_type_key": plant.noted("issue type IDEA")?, "title": "Second guide for line 3" });
    let closed = with(idea, "open", json!(false));
    plant.event("anna", "ISSUE_CREATED", json!({ "issue_data": closed })).await.map(drop)
}
