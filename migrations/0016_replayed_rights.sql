-- The scopes that the change relied on besides that of its operation: a stored answer is repeated only to who still has them.
alter table idempotency add column scopes {text} not null default '';
