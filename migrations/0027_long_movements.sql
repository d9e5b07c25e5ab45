-- Movements that began and have no end, or ended more than an hour later, in the order of lists: all others that began until a moment
-- are found by when they ended.
create index movement_long on movement (
    (coalesce(end_at, 9223372036854775807)), (coalesce(start_at, 9223372036854775807)), key
) where start_at is not null and (end_at is null or end_at - start_at > 3600000);
