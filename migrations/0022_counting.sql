-- Counting what lies in positions: sessions, who counts what, what was counted, which positions are done, and stock as it was.

-- How often counting sessions have corrected the pair: a count that is older than a correction of another session is told by it.
alter table stock_pair add column corrections {int} not null default 0;
create index stock_pair_locked on stock_pair (locked_by) where locked_by is not null;

-- Of a correction after a count.
alter table movement add column count_session_key {int};
alter table movement add column count_record_key {int};
create index movement_of_count on movement (count_record_key, key) where count_record_key is not null;

create table count_session (
    key {id},
    rev {int} not null default 1,
    code {text} not null,
    code_folded {text} not null,
    description {text},
    notes {text},
    type {text} not null check (type in ('position', 'product')),
    status {text} not null check (status in ('planned', 'started', 'completed', 'processing', 'applied', 'canceled')),
    -- What counters do not see.
    blind_quantities {bool} not null,
    blind_serials {bool} not null,
    scheduled_start {int},
    scheduled_end {int},
    created {int} not null,
    created_by {text} not null,
    started {int},
    completed {int},
    applied {int},
    -- In percent, in millionths: kept when it is over, computed before.
    coverage {int},
    baseline_snapshot_key {int},
    post_count_snapshot_key {int},
    post_adjustment_snapshot_key {int},
    adjustment_list_key {int},
    records_to_process {int} not null default 0,
    movements_created {int} not null default 0,
    movements_failed {int} not null default 0,
    processing_started {int},
    processing_completed {int},
    -- In whose name stock is corrected.
    confirmed_by {text},
    extra {text} not null default '{}'
) {strict};

create unique index count_session_code on count_session (code);
create index count_session_created on count_session (created, key);
create index count_session_processing on count_session (key) where status = 'processing';
create index count_session_list on count_session (adjustment_list_key) where adjustment_list_key is not null;
{trigram count_session key code_folded};

-- Who is to count what. A target is a product or a position.
create table count_assignment (
    key {id},
    rev {int} not null default 1,
    session_key {int} not null references count_session (key),
    target_type {text} not null check (target_type in ('position', 'product')),
    product_id {int} references product (id),
    position_key {text} references position (key),
    -- None: anyone.
    assigned_to {text},
    -- Also what is below the position, at any depth.
    include_children {bool} not null default false,
    status {text} not null check (status in ('planned', 'started', 'completed', 'canceled')),
    created {int} not null,
    created_by {text} not null,
    started {int},
    completed {int},
    notes {text},
    extra {text} not null default '{}',
    check ((target_type = 'product') = (product_id is not null)),
    check ((target_type = 'position') = (position_key is not null))
) {strict};

create index count_assignment_session on count_assignment (session_key, key);
create index count_assignment_product on count_assignment (product_id) where product_id is not null;
create index count_assignment_position on count_assignment (position_key) where position_key is not null;
create index count_assignment_user on count_assignment (assigned_to) where assigned_to is not null;

-- What somebody has counted of a product at a position, or is counting: always all that lies there.
create table count_record (
    key {id},
    rev {int} not null default 1,
    session_key {int} not null references count_session (key),
    product_id {int} not null references product (id),
    position_key {text} not null references position (key),
    assignment_key {int} references count_assignment (key),
    user_key {text} not null,
    status {text} not null check (status in ('started', 'completed', 'confirmed', 'discarded')),
    -- What stock said when the count began, serials included.
    system_qt {int} not null,
    system_at {int} not null,
    -- How often counting sessions had corrected the pair by then.
    system_corrections {int} not null default 0,
    counted_qt {int},
    counted_at {int},
    reviewed_at {int},
    processed {bool} not null default false,
    -- While it is applied in several steps: the quantity and all serials up to this one are corrected.
    done {int},
    -- What could not be corrected, as JSON.
    error_details {text},
    notes {text},
    extra {text} not null default '{}',
    check ((status = 'started') = (counted_qt is null)),
    check ((counted_qt is null) = (counted_at is null))
) {strict};

-- Whoever counts a pair counts it alone.
create unique index count_record_open on count_record (product_id, position_key) where status = 'started';
create index count_record_session on count_record (session_key, position_key, product_id, key);
create index count_record_position on count_record (position_key, product_id, key);
create index count_record_product on count_record (product_id, position_key, key);
create index count_record_assignment on count_record (assignment_key) where assignment_key is not null;
create index count_record_started on count_record (session_key, key) where status = 'started';
create index count_record_waiting on count_record (session_key, key) where status = 'confirmed' and not processed;
create index count_record_processed on count_record (session_key) where processed;

-- The serials of a record. It outlives them.
create table count_serial (
    record_key {int} not null references count_record (key),
    serial_key {int} not null,
    -- Stock had it there when the count began.
    in_system {bool} not null,
    counted {bool} not null default false,
    -- How many completed movements it had when the count ended.
    moves {int},
    primary key (record_key, serial_key)
) {strict_keyed};

create index count_serial_serial on count_serial (serial_key);

-- Positions that a session is done with.
create table count_mark (
    session_key {int} not null references count_session (key),
    position_key {text} not null references position (key),
    status {text} not null check (status in ('counted', 'empty')),
    completed_at {int} not null,
    -- None: the service.
    user_key {text},
    notes {text},
    primary key (session_key, position_key)
) {strict_keyed};

create index count_mark_position on count_mark (position_key);

-- Stock as it was, or as it would be with the corrections of a session.
create table snapshot (
    key {id},
    rev {int} not null default 1,
    type {text} not null check (type in ('actual', 'virtual')),
    session_key {int} not null references count_session (key),
    taken {int} not null,
    scope_type {text} not null check (scope_type in ('full', 'positions', 'products')),
    -- The keys of the positions or products, as JSON.
    target_keys {text} not null default '[]',
    created_by {text} not null
) {strict};

create index snapshot_session on snapshot (session_key);

-- One for each row of stock.
create table snapshot_row (
    snapshot_key {int} not null references snapshot (key),
    position_key {text} not null,
    product_id {int} not null,
    -- -1: without a serial.
    serial_key {int} not null,
    quantity {int} not null,
    primary key (snapshot_key, position_key, product_id, serial_key)
) {strict_keyed};
