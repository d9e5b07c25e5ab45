//! Products with their papers and tags.

use axum::http::Method;
use serde_json::{Value, json};

use super::Told;
use super::files::{drawing, note, picture};
use super::plant::{Plant, with};
use super::story::catalogue::{Kind, PRODUCTS, Product};

pub(super) async fn fill(plant: &mut Plant<'_>) -> Told {
    for product in PRODUCTS {
        plant.post("elena", "/product", record(product)).await?;
    }
    tags(plant).await?;
    papers(plant).await?;
    plant.patch("elena", "/product/dp-1", json!({ "active": false })).await.map(drop)
}

fn record(product: &Product) -> Value {
    let made = matches!(product.kind, Kind::Made(_) | Kind::MadeUntraced);
    let level = match product.kind {
        Kind::Made(_) => json!("complete"),
        Kind::Traced => json!("form_only"),
        _ => Value::Null,
    };
    json!({
        "_key": product.key,
        "code": product.code,
        "description": product.name,
        "unit": product.unit,
        "traceability_level": level,
        "counter_key": matches!(product.kind, Kind::Made(_)).then_some(product.key),
        "serial_code_on_creation": matches!(product.kind, Kind::Made(_)),
        "manage_inventory": true,
        "allow_negative_inventory": product.kind == Kind::Loose,
        "minimum_stock_qt": product.minimum,
        "cost": { "average": product.cost, "target": made.then_some(product.cost * 0.95) },
        "kpi_window_size": made.then_some(20),
        "default_production_position_key": made.then_some(product.bin),
        "default_consumption_position_key": product.bin,
    })
}

async fn tags(plant: &mut Plant<'_>) -> Told {
    let add = |tag: &str, product: &str| {
        let link = json!({ "type": "add", "tag_key": tag, "context": "product" });
        with(link, "context_key", json!(product))
    };
    let mut links: Vec<Value> = PRODUCTS.iter().filter_map(|product| Some(add(product.tag?, product.key))).collect();
    links.push(add("hazardous", "bt-500"));
    plant.post("elena", "/tag/update-connections", Value::Array(links)).await.map(drop)
}

async fn papers(plant: &mut Plant<'_>) -> Told {
    for product in PRODUCTS.iter().filter(|product| matches!(product.kind, Kind::Made(_) | Kind::MadeUntraced)) {
        let path = format!("/product/{}/doc", product.key);
        let paper = drawing(&format!("{} drawing.pdf", product.code));
        plant.upload("elena", (Method::POST, &path), "new_doc", paper).await?;
    }
    let pictures =
        [("ds-250", [70, 90, 120]), ("du-250", [60, 60, 66]), ("pb-7", [30, 110, 60]), ("bt-500", [40, 60, 90])];
    for (product, colour) in pictures {
        let path = format!("/product/{product}/image");
        plant.upload("elena", (Method::PUT, &path), "new_image", picture("product.png", colour)).await?;
    }
    let sheet = note("safety data sheet.txt", "BT-500: UN 3480, class 9. Store between 5 and 25 C. Do not open.\n");
    plant.attach("elena", ("product", "bt-500"), "certificates", sheet).await?;
    let rohs = note("RoHS statement.txt", "PM-4: free of the substances that directive 2011/65/EU restricts.\n");
    plant.attach("elena", ("product", "pm-4"), "certificates", rohs).await
}
