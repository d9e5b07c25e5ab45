//! What is stored of stock, movements and lists has to agree with itself.

use super::*;

/// Checks it by statements of its own, and asks the service for its own opinion.
pub(crate) async fn audit(site: &Site, reader: &Person) {
    let none = async |what: &str, statement: &str| {
        assert_eq!(site.look::<i64>(statement, vec![]).await, Some(0), "{what}");
    };
    none(
        "stock that is not the sum of completed movements",
        "select count(*)
         from (select product_id, place, unit
               from (select product_id, position_key as place, coalesce(serial_key, 0) as unit, quantity
                     from stock
                     union all
                     select product_id, from_key, coalesce(serial_key, 0), qt_confirmed
                     from movement
                     where status = 'completed' and product_id is not null and from_key <> to_key
                       and from_key not in ('OUT', 'NULL')
                     union all
                     select product_id, to_key, coalesce(serial_key, 0), -qt_confirmed
                     from movement
                     where status = 'completed' and product_id is not null and to_key not in ('OUT', 'NULL')) as parts
               group by product_id, place, unit
               having sum(quantity) <> 0) as differing",
    )
    .await;
    none(
        "stock below zero that may not be there",
        "select count(*)
         from stock
         join product on product.id = stock.product_id
         where quantity < 0 and (serial_key is not null or not allow_negative_inventory)",
    )
    .await;
    none(
        "units in two positions",
        "select count(*)
         from (select serial_key from stock where serial_key is not null group by serial_key having count(*) > 1) as twice",
    )
    .await;
    none(
        "stock in positions that hold none",
        "select count(*)
         from stock
         join position on position.key = stock.position_key
         where deleted or position.key in ('OUT', 'NULL')",
    )
    .await;
    none(
        "movements that were reversed by another than they say",
        "select count(*)
         from movement as original
         full join movement as reversal on reversal.origin_movement_key = original.key
         where coalesce(original.inverse_movement_key, 0) <> coalesce(reversal.key, 0)
           and (original.inverse_movement_key is not null or reversal.origin_movement_key is not null)",
    )
    .await;
    none(
        "lists whose status is not what their rows say",
        "select count(*)
         from (select movement_list.status as told, closed, max(count_session.status) as session,
                      count(movement.key) as all_rows,
                      count(movement.key) filter (where movement.status = 'planned') as open_rows,
                      count(movement.key) filter (where movement.status = 'completed') as done_rows
               from movement_list
               left join movement on movement.movement_list_key = movement_list.key
               left join count_session on count_session.adjustment_list_key = movement_list.key
               group by movement_list.key, movement_list.status, closed) as lists
         where told <> case
                           when session = 'applied' then 'completed'
                           when closed is not null and done_rows = 0 then 'canceled'
                           when closed is not null then 'completed'
                           when all_rows = 0 then 'planned'
                           when open_rows = 0 and done_rows = 0 then 'canceled'
                           when open_rows = 0 then 'completed'
                           when done_rows = 0 then 'planned'
                           else 'started'
                       end",
    )
    .await;
    let found = reader.get("/inventory/verify").await.expect(200);
    assert_eq!(found.body["ok"], true, "{}", found.text);
}
