-- What is made: work orders with the copies they work by, jobs, batches, work sessions and work in progress; and the journal of
-- everything that happens on the shop floor.

create table work_order (
    key {id},
    rev {int} not null default 1,
    wo_code {text} not null,
    product_id {int} not null references product (id),
    product_key {text} not null,
    product_code {text} not null,
    product_description {text},
    qt_planned {int} not null check (qt_planned > 0),
    priority {bool} not null,
    project_code {text},
    notes {text},
    start_from {int},
    due_by {int},
    extra {text} not null,
    -- Its code, the product's and the project's, folded: what people search for.
    searched {text} not null,
    output_position_key {text} references position (key),
    traceability_level {text} check (traceability_level in ('form_only', 'complete')),
    serial_code_on_creation {bool} not null,
    bom_version {int},
    serial_fields {text} not null,
    wo_docs {text} not null,
    material_cost {int},
    status {text} not null check (status in ('created', 'started', 'closed')),
    active {bool} not null,
    critical {bool} not null default false,
    qt_completed {int} not null check (qt_completed >= 0),
    qt_scrap {int} not null check (qt_scrap >= 0),
    progress {int} not null,
    created {int} not null,
    created_by {text} not null,
    started {int},
    ended {int},
    -- Its place in the site queue while it is not closed.
    place {int} not null,
    check ((status = 'closed') = (ended is not null))
) {strict};

create unique index work_order_code on work_order (wo_code);
create index work_order_product on work_order (product_id, ended);
create index work_order_open on work_order (place, key) where status <> 'closed';
-- The order of lists: open ones first, then those that ended last.
create index work_order_listed on work_order ((coalesce(ended, 9223372036854775807)) desc, key);
create index work_order_position on work_order (output_position_key);
{trigram work_order key searched};

-- The lines that an order uses, as it copied or was given them.
create table work_order_bom (
    work_order_key {id},
    lines {text} not null,
    foreign key (work_order_key) references work_order (key)
) {strict};

-- The routing as it was when the order was made: each phase with its steps in full.
create table order_phase (
    work_order_key {int} not null references work_order (key),
    phase_key {int} not null references phase (key),
    place {int} not null,
    alias {text} not null,
    operation_key {text} not null references operation (key),
    params {text} not null,
    steps {text} not null,
    step_count {int} not null,
    -- What the lines of this phase cost for one unit; null when a component's cost is unknown.
    unit_material_cost {int},
    primary key (work_order_key, phase_key)
) {strict_keyed};

create unique index order_phase_place on order_phase (work_order_key, place);
create index order_phase_phase on order_phase (phase_key);

create table job (
    key {id},
    rev {int} not null default 1,
    work_order_key {int} not null,
    phase_key {int} not null,
    project_code {text},
    parameters {text} not null,
    notes {text},
    extra {text} not null,
    start_from {int},
    due_by {int},
    stage {text} not null check (stage in ('created', 'started', 'closed')),
    active {bool} not null,
    close_reason {text} check (close_reason in ('quantity', 'supply', 'manual')),
    critical {bool} not null default false,
    started {int},
    ended {int},
    assigned_to {text} references user_account (key),
    forced {int},
    qt_planned {int} not null check (qt_planned > 0),
    qt_completed {int} not null check (qt_completed >= 0),
    qt_released {int} not null,
    qt_scrap {int} not null check (qt_scrap >= 0),
    active_batch_key {int},
    active_batch_qt {int} not null check (active_batch_qt >= 0),
    steps_done {int} not null,
    progress {int} not null,
    next_batch_available {bool} not null,
    last_work_session_started {int},
    last_online {int},
    -- The session that a heartbeat came from, and when it counts as offline unless it is heard of again. Heartbeats take no lock
    -- of the order: whoever saves a job leaves these two alone.
    heartbeat_session {int},
    offline_at {int},
    -- Its place in the queue of its operator, where that queue has an order of its own.
    place {int} not null,
    foreign key (work_order_key, phase_key) references order_phase (work_order_key, phase_key),
    check (qt_released >= 0 and qt_released <= qt_completed),
    check ((stage = 'closed') = (close_reason is not null)),
    check (not active or stage = 'started'),
    check ((active_batch_key is null) = (active_batch_qt = 0))
) {strict};

create index job_work_order on job (work_order_key);
create index job_assigned on job (assigned_to) where stage <> 'closed';
create index job_open on job (work_order_key) where stage <> 'closed';
create index job_phase on job (phase_key);
create index job_assigned_ever on job (assigned_to) where assigned_to is not null;

create table batch (
    key {id},
    rev {int} not null default 1,
    job_key {int} not null references job (key),
    phase_key {int} not null,
    work_order_key {int} not null references work_order (key),
    started {int} not null,
    ended {int},
    active {bool} not null,
    qt_total {int} not null check (qt_total > 0),
    qt_pass {int} not null default 0 check (qt_pass >= 0),
    qt_scrap {int} not null default 0 check (qt_scrap >= 0),
    scrap_reason {text},
    unit_material_cost {int},
    value {int},
    canceled {int},
    forced {int},
    check (qt_pass + qt_scrap <= qt_total),
    check (not active or (ended is null and canceled is null))
) {strict};

create unique index batch_active on batch (job_key) where active;
create index batch_job on batch (job_key, key);
create index batch_work_order on batch (work_order_key, phase_key);

create table work_session (
    key {id},
    rev {int} not null default 1,
    user_session_key {int},
    batch_key {int} references batch (key),
    job_key {int} references job (key),
    phase_key {int},
    work_order_key {int} references work_order (key),
    task_key {int},
    user_key {text} not null references user_account (key),
    started {int} not null,
    ended {int},
    duration {int},
    active {bool} not null,
    hourly_cost {int} not null,
    canceled {int},
    forced {int},
    check (active = (ended is null)),
    check (ended is null or ended >= started)
) {strict};

