-- When a count began, as its event says: it does not end before.
alter table count_record add column started_at {int};
