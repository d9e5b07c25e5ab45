-- Nothing that means an order in time hangs on the clocks of nodes any more.

-- Batches and sessions are counted job by job: the newest is the one with the highest number.
alter table batch add column number {int} not null default 0;
update batch
set number = counted.number
from (select key, row_number() over (partition by job_key order by key) as number from batch) as counted
where counted.key = batch.key;
drop index batch_job;
create index batch_job on batch (job_key, number);

alter table work_session add column number {int} not null default 0;
update work_session
set number = counted.number
from (select key, row_number() over (partition by job_key order by key) as number from work_session) as counted
where counted.key = work_session.key;
drop index work_session_job;
create index work_session_job on work_session (job_key, number);

-- Places in queues follow the numbers of events. Those that were taken from keys come first, in their order.
update work_order
set place = counted.place
from (select key, row_number() over (order by place, key) as place from work_order) as counted
where counted.key = work_order.key;
update job
set place = counted.place
from (select key, row_number() over (order by place, key) as place from job) as counted
where counted.key = job.key;

-- A clock that runs only while some node listens to heartbeats: by it silence is counted. `since` is when it went on after a
-- gap, `seen` the time of the last who said that it listens. The first start makes its one row.
create table listening (
    id {id},
    time {int} not null,
    since {int} not null,
    seen {int} not null
) {strict};

-- When a job was last heard of, by that clock; `offline_at` goes by it too.
alter table job add column heard {int};

-- Those who may be silent are among the active ones.
create index job_active on job (key) where active;
