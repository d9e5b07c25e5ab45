//! Departments and users. Everybody signs in once with the temporary password and chooses the one of the demonstration.

use axum::http::Method;
use serde_json::json;

use super::Told;
use super::files::picture;
use super::plant::{Plant, text};
use super::story::people::{ACCOUNTS, Account, DEPARTMENTS};

pub(super) async fn enter(plant: &mut Plant<'_>) -> Told {
    for (key, code, name, description) in DEPARTMENTS {
        let department = json!({ "_key": key, "code": code, "name": name, "description": description });
        plant.post("admin", "/department", department).await?;
    }
    for account in ACCOUNTS.iter().filter(|account| account.key != "admin") {
        hire(plant, account).await?;
    }
    portraits(plant).await?;
    leaver(plant).await
}

async fn hire(plant: &mut Plant<'_>, account: &'static Account) -> Told {
    let user = json!({
        "_key": account.key,
        "username": account.username,
        "scope": account.scope,
        "name": account.name,
        "surname": account.surname,
        "email": format!("{}@velmora.example", account.username),
        "department_key": account.department,
        "hourly_cost": account.hourly_cost,
        "preferences": { "locale": "en-GB", "theme": "light" },
    });
    let answer = plant.post("admin", "/user", user).await?;
    plant.choose_password(account, &text(&answer, "/detail/temp_psw")?).await
}

async fn portraits(plant: &mut Plant<'_>) -> Told {
    for (key, colour) in [("anna", [188, 80, 80]), ("ines", [90, 130, 190]), ("pavel", [110, 160, 90])] {
        let path = format!("/user/{key}/image");
        plant.upload("admin", (Method::PUT, &path), "new_image", picture("portrait.png", colour)).await?;
    }
    Ok(())
}

/// Somebody who has left the plant.
async fn leaver(plant: &mut Plant<'_>) -> Told {
    let user =
        json!({ "_key": "franz", "username": "franz.huber", "scope": "operator", "name": "Franz", "surname": "Huber" });
    plant.post("admin", "/user", user).await?;
    plant.patch("admin", "/user/franz", json!({ "active": false })).await.map(drop)
}
