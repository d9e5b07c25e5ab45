-- Every override of a job's progress looks for the batches of the job that were taken back, which are few.
create index batch_canceled on batch (job_key) where canceled is not null;
