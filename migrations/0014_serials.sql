-- Units that are traced one by one, what they are made of, and the batches that worked on them.

create table serial (
    key {id},
    rev {int} not null default 1,
    code {text},
    product_id {int} not null references product (id),
    wo_key {int} references work_order (key),
    counter_key {text},
    created {int} not null,
    created_by {text} not null,
    released {int},
    released_by {text},
    scrapped {int},
    scrapped_by {text},
    scrap_reason {text},
    deleted {int},
    deleted_by {text},
    data {text} not null,
    -- Its code, folded: what people search for.
    searched {text} not null,
    check ((released is null) = (released_by is null)),
    check ((scrapped is null) = (scrapped_by is null)),
    check ((deleted is null) = (deleted_by is null))
) {strict};

create unique index serial_code on serial (product_id, code) where deleted is null;
create index serial_of_code on serial (code) where code is not null;
create index serial_created on serial (created, key);
create index serial_released on serial (released, key) where released is not null;
-- The order of lists: by code, those without one last.
create index serial_listed on serial ((code is null), searched, code, key);
create index serial_product on serial (product_id, created, key);
create index serial_work_order on serial (wo_key) where wo_key is not null;
{trigram serial key searched};

-- The values of their fields, each as one text whose order is that of the values, by which serials are searched.
create table serial_value (
    serial_key {int} not null references serial (key),
    place {int} not null,
    item {int} not null,
    field_key {text} not null,
    value {text} not null,
    primary key (serial_key, place, item)
) {strict_keyed};

-- A long text would not fit into an index.
create index serial_value_field on serial_value (field_key, (substr(value, 1, 128)), serial_key);

-- What a unit, or a batch of an order that is not traced, contains. Ended links are kept for ever.
create table serial_link (
    key {id},
    rev {int} not null default 1,
    parent_key {int} references serial (key),
    parent_batch_key {int} references batch (key),
    child_key {int} not null references serial (key),
    component_key {text} not null,
    wo_key {int},
    phase_key {int},
    job_key {int},
    batch_key {int},
    confirmed {bool} not null,
    replaced {bool} not null default false,
    reason {text},
    linked {int},
    linked_by {text},
    unlinked {int},
    unlinked_by {text},
    movement_key {int},
    check ((parent_key is null) <> (parent_batch_key is null)),
    check (parent_key is null or parent_key <> child_key),
    check (confirmed = (linked is not null)),
    check (replaced = (unlinked is not null)),
    check (confirmed or not replaced),
    check (unlinked is null or unlinked >= linked)
) {strict};

-- One parent at a time.
create unique index serial_link_active on serial_link (child_key) where not replaced;
create index serial_link_child on serial_link (child_key);
create index serial_link_parent on serial_link (parent_key) where parent_key is not null;
create index serial_link_parent_batch on serial_link (parent_batch_key) where parent_batch_key is not null;
create index serial_link_batch on serial_link (batch_key) where batch_key is not null;
create index serial_link_work_order on serial_link (wo_key) where wo_key is not null;

-- The units that a batch works or worked on.
create table batch_serial (
    batch_key {int} not null references batch (key),
    serial_key {int} not null references serial (key),
    primary key (batch_key, serial_key)
) {strict_keyed};

create index batch_serial_serial on batch_serial (serial_key);

-- The payload as lists of events show it, if it holds a list that is too long for them.
alter table event add column shown {text};

-- A unit waits, or is booked, in one place.
create unique index wip_serial on wip (serial_key) where serial_key is not null and used_by is null;
create index wip_serial_used on wip (serial_key) where serial_key is not null and used_by is not null;
