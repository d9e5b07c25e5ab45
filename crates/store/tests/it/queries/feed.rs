use domain::journal::Event;
use domain::key::EventKey;
use store::notification::feed::{self, PAGE, Start};
use store::{Db, StoreError, Tx};
use testkit::journal::{append, event};

use super::run;

pub(super) async fn run(db: &Db) {
    let group = EventKey(900_000);
    // More than two pages, so that a group is read to its end.
    let many = (0..2 * PAGE as i64 + 1).map(|key| Event { event_group: group, ..event(900_000 + key, "JOB_STARTED") });
    let stored = append(db, many.collect()).await;
    let first = stored[0].seq;
    run!(db, tx:
        feed::end(tx),
        feed::after(tx, Start { seq: 0, newest: 0, resumed: false }),
        feed::after(tx, Start { seq: first - 1, newest: first, resumed: false }),
        feed::after(tx, Start { seq: first, newest: first, resumed: true }),
    );
}
