-- People and departments, the audit log, stored answers, quality lists, tags and media.

create table department (
    key {text} primary key,
    rev {int} not null default 1,
    name {text} not null,
    name_folded {text} not null,
    code {text},
    code_folded {text},
    description {text}
) {strict};

create unique index department_code on department (code_folded);

-- Folded columns for searching and sorting. No operation could fill a user's names before.
alter table user_account add column name_folded {text} not null default '';
alter table user_account add column surname_folded {text} not null default '';
alter table user_account add column email_folded {text} not null default '';
alter table user_account add column image {text};
create index user_account_department on user_account (department_key) where not trash;

-- Files of configuration entries are there before; they are never listed.
alter table file add column subfolder_folded {text} not null default '';
alter table file add column name_folded {text} not null default '';

create index token_api on token (user_key, issued_at) where context = 'API' and not revoked;

alter table counter add column name_folded {text} not null default '';
update counter set name_folded = lower(name);

alter table custom_field add column name_folded {text} not null default '';
update custom_field set name_folded = lower(name);

create table custom_list_value (
    key {text} primary key,
    field_key {text} not null references custom_field (key) on delete cascade,
    value {text} not null,
    value_folded {text} not null,
    ext_key {text},
    ext_key_folded {text}
) {strict};

create index custom_list_value_field on custom_list_value (field_key, value_folded, value, key);

create table custom_data (
    key {text} primary key,
    rev {int} not null default 1,
    value {text} not null,
    description {text},
    description_folded {text} not null default ''
) {strict};

create table tag (
    key {text} primary key,
    rev {int} not null default 1,
    name {text} not null,
    name_folded {text} not null,
    description {text},
    color {text}
) {strict};

create table has_tag (
    collection {text} not null,
    record_key {text} not null,
    tag_key {text} not null references tag (key),
    primary key (collection, record_key, tag_key)
) {strict_keyed};

create index has_tag_tag on has_tag (tag_key);

create table media (
    key {id},
    rev {int} not null default 1,
    name {text} not null,
    object {text} not null,
    size {int} not null,
    content_type {text} not null,
    sha256 {bytes} not null,
    created_at {int} not null
) {strict};

create index media_object on media (object);

create table media_connection (
    key {id},
    media_key {int} not null references media (key),
    from_id {text} not null
) {strict};

create index media_connection_media on media_connection (media_key);

-- What was done, by whom, and what came of it. Entries are written once.
create table audit (
    key {id},
    time {int} not null,
    user_key {text},
    username {text},
    token_key {text},
    operation {text} not null,
    method {text} not null,
    path {text} not null,
    targets {text} not null,
    targets_total {int} not null,
    summary {text} not null,
    outcome {text} not null check (outcome in ('ok', 'refused', 'failed')),
    status {int} not null,
    address {text} not null,
    request_id {text} not null
) {strict};

create index audit_user on audit (user_key, time, key);
create index audit_operation on audit (operation, time, key);
create index audit_time on audit (time, key);

create table audit_target (
    target {text} not null,
    audit_key {int} not null references audit (key),
    primary key (target, audit_key)
) {strict_keyed};

-- sqlite:
create trigger audit_stays before delete on audit begin select raise(abort, 'the audit log is only added to'); end;
create trigger audit_fixed before update on audit begin select raise(abort, 'the audit log is only added to'); end;
-- postgres:
create function audit_only_grows() returns trigger language plpgsql as
$$ begin raise exception 'the audit log is only added to'; end $$;
create trigger audit_fixed before update or delete on audit for each row execute function audit_only_grows();
create trigger audit_stays before truncate on audit for each statement execute function audit_only_grows();
-- both:

-- The answer of a request with an Idempotency-Key, stored with its change.
create table idempotency (
    user_key {text} not null,
    key {text} not null,
    fingerprint {bytes} not null,
    created {int} not null,
    status {int} not null,
    body {text} not null,
    primary key (user_key, key)
) {strict_keyed};

create index idempotency_created on idempotency (created);
