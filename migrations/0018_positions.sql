-- Where positions are: each live one but the reserved is in exactly one other. A deleted position has no link.
create table position_link (
    key {id},
    rev {int} not null default 1,
    child_key {text} not null references position (key),
    parent_key {text} not null references position (key),
    check (child_key <> parent_key),
    -- Nothing contains the reserved positions, and nothing is in NULL.
    check (child_key not in ('IN', 'OUT', 'NULL')),
    check (parent_key <> 'NULL')
) {strict};

-- One parent.
create unique index position_link_child on position_link (child_key);
-- Trees are read from the index alone.
create index position_link_parent on position_link (parent_key, child_key);

-- A product at a position, made when it is first needed and kept: whoever changes stock locks it, also where there is no row of stock.
create table stock_pair (
    product_id {int} not null references product (id),
    position_key {text} not null references position (key),
    -- Somebody counts it.
    counting {bool} not null default false,
    count_by {text},
    -- A counting session corrects it.
    locked {bool} not null default false,
    locked_by {int},
    last_counted {int},
    primary key (product_id, position_key),
    check (counting = (count_by is not null)),
    check (locked = (locked_by is not null))
) {strict_keyed};

create index stock_pair_position on stock_pair (position_key);

-- What lies at a position: one row for each serial, and one for the whole quantity of a product without serials. Only events write it.
create table stock (
    key {id},
    rev {int} not null default 1,
    product_id {int} not null,
    position_key {text} not null,
    serial_key {int} references serial (key),
    quantity {int} not null,
    -- False: it belongs to a customer or a supplier.
    owned {bool} not null default true,
    -- It was allowed to go below zero when it did.
    negative_allowed {bool} not null default false,
    foreign key (product_id, position_key) references stock_pair (product_id, position_key),
    check (quantity <> 0),
    check (quantity > 0 or negative_allowed),
    check (serial_key is null or quantity = 1000000),
    check (position_key not in ('OUT', 'NULL'))
) {strict};

create unique index stock_untraced on stock (product_id, position_key) where serial_key is null;
create unique index stock_serial on stock (serial_key) where serial_key is not null;
create index stock_position on stock (position_key, product_id);
create index stock_product on stock (product_id, position_key);
