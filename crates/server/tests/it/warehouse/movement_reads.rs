//! What is read of movements and their lists: every filter, every order, and as a table.

use testkit::{Method, on_both_engines};

use super::depot::depot;
use super::*;
use crate::serials::text;

const LIST: &str = "0000000000015";

/// A movement that no rule has looked at, of a product, in a list or in none: key, type, status, from, to, product, start, end, item.
type Row =
    (i64, &'static str, &'static str, &'static str, &'static str, &'static str, Option<i64>, Option<i64>, Option<i64>);

async fn movement(site: &Site, (key, kind, status, from, to, product, start, end, item): Row) {
    let list = item.map(|_| 37_i64);
    let confirmed = if status == "completed" { 1_500_000_i64 } else { 0 };
    let insert = "insert into movement (
                      key, type, status, from_key, to_key, product_id, qt_planned, qt_confirmed, owned, created, start_at, end_at,
                      movement_list_key, movement_list_item, refers_to, user_key
                  )
                  select $1, $2, $3, $4, $5, id, 2000000, $6, true, 1000, $7, $8, $9, $10, $11, $12 from product where key = $13";
    let refers_to = item.map(|_| r#"{"sales_doc":"SO-1"}"#.to_owned());
    let user = if key % 2 == 0 { "even" } else { "odd" };
    let values = vec![
        key.into(),
        kind.into(),
        status.into(),
        from.into(),
        to.into(),
        confirmed.into(),
        start.into(),
        end.into(),
        list.into(),
        item.into(),
        refers_to.into(),
        user.into(),
        product.into(),
    ];
    assert_eq!(site.execute(insert, values).await, 1);
}

async fn list(
    site: &Site,
    key: i64,
    code: &'static str,
    kind: &'static str,
    status: &'static str,
    due_by: &'static str,
) {
    let insert = "insert into movement_list (key, code, code_folded, type, status, due_by, created) values ($1, $2, $3, $4, $5, $6, 1000)";
    let values = vec![key.into(), code.into(), code.to_lowercase().into(), kind.into(), status.into(), due_by.into()];
    site.execute(insert, values).await;
}

/// Five movements of two products: two receipts, a transfer, and in a list a planned and a canceled shipment.
async fn filled(site: &Site) -> Person {
    let (admin, keeper) = (site.admin().await, keeper(site).await);
    shelves(&keeper).await;
    make(&keeper, "B", "IN").await;
    for key in ["bolt", "nut"] {
        product(&admin, key).await;
    }
    site.execute("update product set unit = 'kg', description = 'M8' where key = 'bolt'", vec![]).await;
    list(site, 37, "SHIP_1", "shipment", "started", "2026-01-05").await;
    let rows: [Row; 5] = [
        (1, "receipt", "completed", "OUT", "A1", "bolt", Some(1_000), Some(2_000), None),
        (2, "receipt", "completed", "OUT", "B", "nut", Some(1_500), Some(2_000), None),
        (3, "transfer", "completed", "A1", "A2", "bolt", Some(3_000), Some(3_000), None),
        (4, "shipment", "planned", "A2", "OUT", "bolt", None, None, Some(2)),
        (5, "shipment", "canceled", "A2", "OUT", "bolt", None, Some(4_000), Some(1)),
    ];
    for row in rows {
        movement(site, row).await;
    }
    keeper
}

/// The keys of a list, as numbers.
async fn listed(person: &Person, query: &str) -> Vec<i64> {
    let rows = person.get(&format!("/movement?{query}")).await.expect(200).body;
    each(&rows, "_key").iter().map(|key| key.parse().unwrap()).collect()
}

/// Movements that last for hours come before all that started and ended with them, page by page.
async fn long_ones(site: &Site) {
    let keeper = filled(site).await;
    let days = |number: i64| Some(number * 24 * 3_600_000);
    movement(site, (6, "transfer", "completed", "A1", "A2", "bolt", Some(1_200), days(10), None)).await;
    movement(site, (7, "transfer", "completed", "A1", "A2", "bolt", Some(1_300), days(20), None)).await;
    movement(site, (8, "transfer", "completed", "A1", "A2", "bolt", Some(1_400), Some(3_500_000), None)).await;
    let all = [7, 6, 8, 2, 1];
    let until = "start_to=1970-01-01T00:00:01.500Z";
    assert_eq!(listed(&keeper, until).await, all);
    for (limit, offset) in (1..=6).flat_map(|limit| (0..=6).map(move |offset| (limit, offset))) {
        let path = format!("/movement?{until}&limit={limit}&offset={offset}&count=true");
        let page = keeper.get(&path).await.expect(200);
        let keys: Vec<i64> = each(&page.body, "_key").iter().map(|key| key.parse().unwrap()).collect();
        let expected: Vec<i64> = all.iter().copied().skip(offset).take(limit).collect();
        assert_eq!((&keys, page.header("x-total-count")), (&expected, "5"), "{path}");
        assert_eq!(listed(&keeper, &format!("{until}&limit={limit}&offset={offset}")).await, expected);
    }
}

/// Movements of several products by their code come in the order of all, page by page, whatever else they are narrowed by. The engines
/// merge those of a few products, sort those of some, and look among all for those of many.
async fn of_products(site: &Site) {
    let keeper = filled(site).await;
    let admin = site.admin().await;
    let mut made = 2;
    for products in [2, 17, 51] {
        for number in made..products {
            product(&admin, &format!("more-{number}")).await;
        }
        made = products;
        for (narrowed, all) in [
            ("", &[4, 5, 3, 2, 1][..]),
            ("&movement_type=receipt", &[2, 1]),
            ("&position_to=A", &[3, 1]),
            ("&product_key=nut", &[2]),
        ] {
            for (limit, offset) in (1..=6).flat_map(|limit| [0, 1, 4].map(|offset| (limit, offset))) {
                let path = format!("/movement?product_search=*{narrowed}&limit={limit}&offset={offset}&count=true");
                let page = keeper.get(&path).await.expect(200);
                let keys: Vec<i64> = each(&page.body, "_key").iter().map(|key| key.parse().unwrap()).collect();
                let expected: Vec<i64> = all.iter().copied().skip(offset).take(limit).collect();
                assert_eq!((keys, page.header("x-total-count")), (expected, all.len().to_string().as_str()), "{path}");
            }
        }
        assert_eq!(
            listed(&keeper, "product_search=*&start_to=1970-01-01T00:00:01.500Z").await,
            [2, 1],
            "{products} products"
        );
    }
}

on_both_engines! {
    async fn movements_of_products_by_their_code_come_in_order(site) {
        of_products(site).await;
    }

    async fn what_started_until_a_moment_is_paged_with_what_lasted_long(site) {
        long_ones(site).await;
    }

    async fn movements_are_narrowed_by_each_filter(site) {
        let keeper = filled(site).await;
        assert_eq!(listed(&keeper, "").await, [4, 5, 3, 2, 1], "open ones first, then by end, start and key");
        assert_eq!(listed(&keeper, "movement_type=receipt").await, [2, 1]);
        assert_eq!(listed(&keeper, "movement_status=planned").await, [4]);
        assert_eq!(listed(&keeper, "movement_status=canceled").await, [5]);
        assert_eq!(listed(&keeper, "movement_status=completed").await, [3, 2, 1]);
        assert_eq!(listed(&keeper, "movement_status=started").await, Vec::<i64>::new(), "only lists are");
        assert_eq!(listed(&keeper, "include_planned=false").await, [5, 3, 2, 1]);
        assert_eq!(listed(&keeper, "include_completed=false").await, [4, 5]);
        assert_eq!(listed(&keeper, "include_planned=false&include_completed=false").await, [5]);
        assert_eq!(listed(&keeper, "start_from=1970-01-01T00:00:01.500Z").await, [3, 2]);
        assert_eq!(listed(&keeper, "start_to=1970-01-01T00:00:01.500Z").await, [2, 1]);
        assert_eq!(listed(&keeper, "end_from=1970-01-01T00:00:03Z").await, [5, 3]);
        assert_eq!(listed(&keeper, "end_to=1970-01-01T00:00:02Z").await, [2, 1]);
        assert_eq!(listed(&keeper, "end_to=1970-01-01").await, [5, 3, 2, 1], "the whole day");
        for never in ["9999-12-31", "9999-12-31T23:59:59Z"] {
            assert_eq!(listed(&keeper, &format!("end_to={never}")).await, [5, 3, 2, 1]);
        }
        assert_eq!(listed(&keeper, "product_key=nut").await, [2]);
        assert_eq!(listed(&keeper, "product_search=N*").await, [2]);
        assert_eq!(listed(&keeper, "list_search=ship").await, [4, 5]);
        assert_eq!(listed(&keeper, "list_search=other").await, Vec::<i64>::new());
        assert_eq!(listed(&keeper, &format!("list_key={LIST}&list_key=none")).await, [4, 5]);
        assert_eq!(listed(&keeper, "limit=2&offset=1").await, [5, 3]);
        assert_eq!(keeper.get("/movement?limit=1&count=true").await.header("x-total-count"), "5");
        for bad in ["movement_type=theft", "movement_status=lost", "position_filter_operator=XOR", "limit=0", "start_from=soon", "search_graph=?"] {
            assert_eq!(keeper.get(&format!("/movement?{bad}")).await.faults().len(), 1, "{bad}");
        }
    }

    async fn sides_count_with_what_is_below_them(site) {
        let keeper = filled(site).await;
        assert_eq!(listed(&keeper, "position_from=OUT").await, [2, 1]);
        assert_eq!(listed(&keeper, "position_to=A").await, [3, 1], "A1 and A2 are in A");
        assert_eq!(listed(&keeper, "position_to=A&search_graph=false").await, Vec::<i64>::new());
        assert_eq!(listed(&keeper, "position_to=A1&search_graph=false").await, [1]);
        assert_eq!(listed(&keeper, "position_from=OUT&position_to=A").await, [1]);
        assert_eq!(listed(&keeper, "position_from=A&position_to=A").await, [3]);
        assert_eq!(listed(&keeper, "position_from=A2&position_to=B&position_filter_operator=OR").await, [4, 5, 2]);
        assert_eq!(listed(&keeper, "position_to=B&position_filter_operator=OR").await, [2], "one side alone is that side");
        assert_eq!(listed(&keeper, "position_to=IN").await, [3, 2, 1]);
        assert_eq!(listed(&keeper, "position_to=nowhere").await, Vec::<i64>::new());
    }

    async fn movements_are_found_by_serials_and_orders(site) {
        let keeper = filled(site).await;
        let admin = site.admin().await;
        let motor = json!({ "_key": "motor", "code": "motor", "traceability_level": "form_only" });
        admin.post("/product", motor).await.expect(201);
        let made = json!({ "event_type": "SERIAL_CREATED", "product_key": "motor", "codes": ["S-1", "S-2"] });
        let made = admin.post("/event", made).await.expect(200).detail();
        admin.post("/operation", json!({ "_key": "work", "name": "work" })).await.expect(200);
        admin.put("/product/bolt/process", json!([{ "alias": "a", "operation_key": "work", "steps": [{ "title": "s" }] }])).await.expect(200);
        let order = json!({ "product_key": "bolt", "qt_planned": 1, "wo_code": "WO-77" });
        let order = admin.post("/work-order", order).await.detail()["work_order"]["_key"].clone();
        site.execute("update movement set serial_key = (select key from serial where code = 'S-2') where key = 2", vec![]).await;
        site.execute("update movement set work_order_key = (select key from work_order) where key = 3", vec![]).await;
        assert_eq!(listed(&keeper, "serial_search=s-2").await, [2]);
        assert_eq!(listed(&keeper, "serial_search=s-1").await, Vec::<i64>::new());
        let serial = made["serials"][1]["serial_key"].as_str().unwrap();
        assert_eq!(listed(&keeper, &format!("serial_keys={serial}")).await, [2]);
        assert_eq!(listed(&keeper, "work_order_search=wo-7*").await, [3]);
        assert_eq!(listed(&keeper, "work_order_search=bolt").await, Vec::<i64>::new(), "only the order's own code");
        let rows = keeper.get("/movement?movement_type=transfer").await.body;
        assert_eq!(rows[0]["references"], json!({ "work_order_key": order }));
        assert_eq!(keeper.get("/movement?product_key=nut").await.body[0]["serial_code"], "S-2");
    }

    async fn a_movement_says_all_of_it(site) {
        let keeper = filled(site).await;
        keeper.delete("/position/A2").await.expect(200);
        assert_eq!(keeper.get("/movement?movement_status=planned").await.body[0], json!({
            "_id": "movement/0000000000004", "_key": "0000000000004", "_rev": "_1", "_from": "Position/A2", "_to": "Position/OUT",
            "type": "shipment", "product_key": "bolt", "serial_key": null, "qt_planned": 2, "qt_confirmed": 0, "status": "planned",
            "created": "1970-01-01T00:00:01.000Z", "start": null, "end": null, "owned": true, "movement_list_key": LIST,
            "movement_list_item": 2, "inverse_movement_key": null, "references": { "sales_doc": "SO-1" }, "reason": null,
            "user_key": "even", "extra": {}, "position_from_key": "A2", "position_from_code": "A2", "position_from_deleted": true,
            "position_to_key": "OUT", "position_to_code": "OUT", "position_to_deleted": false, "movement_list_code": "SHIP_1",
            "product_code": "bolt", "product_description": "M8", "unit": "kg", "serial_code": null,
        }));
    }

    async fn movements_come_as_a_table_too(site) {
        let keeper = filled(site).await;
        let request = keeper.request(Method::GET, "/movement?movement_type=transfer&count=true").header("accept", "text/csv");
        let answer = keeper.send(request).await.expect(200);
        assert_eq!((answer.header("content-type"), answer.header("x-total-count")), ("text/csv; charset=utf-8", "1"));
        let lines: Vec<&str> = answer.text.lines().collect();
        assert_eq!(lines.len(), 2, "{}", answer.text);
        assert!(lines[1].contains("transfer,completed,bolt,bolt,M8,,,2,1.5,kg,A1,A1,A2,A2,"), "{}", lines[1]);
    }

    async fn a_table_of_movements_names_what_they_belong_to(site) {
        let depot = depot(site).await;
        let rows = json!([{ "product_key": "T", "serial_code": "S", "position_to": "A1", "references": { "purchase_doc": "PO-7" } }]);
        let (list, rows) = depot.listed("IN-1", "receipt", rows).await;
        let unit = text(&depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": rows[0] })).await.detail()["serial_key"]);
        let reversal = text(&depot.reverses(&rows[0]).await.detail()["movement_key"]);
        let answer = depot.keeper.send(depot.keeper.request(Method::GET, "/movement").header("accept", "text/csv")).await.expect(200);
        let header: Vec<&str> = answer.text.lines().next().unwrap().split(',').collect();
        let cell = |movement: &str, column: &str| {
            let line = answer.text.lines().find(|line| line.starts_with(movement)).unwrap_or_else(|| panic!("no {movement}: {}", answer.text));
            let place = header.iter().position(|name| *name == column).unwrap_or_else(|| panic!("no {column}: {header:?}"));
            line.split(',').nth(place).unwrap().to_owned()
        };
        for (column, value) in [
            ("product_key", "T"), ("serial_key", unit.as_str()), ("position_from_key", "OUT"), ("position_to_key", "A1"),
            ("movement_list_key", list.as_str()), ("purchase_doc", "PO-7"), ("inverse_movement_key", reversal.as_str()), ("origin_movement_key", ""),
        ] {
            assert_eq!(cell(&rows[0], column), value, "{column}");
        }
        assert_eq!(cell(&reversal, "origin_movement_key"), rows[0]);
        for answer in [answer, depot.keeper.get("/movement").await] {
            let vary = answer.headers.get_all("vary").iter().flat_map(|value| value.to_str().unwrap().split(','));
            assert!(vary.map(str::trim).any(|name| name == "accept"), "{:?}", answer.headers);
        }
    }

    async fn what_was_moved_last_is_listed_once(site) {
        let keeper = filled(site).await;
        let positions = async |query: &str| each(&keeper.get(&format!("/movement/latest-positions?{query}")).await.expect(200).body, "code");
        assert_eq!(positions("").await, ["A2", "A1", "B"], "the latest end first, then by key");
        assert_eq!(positions("position_type=from").await, ["A1"], "OUT is not shown");
        assert_eq!(positions("movement_type=receipt").await, ["A1", "B"]);
        assert_eq!(positions("user_key=even").await, ["B"]);
        assert_eq!(positions("limit=1&offset=1").await, ["A1"]);
        keeper.delete("/position/A2").await.expect(200);
        assert_eq!(positions("").await, ["A1", "B"]);
        let shown = keeper.get("/movement/latest-positions?limit=1").await.body;
        assert_eq!(shown[0], keeper.get("/position/A1").await.body["position"]);

        let products = async |query: &str| each(&keeper.get(&format!("/movement/latest-products?{query}")).await.expect(200).body, "code");
        assert_eq!(products("").await, ["bolt", "nut"]);
        for query in ["type=transfer", "movement_type=transfer"] {
            assert_eq!(products(query).await, ["bolt"]);
        }
        assert_eq!(products("user_key=even").await, ["nut"]);
        assert_eq!(products("user_key=nobody").await, Vec::<String>::new());
        site.execute("update product set active = false where key = 'bolt'", vec![]).await;
        assert_eq!(products("").await, ["nut"]);
        keeper.get("/movement/latest-positions?position_type=both").await.expect(422);
    }

    /// What ended together is sorted by key, however many movements have to be looked at for that.
    async fn what_was_moved_last_is_found_among_many_that_ended_together(site) {
        let keeper = filled(site).await;
        let many = "insert into movement (
                        key, type, status, from_key, to_key, product_id, qt_planned, qt_confirmed, owned, created, start_at, end_at,
                        user_key
                    )
                    with recursive number (value) as (select 100 union all select value + 1 from number where value < 699)
                    select value, 'transfer', 'completed', 'B', case when value < 150 then 'A1' else 'A2' end, product.id, 1, 1, true,
                           1000, 9000, 9000, 'odd'
                    from number
                    cross join product
                    where product.key = 'bolt'";
        assert_eq!(site.execute(many, vec![]).await, 600);
        movement(site, (800, "transfer", "completed", "A1", "B", "nut", Some(9_500), Some(9_500), None)).await;
        for (query, found) in [("limit=1", vec!["B"]), ("limit=2", vec!["B", "A1"]), ("", vec!["B", "A1", "A2"])] {
            let positions = keeper.get(&format!("/movement/latest-positions?{query}")).await.expect(200).body;
            assert_eq!(each(&positions, "code"), found);
        }
        let counted = keeper.get("/movement/latest-products?limit=1&count=true").await.expect(200);
        assert_eq!((each(&counted.body, "code"), counted.header("x-total-count")), (vec!["nut".to_owned()], "2"));
    }

    async fn lists_are_narrowed_by_each_filter(site) {
        let keeper = filled(site).await;
        list(site, 38, "A-2", "shipment", "planned", "2026-01-05").await;
        list(site, 39, "A_1", "receipt", "completed", "2026-01-05").await;
        list(site, 40, "B", "shipment", "canceled", "2026-01-01").await;
        let listed = async |query: &str| each(&keeper.get(&format!("/movement-list?{query}")).await.expect(200).body, "code");
        assert_eq!(listed("").await, ["B", "A-2", "A_1", "SHIP_1"], "by day, then code");
        assert_eq!(listed("search=hip").await, ["SHIP_1"]);
        assert_eq!(listed("search=P_").await, ["SHIP_1"], "taken literally");
        assert_eq!(listed(&format!("list_key={LIST}&list_key=none")).await, ["SHIP_1"]);
        assert_eq!(listed("status=planned&status=canceled").await, ["B", "A-2"]);
        assert_eq!(listed("status=planned&status=started").await, ["A-2", "SHIP_1"]);
        assert_eq!(listed("type=receipt").await, ["A_1"]);
        assert_eq!(listed("includes_product_key=bolt").await, ["SHIP_1"]);
        assert_eq!(listed("includes_product_key=nut").await, Vec::<String>::new());
        assert_eq!(listed("includes_product_code=nut&includes_product_code=bolt").await, ["SHIP_1"]);
        assert_eq!(listed("due_by_min=2026-01-02").await, ["A-2", "A_1", "SHIP_1"]);
        assert_eq!(listed("due_by_max=2026-01-01").await, ["B"]);
        assert_eq!(listed("open_only=true").await, ["A-2", "SHIP_1"]);
        assert_eq!(listed("open_only=true&status=completed").await, Vec::<String>::new(), "filters combine");
        assert_eq!(listed("limit=2&offset=1").await, ["A-2", "A_1"]);
        assert_eq!(keeper.get("/movement-list?count=true&limit=1").await.header("x-total-count"), "4");
        for bad in ["status=lost", "due_by_min=tomorrow", "due_by_max=2026-13-01", "due_by_min=2026-02-30", "limit=0", "limit=10001", "offset=-1"] {
            assert_eq!(keeper.get(&format!("/movement-list?{bad}")).await.faults().len(), 1, "{bad}");
        }
    }

    async fn a_list_says_all_of_it(site) {
        let keeper = filled(site).await;
        let found = keeper.get(&format!("/movement-list/{LIST}")).await.expect(200).body;
        assert_eq!(each(&found["movements"], "_key"), ["0000000000005", "0000000000004"], "by item");
        assert_eq!(found["movements"][1], keeper.get("/movement?movement_status=planned").await.body[0]);
        let record = json!({
            "_id": format!("MovementList/{LIST}"), "_key": LIST, "_rev": "_1", "code": "SHIP_1", "type": "shipment", "status": "started",
            "due_by": "2026-01-05", "created": "1970-01-01T00:00:01.000Z", "start": null, "end": null, "closed": null, "notes": null,
            "references": null, "extra": {}, "counts": { "planned": 1, "completed": 0, "canceled": 1 },
        });
        let mut whole = found.clone();
        whole.as_object_mut().unwrap().remove("movements");
        assert_eq!(whole, record);
        assert_eq!(keeper.get("/movement-list").await.body, json!([record]));
        for nothing in ["0000000000001", "none"] {
            keeper.get(&format!("/movement-list/{nothing}")).await.expect(404);
        }
    }

    /// Scenario 12, the half that reads.
    async fn lists_are_searched_by_a_body_alike(site) {
        let keeper = filled(site).await;
        list(site, 38, "A-2", "shipment", "planned", "2026-01-06").await;
        list(site, 39, "A_1", "receipt", "planned", "2026-01-05").await;
        list(site, 40, "B", "shipment", "completed", "2026-01-01").await;
        let asked = keeper.post("/movement", json!({ "status": ["planned", "started"], "type": "shipment" })).await.expect(200);
        let same = keeper.get("/movement-list?status=planned&status=started&type=shipment").await.expect(200);
        assert_eq!(asked.text, same.text);
        assert_eq!(each(&asked.body, "code"), ["SHIP_1", "A-2"]);
        assert_eq!(keeper.post("/movement", json!({})).await.expect(200).text, keeper.get("/movement-list").await.text);
        let page = keeper.post("/movement", json!({ "includes_product_code": ["bolt"], "limit": 1, "offset": 0, "count": true })).await.expect(200);
        assert_eq!((each(&page.body, "code"), page.header("x-total-count")), (vec!["SHIP_1".to_owned()], "1"));
        assert_eq!(keeper.post("/movement", json!({ "status": "planned", "nothing": 1 })).await.faults().len(), 2);
        let before = (site.contents().await, site.count("audit").await);
        keeper.post("/movement", json!({ "open_only": true })).await.expect(200);
        assert_eq!((site.contents().await, site.count("audit").await), before, "it changes nothing, not even the audit log");
        let other = site.user("other", "inventory:movement:read").await;
        assert_eq!(other.post("/movement", json!({})).await.expect(403).body["detail"]["required_scope"], "inventory:movement-list:read");
    }
}
