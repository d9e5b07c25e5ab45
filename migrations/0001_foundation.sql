-- Sign-in, configuration and the records that every site starts with.
-- One text for both engines; {tokens} are the dialect's column types.

create table node (
    number {id},
    holder {text} not null,
    lease_until {int} not null,
    reserved_until {int} not null
) {strict};

create table lease (
    name {text} primary key,
    holder {text} not null,
    until {int} not null,
    epoch {int} not null
) {strict};

create table secret (
    name {text} primary key,
    value {bytes} not null
) {strict};

create table user_account (
    key {text} primary key,
    rev {int} not null default 1,
    username {text} not null,
    username_folded {text} not null,
    scope {text} not null,
    name {text},
    surname {text},
    email {text},
    site_key {text} not null default '0',
    department_key {text},
    hourly_cost {int} check (hourly_cost >= 0),
    preferences {text} not null default '{}',
    password_hash {text} not null,
    active {bool} not null default true,
    reset_password {bool} not null default false,
    trash {bool} not null default false,
    created_at {int} not null,
    last_login {int},
    last_user_session {int}
) {strict};

create unique index user_account_username on user_account (username_folded) where not trash;

create table token (
    key {text} primary key,
    signature {bytes} not null,
    revoked {bool} not null default false,
    user_key {text} not null references user_account (key),
    issued_at {int} not null,
    expires_at {int} not null,
    context {text} not null check (context in ('USER_SESSION', 'PASSWORD_RESET', 'API')),
    scope {text},
    description {text},
    last_used {int}
) {strict};

create index token_live on token (user_key, context) where not revoked;
create index token_expiry on token (expires_at);

create table user_session (
    key {id},
    active {bool} not null default true,
    user_key {text} not null references user_account (key),
    token_key {text} not null,
    login_at {int} not null,
    logout_at {int},
    scope {text} not null,
    name {text},
    surname {text},
    address {text},
    user_agent {text}
) {strict};

create unique index user_session_token on user_session (token_key);
create index user_session_active on user_session (user_key) where active;

create table login_failure (
    key {id},
    kind {text} not null check (kind in ('username', 'address')),
    subject {text} not null,
    at {int} not null
) {strict};

create index login_failure_subject on login_failure (kind, subject, at);

create table config (
    key {text} primary key,
    rev {int} not null default 1,
    value {text} not null
) {strict};

create table counter (
    key {text} primary key,
    rev {int} not null default 1,
    name {text} not null,
    template {text} not null,
    frequency {text} check (frequency in ('year', 'month', 'week', 'day')),
    next_tick {int} not null check (next_tick >= 1),
    reset_date {int},
    check ((frequency is null) = (reset_date is null))
) {strict};

create table custom_field (
    key {text} primary key,
    rev {int} not null default 1,
    name {text} not null,
    type {text} not null,
    slug {text} not null,
    default_label {text},
    default_hint {text}
) {strict};

create unique index custom_field_slug on custom_field (slug);

create table queue (
    key {text} primary key,
    rev {int} not null default 1,
    type {text} not null check (type in ('s', 'o')),
    site_key {text} not null,
    subqueue_target_key {text},
    independent {bool} not null default false,
    check ((type = 'o') = (subqueue_target_key is not null))
) {strict};

create unique index queue_site on queue (site_key) where type = 's';
create unique index queue_operator on queue (subqueue_target_key) where type = 'o';

create table position (
    key {text} primary key,
    rev {int} not null default 1,
    code {text} not null,
    code_folded {text} not null,
    owned {bool} not null default true,
    available {bool} not null default true,
    fixed {bool} not null default true,
    disposable {bool} not null default false,
    allow_consumption {bool},
    extra {text} not null default '{}',
    created {int} not null,
    updated {int} not null,
    deleted {bool} not null default false
) {strict};

create unique index position_code on position (code_folded) where not deleted;

-- A stored file: where it appears (bucket, object_key, subfolder, name), and the object that holds its bytes. Objects never
-- change; a new upload is a new object.
create table file (
    key {id},
    bucket {text} not null,
    object_key {text} not null,
    subfolder {text} not null default '',
    name {text} not null,
    object {text} not null,
    size {int} not null,
    content_type {text} not null,
    sha256 {bytes} not null,
    created {int} not null,
    user_key {text}
) {strict};

create unique index file_address on file (bucket, object_key, subfolder, name);
create index file_object on file (object);

-- Objects that lost a record; erased after the commit if no record names them any more.
create table object_gone (
    object {text} primary key
) {strict};
