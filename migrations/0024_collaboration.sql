-- Issues and what they are about, messages, and tasks.

create table issue_type (
    key {text} primary key,
    rev {int} not null default 1,
    name {text} not null,
    name_folded {text} not null,
    code {text},
    code_folded {text},
    active {bool} not null default true,
    description {text},
    icon {text},
    critical {bool} not null default false,
    -- The fields of the form, as JSON.
    form_template {text} not null default '[]'
) {strict};

create unique index issue_type_code on issue_type (code_folded) where code_folded is not null;

create table issue (
    key {id},
    rev {int} not null default 1,
    issue_type_key {text} references issue_type (key),
    title {text},
    description {text},
    created {int} not null,
    created_by {text} not null,
    updated {int},
    closed {int},
    closed_by {text},
    critical {bool} not null,
    open {bool} not null,
    -- What was filled in, as JSON.
    data {text} not null default '[]',
    -- Its key, title and description, folded: what people search for.
    searched {text} not null,
    check (open = (closed is null)),
    check ((closed is null) = (closed_by is null))
) {strict};

create index issue_created on issue (created, key);
create index issue_closed on issue (closed, key) where closed is not null;
create index issue_open on issue (created, key) where open;
create index issue_of_type on issue (issue_type_key, created, key);
create index issue_created_by on issue (created_by, created, key);
create index issue_closed_by on issue (closed_by, created, key) where closed_by is not null;
{trigram issue key searched};

-- The values of their fields, each as one text whose order is that of the values, by which issues are searched.
create table issue_value (
    issue_key {int} not null references issue (key),
    place {int} not null,
    item {int} not null,
    field_key {text} not null,
    value {text} not null,
    primary key (issue_key, place, item)
) {strict_keyed};

create index issue_value_field on issue_value (field_key, (substr(value, 1, 128)), issue_key);

-- What issues are about. Phases, orders, jobs and serials are known by a number, others by a text; of a project that is its code.
create table issue_rel (
    issue_key {int} not null references issue (key),
    place {int} not null,
    type {text} not null
        check (type in ('product', 'operation', 'phase', 'work_order', 'project', 'user', 'job', 'serial')),
    record_id {int},
    record_key {text},
    -- The code of a project, folded.
    searched {text},
    primary key (issue_key, place),
    check ((record_id is null) <> (record_key is null)),
    check ((type = 'project') = (searched is not null))
) {strict_keyed};

create index issue_rel_id on issue_rel (type, record_id, issue_key) where record_id is not null;
create index issue_rel_key on issue_rel (type, record_key, issue_key) where record_key is not null;

create table message (
    key {id},
    rev {int} not null default 1,
    sender {text} not null,
    -- The _id of a user or of a record.
    recipient {text} not null,
    content {text} not null,
    created {int} not null,
    updated {int},
    deleted {int},
    check (deleted is null or content = '')
) {strict};

create index message_recipient on message (recipient, created, key);
-- Of messages to a user, others see only their own.
create index message_sender on message (recipient, sender, created, key);

create table task_type (
    key {text} primary key,
    rev {int} not null default 1,
    name {text} not null,
    name_folded {text} not null,
    description {text},
    icon {text},
    active {bool} not null default true,
    created {int} not null,
    -- The fields of the form, as JSON.
    form_fields {text} not null default '[]',
    require_time_entry {bool} not null default false,
    -- For each kind of record whether tasks are linked to it, as JSON.
    link_settings {text} not null default '[]'
) {strict};

create table task (
    key {id},
    rev {int} not null default 1,
    task_type_key {text} not null,
    -- The same while it is not deleted: a type can go when only deleted tasks have it.
    live_type_key {text} references task_type (key),
    code {text} not null,
    code_folded {text} not null,
    status {text} not null check (status in ('pending', 'open', 'completed', 'canceled')),
    -- Whom it is assigned to, as JSON; task_assignee has the same to be searched.
    assigned_to {text} not null default '[]',
    start_from {int},
    due_by {int},
    created {int} not null,
    created_by {text} not null,
    closed {int},
    closed_by {text},
    deleted {int},
    deleted_by {text},
    title {text},
    description {text},
    -- The fields of its form with their values, as JSON.
    form_fields {text} not null default '[]',
    extra {text} not null default '{}',
    -- Its title and description, folded: what people search for.
    searched {text} not null,
    -- The dates by which lists are sorted; the end of time where there is none.
    due_sort {int} not null,
    start_sort {int} not null,
    closed_sort {int} not null,
    check ((status in ('completed', 'canceled')) = (closed is not null)),
    check ((closed is null) = (closed_by is null)),
    check ((deleted is null) = (deleted_by is null)),
    check ((deleted is null) = (live_type_key is not null))
) {strict};

create unique index task_code on task (code);
-- The order of lists, of all, of one type, and of one status.
create index task_listed on task (due_sort, created, start_sort, closed_sort, key) where deleted is null;
create index task_of_type on task (live_type_key, due_sort, created, start_sort, closed_sort, key);
create index task_of_status on task (status, due_sort, created, start_sort, closed_sort, key) where deleted is null;
create index task_created on task (created, key) where deleted is null;
create index task_started on task (start_sort, key) where deleted is null;
create index task_closed on task (closed_sort, key) where deleted is null;
{trigram task key code_folded};
{trigram task key searched};

-- Whom live tasks are assigned to, with what the tasks of one user are listed and narrowed by.
create table task_assignee (
    user_key {text} not null,
    due_sort {int} not null,
    created {int} not null,
    start_sort {int} not null,
    closed_sort {int} not null,
    task_key {int} not null references task (key),
    owner {bool} not null,
    status {text} not null,
    live_type_key {text} not null,
    primary key (user_key, due_sort, created, start_sort, closed_sort, task_key)
) {strict_keyed};

create index task_assignee_task on task_assignee (task_key, user_key);

create table task_value (
    task_key {int} not null references task (key),
    place {int} not null,
    item {int} not null,
    field_key {text} not null,
    value {text} not null,
    primary key (task_key, place, item)
) {strict_keyed};

create index task_value_field on task_value (field_key, (substr(value, 1, 128)), task_key);

-- What tasks are linked to. Products are known by a text, others by a number.
create table task_rel (
    key {id},
    rev {int} not null default 1,
    task_key {int} not null references task (key),
    type {text} not null check (type in ('issue', 'work_order', 'product', 'serial', 'task')),
    record_id {int},
    record_key {text},
    created {int} not null,
    created_by {text} not null,
    check ((record_id is null) <> (record_key is null)),
    check ((type = 'product') = (record_key is not null)),
    check (type <> 'task' or record_id <> task_key)
) {strict};

create index task_rel_task on task_rel (task_key);
create unique index task_rel_id on task_rel (type, record_id, task_key) where record_id is not null;
create unique index task_rel_key on task_rel (type, record_key, task_key) where record_key is not null;

-- Time that was recorded for tasks.
create index work_session_task on work_session (task_key) where task_key is not null;