create unique index work_session_active on work_session (job_key) where active;
create index work_session_user on work_session (user_key) where active;
create index work_session_job on work_session (job_key, key);
create index work_session_batch on work_session (batch_key);
create index work_session_work_order on work_session (work_order_key);

create table step_execution (
    key {id},
    rev {int} not null default 1,
    job_key {int} not null references job (key),
    batch_key {int} not null references batch (key),
    step_key {int} not null,
    user_key {text} not null,
    work_session_key {int},
    completed {int},
    status {text} not null check (status in ('to_do', 'done', 'critical')),
    form_data {text} not null,
    modified {int},
    canceled {int},
    check ((status = 'to_do') = (completed is null))
) {strict};

create unique index step_execution_step on step_execution (batch_key, step_key) where canceled is null;
create index step_execution_batch on step_execution (batch_key);
create index step_execution_job on step_execution (job_key);

-- Output of a phase on its way to the next: free in front of it, booked by one of its jobs, or, kept so that a correction can
-- give it back, used up by one of its batches.
create table wip (
    key {id},
    work_order_key {int} not null references work_order (key),
    from_phase {int} not null,
    to_phase {int} not null,
    batch_key {int} not null references batch (key),
    serial_key {int},
    job_key {int} references job (key),
    used_by {int} references batch (key),
    quantity {int} not null check (quantity > 0),
    value {int},
    check (job_key is null or used_by is null)
) {strict};

-- What is free of one batch is one row.
create unique index wip_free on wip (batch_key) where serial_key is null and job_key is null and used_by is null;
create index wip_waiting on wip (work_order_key, to_phase, quantity, key) where job_key is null and used_by is null;
create index wip_booked on wip (job_key, quantity, key) where job_key is not null;
create index wip_used on wip (used_by) where used_by is not null;
create index wip_batch on wip (batch_key);
create index wip_work_order on wip (work_order_key);

-- The last number given to an event. Whoever raises it holds it to the end of the transaction, so numbers follow commits.
create table journal_head (
    id {id},
    seq {int} not null
) {strict};

create table event (
    seq {id},
    key {int} not null,
    event_type {text} not null,
    user_key {text} not null,
    user_session_key {int},
    timestamp {int} not null,
    recorded {int} not null,
    description {text},
    context_type {text},
    context_key {int},
    is_primary {bool} not null,
    event_group {int} not null,
    source_key {int},
    job_key {int},
    phase_key {int},
    batch_key {int},
    work_order_key {int},
    product_key {text},
    serial_key {int},
    issue_key {int},
    task_key {int},
    movement_key {int},
    payload {text} not null
) {strict};

create unique index event_key on event (key);
create index event_by_group on event (event_group, seq);
create index event_by_time on event (timestamp, seq);
create index event_by_type on event (event_type, timestamp);
create index event_by_user on event (user_key, timestamp);
create index event_by_work_order on event (work_order_key, timestamp) where work_order_key is not null;
create index event_by_job on event (job_key, timestamp) where job_key is not null;
create index event_by_batch on event (batch_key) where batch_key is not null;
create index event_by_product on event (product_key, timestamp) where product_key is not null;
create index event_by_serial on event (serial_key) where serial_key is not null;
create index event_by_issue on event (issue_key) where issue_key is not null;
create index event_by_task on event (task_key) where task_key is not null;
create index event_by_movement on event (movement_key) where movement_key is not null;
create index event_by_context on event (context_key) where context_key is not null;

-- The keys in the lists of an event's payload, by which it is found as well.
create table event_listed (
    kind {text} not null,
    key {text} not null,
    seq {int} not null,
    primary key (kind, key, seq)
) {strict_keyed};

create index event_listed_event on event_listed (seq);

-- The chain of seals. A block of events has all digests from the block of events before it up to its own last_seq.
create table seal (
    block {id},
    kind {text} not null check (kind in ('events', 'removal')),
    first_seq {int},
    last_seq {int},
    count {int} not null,
    sealed {int} not null,
    user_key {text},
    reason {text},
    prev_hash {bytes} not null,
    hash {bytes} not null
) {strict};

-- Digests outlive their events; removed_in names the removal that took the event.
create table sealed_event (
    seq {id},
    digest {bytes} not null,
    removed_in {int}
) {strict};

create index sealed_event_removed on sealed_event (removed_in, seq) where removed_in is not null;

-- A stored event, a seal and a digest never change, and a digest is never taken away.
-- sqlite:
create trigger event_fixed before update on event begin select raise(abort, 'a stored event never changes'); end;
create trigger seal_fixed before update on seal begin select raise(abort, 'a seal never changes'); end;
create trigger seal_stays before delete on seal begin select raise(abort, 'a seal never changes'); end;
create trigger sealed_event_fixed before update of seq, digest on sealed_event begin select raise(abort, 'a digest never changes'); end;
create trigger sealed_event_stays before delete on sealed_event begin select raise(abort, 'a digest never changes'); end;
-- postgres:
create function journal_never_changes() returns trigger language plpgsql as
$$ begin raise exception 'the journal never changes'; end $$;
create trigger event_fixed before update on event for each row execute function journal_never_changes();
create trigger seal_fixed before update or delete on seal for each row execute function journal_never_changes();
create trigger sealed_event_fixed before update of seq, digest on sealed_event for each row execute function journal_never_changes();
create trigger sealed_event_stays before delete on sealed_event for each row execute function journal_never_changes();
-- both:
