-- What is made, of what, and how: products, processes and bills of materials.

-- Products have keys that people may choose, and a number of their own by which everything large refers to them.
create table product (
    id {id},
    key {text} not null,
    rev {int} not null default 1,
    code {text} not null,
    code_folded {text} not null,
    description {text},
    description_folded {text} not null default '',
    active {bool} not null,
    counter_key {text} references counter (key),
    traceability_level {text} check (traceability_level in ('form_only', 'complete')),
    manage_inventory {bool} not null,
    allow_negative_inventory {bool} not null,
    serial_code_on_creation {bool} not null,
    trash {bool} not null default false,
    created {int} not null,
    updated {int} not null,
    cost_target {int},
    cost_average {int},
    technical_batch_qt {int} not null,
    minimum_order_qt {int} not null,
    production_notes {text},
    bom_version {int} not null default 0,
    throughput_time_target {int},
    processing_time_target {int},
    kpi_window_size {int},
    kpi_window_type {text} not null check (kpi_window_type in ('count', 'time')),
    metadata {text} not null,
    default_production_position_key {text} references position (key),
    default_consumption_position_key {text} references position (key),
    img_name {text}
) {strict};

create unique index product_key on product (key);
create unique index product_code on product (code) where not trash;
create index product_by_code on product (code_folded, code, key) where not trash;
create index product_counter on product (counter_key);
{trigram product id code_folded};
{trigram product id description_folded};

-- A deleted operation stays for the phases that had it.
create table operation (
    key {text} primary key,
    rev {int} not null default 1,
    name {text} not null,
    name_folded {text} not null,
    code {text},
    description {text},
    default_phase_parameters {text} not null,
    default_phase_notes {text},
    deleted {bool} not null default false
) {strict};

-- Phases and steps that a process no longer has are trashed, and stay readable.
create table phase (
    key {id},
    rev {int} not null default 1,
    product_id {int} not null references product (id),
    place {int} not null,
    alias {text} not null,
    operation_key {text} not null references operation (key),
    params {text} not null,
    production_notes {text},
    trashed {int}
) {strict};

create unique index phase_place on phase (product_id, place) where trashed is null;
create unique index phase_alias on phase (product_id, alias) where trashed is null;
create index phase_operation on phase (operation_key);
create unique index phase_of_product on phase (key, product_id);

-- A step keeps its place when its phase is trashed, and has none when the phase goes on without it.
create table step (
    key {id},
    rev {int} not null default 1,
    phase_key {int} references phase (key),
    operation_key {text} references operation (key),
    place {int},
    title {text} not null,
    description {text},
    type {text} not null check (type in ('instruction', 'form')),
    form_fields {text} not null,
    trashed {int},
    check ((phase_key is null) <> (operation_key is null)),
    check (trashed is not null or place is not null)
) {strict};

create unique index step_of_phase on step (phase_key, place);
create unique index step_of_operation on step (operation_key, place);

create index media_connection_from on media_connection (from_id);

-- The lines of every product's present bill of materials.
create table bom_line (
    key {id},
    product_id {int} not null references product (id),
    line_no {int} not null,
    component_id {int} not null references product (id),
    qt {int} not null check (qt > 0),
    phase_key {int} not null,
    consumption_position_key {text} references position (key),
    consumption_position_mandatory {bool} not null,
    minimum_quantity_if_negative {bool} not null,
    minimum_quantity {int},
    extra {text},
    -- A line belongs to a phase of its own product.
    foreign key (phase_key, product_id) references phase (key, product_id)
) {strict};

create unique index bom_line_place on bom_line (product_id, line_no);
-- Enough for walking down and up without looking at the lines themselves.
create index bom_line_down on bom_line (product_id, component_id, qt);
create index bom_line_up on bom_line (component_id, product_id, qt);
create index bom_line_phase on bom_line (phase_key);

-- Every bill of materials there ever was, its lines with codes and names as they were.
create table bom_version (
    product_id {int} not null references product (id),
    version {int} not null,
    created {int} not null,
    created_by {text},
    line_count {int} not null,
    source {text} not null check (source in ('put', 'copy', 'process_copy')),
    lines {text} not null,
    primary key (product_id, version)
) {strict_keyed};

-- sqlite:
create trigger bom_version_fixed before update on bom_version begin select raise(abort, 'a stored version never changes'); end;
create trigger bom_version_stays before delete on bom_version begin select raise(abort, 'a stored version never changes'); end;
-- postgres:
create function bom_version_never_changes() returns trigger language plpgsql as
$$ begin raise exception 'a stored version never changes'; end $$;
create trigger bom_version_fixed before update or delete on bom_version for each row execute function bom_version_never_changes();
-- both:
