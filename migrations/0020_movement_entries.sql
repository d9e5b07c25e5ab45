-- An event is found by its own product without an entry for it.

delete from event_listed
where kind = 'product' and key = (select event.product_key from event where event.seq = event_listed.seq);

-- A movement that is removed is looked for as what took another one back.
create index movement_inverse on movement (inverse_movement_key) where inverse_movement_key is not null;
