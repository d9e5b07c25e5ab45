-- The links of a task by their type: a task with many links reads only those it needs.
drop index task_rel_task;
create index task_rel_task on task_rel (task_key, type);

-- Deleted: only its deliveries have yet to go.
alter table webhook add column removed {bool} not null default false;
