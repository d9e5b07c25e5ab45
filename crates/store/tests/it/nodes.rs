//! Node numbers and leases.

use domain::Timestamp;
use store::node::Node;
use store::{Sql, StoreError, Tx, lease};

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(domain::key::EPOCH_MILLIS + millis)
}

#[test]
fn numbers_differ_and_come_back_behind_the_last_key() {
    super::on_both(async |db| {
        let one = Node::take(&db, "one".into(), at(1_000)).await.unwrap();
        let two = Node::take(&db, "two".into(), at(1_000)).await.unwrap();
        assert_eq!((one.number(), two.number()), (0, 1));
        let last = (0..5_000).map(|_| one.next_id(at(1_000)).unwrap()).last().unwrap();
        one.release(&db).await.unwrap();
        // Its clock is behind, and still no key comes twice.
        let heir = Node::take(&db, "heir".into(), at(500)).await.unwrap();
        assert_eq!(heir.number(), 0);
        assert!(heir.next_id(at(500)).unwrap() > last);
    });
}

#[test]
fn a_clean_stop_gives_back_the_reserve() {
    super::on_both(async |db| {
        let one = Node::take(&db, "one".into(), at(1_000)).await.unwrap();
        let last = one.next_id(at(2_000)).unwrap();
        one.release(&db).await.unwrap();
        assert!(one.next_id(at(2_000)).is_err(), "what it gave back is another's");
        let heir = Node::take(&db, "heir".into(), at(2_000)).await.unwrap();
        let next = heir.next_id(at(2_000)).unwrap();
        assert_eq!(heir.number(), 0);
        assert!(next > last && (next >> 22) - (last >> 22) <= 1, "{last} {next}");
        // One that crashed is behind the clock again before its number is free.
        let crashed = heir.next_id(at(3_000)).unwrap();
        db.write("expire", async |tx: &mut Tx| tx.run(Sql::raw("update node set lease_until = 0"), &[]).await)
            .await
            .unwrap();
        let third = Node::take(&db, "third".into(), at(63_000)).await.unwrap().next_id(at(63_000)).unwrap();
        assert_eq!((third >> 22) - (crashed >> 22), 60_000);
    });
}

#[test]
fn keys_that_run_out_are_asked_for() {
    super::on_both(async |db| {
        let node = Node::take(&db, "one".into(), at(1_000)).await.unwrap();
        node.next_id(at(2_000)).unwrap();
        for _ in 0..10_000 {
            node.next_id(at(601_000)).unwrap();
        }
        node.is_low().await;
        node.renew(&db, at(601_000)).await.unwrap();
        let followed = node.next_id(at(601_000)).unwrap();
        assert_eq!(followed >> 22, 601_000);
    });
}

#[test]
fn a_node_that_lost_its_number_takes_another() {
    super::on_both(async |db| {
        let sleeper = Node::take(&db, "sleeper".into(), at(1_000)).await.unwrap();
        db.write("expire", async |tx: &mut Tx| tx.run(Sql::raw("update node set lease_until = 0"), &[]).await)
            .await
            .unwrap();
        let thief = Node::take(&db, "thief".into(), at(2_000)).await.unwrap();
        assert_eq!(thief.number(), 0);
        let (late, fresh) = (sleeper.next_id(at(3_000)).unwrap(), thief.next_id(at(3_000)).unwrap());
        assert!(late < fresh, "what the sleeper still makes lies before everything of the thief");
        sleeper.renew(&db, at(3_000)).await.unwrap();
        assert_eq!(sleeper.number(), 1);
        thief.renew(&db, at(3_000)).await.unwrap();
        assert_eq!(thief.number(), 0);
    });
}

#[test]
fn many_nodes_at_once_get_different_numbers() {
    super::on_both(async |db| {
        let takes = (0..12).map(|index| Node::take(&db, format!("node {index}"), at(1_000)));
        let nodes = futures_util::future::join_all(takes).await;
        let mut numbers: Vec<i64> = nodes.into_iter().map(|node| node.unwrap().number()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..12).collect::<Vec<_>>());
    });
}

#[test]
fn a_lease_has_one_holder_until_it_runs_out() {
    super::on_both(async |db| {
        let hold = async |name: &'static str| -> bool {
            let held = db.write("hold", async move |tx: &mut Tx| lease::hold(tx, "work", name).await);
            held.await.unwrap()
        };
        assert!(hold("a").await);
        assert!(!hold("b").await);
        assert!(hold("a").await, "its holder keeps it");
        let expire = async |tx: &mut Tx| tx.run(Sql::raw("update lease set until = 0"), &[]).await;
        db.write("expire", expire).await.unwrap();
        assert!(hold("b").await);
        assert!(!hold("a").await);
        let epoch: Result<i64, StoreError> =
            db.read(async |tx: &mut Tx| tx.one(Sql::raw("select epoch from lease"), &[]).await).await;
        assert_eq!(epoch.unwrap(), 2, "each change of hands is counted");
    });
}

#[test]
fn a_lease_that_is_over_is_forgotten() {
    super::on_both(async |db| {
        let held = db.write("hold", async |tx: &mut Tx| lease::hold(tx, "work", "a").await);
        assert!(held.await.unwrap());
        let is_anothers = async |holder: &'static str| -> bool {
            let looked = db.glance(async move |tx: &mut Tx| lease::is_anothers(tx, "work", holder).await);
            looked.await.unwrap()
        };
        assert!(is_anothers("b").await && !is_anothers("a").await);
        let remove = async |holder: &'static str| {
            let removed = db.write("remove", async move |tx: &mut Tx| lease::remove(tx, "work", holder).await);
            removed.await.unwrap();
        };
        remove("b").await;
        assert!(is_anothers("b").await, "only its holder gives it back");
        remove("a").await;
        assert!(!is_anothers("b").await);
        let left: Result<i64, StoreError> =
            db.read(async |tx: &mut Tx| tx.one(Sql::raw("select count(*) from lease"), &[]).await).await;
        assert_eq!(left.unwrap(), 0);
    });
}
