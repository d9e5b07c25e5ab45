-- Webhooks: addresses that events are sent to, one after the other.

create table webhook (
    key {text} primary key,
    rev {int} not null default 1,
    name {text},
    url {text} not null,
    secret {text} not null,
    -- Names of event types and beginnings of names, as JSON.
    event_types {text} not null,
    active {bool} not null,
    -- The number of the last event that was delivered, given up or of no interest.
    cursor {int} not null,
    created {int} not null,
    created_by {text} not null,
    updated {int} not null
) {strict};

create index webhook_created on webhook (created, key);

create table webhook_delivery (
    key {id},
    webhook_key {text} not null references webhook (key),
    seq {int} not null,
    event_key {int} not null,
    event_type {text} not null,
    state {text} not null check (state in ('pending', 'delivered', 'failed')),
    attempts {int} not null default 0,
    created {int} not null,
    next_attempt {int},
    delivered {int},
    last_status {int},
    last_error {text},
    -- When it was delivered or given up.
    finished {int},
    -- What is sent, the same at every attempt; none when it is finished.
    body {text},
    check ((state = 'pending') = (next_attempt is not null)),
    check ((state = 'pending') = (body is not null)),
    check ((state = 'pending') = (finished is null)),
    check ((state = 'delivered') = (delivered is not null))
) {strict};

-- The next event waits until the present one is finished.
create unique index webhook_delivery_pending on webhook_delivery (webhook_key) where state = 'pending';
create index webhook_delivery_list on webhook_delivery (webhook_key, seq, key);
create index webhook_delivery_event on webhook_delivery (seq);
create index webhook_delivery_finished on webhook_delivery (finished) where finished is not null;
