-- The unit in which a product is counted (empty: pieces), and the stock below which people are told.
alter table product add column unit {text} not null default '';
alter table product add column minimum_stock_qt {int};

-- Movements that are planned, carried out and closed together. They share a type.
create table movement_list (
    key {id},
    rev {int} not null default 1,
    code {text} not null,
    code_folded {text} not null,
    type {text} not null check (type in ('transfer', 'receipt', 'shipment', 'production', 'consumption', 'adjustment')),
    status {text} not null check (status in ('planned', 'started', 'completed', 'canceled')),
    -- A day, written as YYYY-MM-DD.
    due_by {text} not null,
    created {int} not null,
    start_at {int},
    end_at {int},
    closed {int},
    notes {text},
    -- Documents and partners, as JSON.
    refers_to {text},
    extra {text} not null default '{}'
) {strict};

create unique index movement_list_code on movement_list (type, code);
create index movement_list_due on movement_list (due_by, code_folded, code, key);
create index movement_list_open on movement_list (due_by, code_folded, code, key) where status in ('planned', 'started');
{trigram movement_list key code_folded};

-- Planned movements, and the completed ones: these are the journal of stock, and never change.
create table movement (
    key {id},
    rev {int} not null default 1,
    type {text} not null check (
        type in ('transfer', 'receipt', 'shipment', 'production', 'consumption', 'adjustment', 'reversal')
    ),
    status {text} not null check (status in ('planned', 'completed', 'canceled')),
    from_key {text} not null references position (key),
    to_key {text} not null references position (key),
    -- None: the position itself is moved, with all that is in it.
    product_id {int} references product (id),
    serial_key {int} references serial (key),
    qt_planned {int} not null,
    qt_confirmed {int} not null,
    owned {bool} not null,
    -- Planned, and nobody has said whose it is: as the stock that it takes.
    owner_open {bool} not null default false,
    created {int} not null,
    start_at {int},
    end_at {int},
    movement_list_key {int} references movement_list (key),
    movement_list_item {int},
    -- Of a movement that was reversed.
    inverse_movement_key {int} references movement (key),
    -- Of a reversal.
    origin_movement_key {int} references movement (key),
    -- What production made it, so that corrections find it.
    work_order_key {int},
    job_key {int},
    batch_key {int},
    -- Documents and partners, as JSON.
    refers_to {text},
    reason {text},
    user_key {text} not null,
    extra {text} not null default '{}',
    check ((movement_list_key is null) = (movement_list_item is null)),
    check (status <> 'completed' or (start_at is not null and end_at is not null)),
    -- Lists find the planned ones by the end that they do not have.
    check (status <> 'planned' or end_at is null),
    check (product_id is not null or type = 'transfer')
) {strict};

-- One reversal for each movement.
create unique index movement_origin on movement (origin_movement_key) where origin_movement_key is not null;
create index movement_of_list on movement (movement_list_key, movement_list_item, key) where movement_list_key is not null;
create index movement_of_batch on movement (batch_key) where batch_key is not null;
create index movement_of_serial on movement (serial_key) where serial_key is not null;
create index movement_of_order on movement (work_order_key) where work_order_key is not null;
-- Which lists have rows of a product.
create index movement_in_lists on movement (product_id, movement_list_key) where movement_list_key is not null;

-- Lists of movements: those without an end first, then those that ended last. An index for each filter has this order.
create index movement_listed on movement (
    (coalesce(end_at, 9223372036854775807)), (coalesce(start_at, 9223372036854775807)), key
);
create index movement_open on movement (
    (coalesce(end_at, 9223372036854775807)), (coalesce(start_at, 9223372036854775807)), key
) where status <> 'completed';
create index movement_by_type on movement (
    type, (coalesce(end_at, 9223372036854775807)), (coalesce(start_at, 9223372036854775807)), key
);
create index movement_by_product on movement (
    product_id, (coalesce(end_at, 9223372036854775807)), (coalesce(start_at, 9223372036854775807)), key
);
create index movement_by_from on movement (
    from_key, (coalesce(end_at, 9223372036854775807)), (coalesce(start_at, 9223372036854775807)), key
);
create index movement_by_to on movement (
    to_key, (coalesce(end_at, 9223372036854775807)), (coalesce(start_at, 9223372036854775807)), key
);
create index movement_by_user on movement (
    user_key, (coalesce(end_at, 9223372036854775807)), (coalesce(start_at, 9223372036854775807)), key
);

-- Stock is listed by the codes of products, also of those in the trash, or by those of positions.
create index product_listed on product (code_folded, code, key);
create index position_listed on position (code_folded, code, key);
