//! Resets end counting: whatever is not applied is canceled, and nothing is left of what was being counted or corrected.

use testkit::on_both_engines;

use super::*;

/// One session in each state, with counts in those that can have them.
async fn sessions(site: &Site, hall: &Hall) -> Vec<(String, &'static str)> {
    hall.depot.received("A1", 10.0).await;
    hall.depot.received("A2", 10.0).await;
    let done = hall.started().await;
    count(&hall.x, &done, "P", "IN", json!(1)).await;
    hall.apply(site, &done).await;
    let corrected = hall.started().await;
    keep_from_applying(site, &corrected).await;
    count(&hall.x, &corrected, "P", "A1", json!(9)).await;
    hall.step(&corrected, "COMPLETED").await.expect(200);
    hall.step(&corrected, "CONFIRMED").await.expect(200);
    let reviewed = hall.started().await;
    count(&hall.x, &reviewed, "P", "A2", json!(9)).await;
    hall.step(&reviewed, "COMPLETED").await.expect(200);
    let open = hall.started().await;
    begun(&hall.x, &open, "P", "A2").await;
    begun(&hall.x, &open, "T", "A1").await;
    let planned = hall.planned(json!({})).await;
    vec![(done, "applied"), (corrected, "canceled"), (reviewed, "canceled"), (open, "canceled"), (planned, "canceled")]
}

on_both_engines! {
    async fn a_reset_cancels_what_is_not_applied(site) {
        for path in ["/reset/inventory", "/reset/prod"] {
            let hall = if path == "/reset/inventory" { hall(site).await } else { again(site).await };
            let sessions = sessions(site, &hall).await;
            hall.depot.admin.delete(path).await.expect(200);
            for (session, status) in &sessions {
                assert_eq!(hall.read(session).await["status"], *status, "{path}");
            }
            assert_eq!(site.look::<i64>("select count(*) from count_record where status = 'started'", vec![]).await, Some(0));
            assert_eq!(site.look::<i64>("select count(*) from stock_pair where counting or locked", vec![]).await, Some(0));
            let_go(site).await;
            assert_eq!(hall.read(&sessions[1].0).await["movements_created"], 0, "the correction has stopped");
            sums::audit(site, hall.keeper()).await;
            wrong_state(hall.step(&sessions[3].0, "COMPLETED").await, "canceled");
            hall.depot.received("A1", 1.0).await;
            let next = hall.started().await;
            count(&hall.x, &next, "P", "A1", json!(0)).await;
            count(&hall.x, &next, "P", "A2", json!(0)).await;
            let done = hall.apply(site, &next).await;
            assert_eq!(done["status"], "applied");
            assert_eq!(hall.depot.stock("P").await.as_array().unwrap().iter().filter(|row| row[0] != "IN").count(), 0, "{path}");
            sums::audit(site, hall.keeper()).await;
        }
    }

    async fn a_reset_comes_while_stock_is_corrected(site) {
        let hall = hall(site).await;
        let positions = ["A1", "A2", "A", "IN"];
        for _ in 0..3 {
            let session = hall.started().await;
            for position in positions {
                hall.depot.received(position, 3.0).await;
                count(&hall.x, &session, "P", position, json!(5)).await;
            }
            hall.step(&session, "COMPLETED").await.expect(200);
            let (confirmed, reset) = tokio::join!(hall.step(&session, "CONFIRMED"), hall.depot.admin.delete("/reset/inventory"));
            reset.expect(200);
            assert!([200, 422].contains(&confirmed.status), "{}", confirmed.text);
            let shown = applied(site, hall.keeper(), &session).await;
            assert!(["applied", "canceled"].contains(&shown["status"].as_str().unwrap()), "{shown}");
            let marks = "select count(*) from stock_pair where counting or locked";
            assert_eq!(site.look::<i64>(marks, vec![]).await, Some(0));
            sums::audit(site, hall.keeper()).await;
            hall.depot.admin.delete("/reset/inventory").await.expect(200);
        }
    }
}

/// The same hall, with the same people, after a reset.
async fn again(site: &Site) -> Hall {
    let admin = site.admin().await;
    let keeper = site.visitor("keeper").sign_in(site.password()).await;
    let x = site.visitor("x").sign_in(site.password()).await;
    admin.delete("/reset/inventory").await.expect(200);
    Hall { depot: Depot { admin, keeper }, x }
}
