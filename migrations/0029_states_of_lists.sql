-- What has become of a list is looked up after each of its movements, however many it has.
create index movement_begun_in_list on movement (movement_list_key, status, start_at) where movement_list_key is not null;
create index movement_ended_in_list on movement (movement_list_key, status, end_at) where movement_list_key is not null;
