-- Movements that have no end, or ended more than a day after they began, in the order of lists: all others that started until a moment
-- are found by when they ended.
create index movement_long on movement (
    (coalesce(end_at, 9223372036854775807)), (coalesce(start_at, 9223372036854775807)), key
) where end_at is null or end_at - start_at > 86400000;
