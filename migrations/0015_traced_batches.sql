-- Whether components were ever linked to a batch, or to its units, before the batch was completed.
alter table batch add column linked {bool} not null default false;
