-- Entries of the log are never removed, as a trigger sees to, so nothing has to guard what refers to them. The guard cost a lookup for
-- each of the ten records or so that an event of production concerns.
-- postgres:
alter table audit_target drop constraint audit_target_audit_key_fkey;
