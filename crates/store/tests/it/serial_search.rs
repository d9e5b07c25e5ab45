//! Pages of serials by a part of their codes, whether few, some or many of them have it.

use domain::Timestamp;
use domain::search::Pattern;
use domain::serial::Serial;
use store::serial::search::{self, Sort, Wanted};
use store::serial::serials;
use store::{Page, Sql, StoreError, Tx};

use super::queries::samples::stock;
use super::queries::serial::serial;

/// More than are sorted, besides as many that are looked at first.
const SERIALS: i64 = 18_000;

/// The later half are new; a few are rare, and some more are odd.
fn code(number: i64) -> String {
    let age = if number <= SERIALS / 2 { "OLD" } else { "NEW" };
    match number {
        _ if number % 900 == 0 => format!("{age}-RARE-{number}"),
        _ if number % 150 == 0 => format!("{age}-ODD-{number}"),
        _ => format!("{age}-{number}"),
    }
}

async fn fill(tx: &mut Tx) -> Result<(), StoreError> {
    stock(tx).await?;
    let unit = |number: i64| Serial {
        code: Some(code(number)),
        created: Timestamp::from_millis(number),
        data: Vec::new(),
        ..serial(number)
    };
    let units: Vec<Serial> = (1..=SERIALS).map(unit).collect();
    serials::insert_all(tx, &units, &Default::default()).await?;
    tx.run(Sql::raw("analyze"), &[]).await.map(|_| ())
}

/// The numbers on a page, by the rule.
fn wanted(part: &str, descending: bool, page: &Page) -> Vec<i64> {
    let mut numbers: Vec<i64> = (1..=SERIALS).filter(|number| code(*number).contains(part)).collect();
    if descending {
        numbers.reverse();
    }
    numbers.into_iter().skip(page.offset as usize).take(page.limit as usize).collect()
}

#[test]
fn every_part_of_codes_finds_its_page() {
    super::on_both(async |db| {
        db.write("fill", fill).await.unwrap();
        for part in ["OLD", "NEW", "RARE", "ODD", "D-RARE", "9", "99", "0-", "NOBODY"] {
            for (descending, limit, offset) in [(true, 200, 0), (false, 200, 0), (true, 50, 30), (true, 500, 100)] {
                let page = Page { limit, offset, count: false };
                let asked = Wanted { code: Some(Pattern::substring(&part.to_lowercase())), ..Wanted::default() };
                let search =
                    async move |tx: &mut Tx| search::search(tx, &asked, (Sort::Created, descending), &page).await;
                let found = db.read(search).await.unwrap();
                let found: Vec<i64> = found.rows.iter().map(|found| found.view.serial.key.0).collect();
                assert_eq!(found, wanted(part, descending, &page), "{part}, {descending}, {limit} from {offset}");
            }
        }
    });
}
