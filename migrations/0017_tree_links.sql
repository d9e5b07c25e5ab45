-- Trees are read from the index alone.
drop index serial_link_parent;
create index serial_link_parent on serial_link (parent_key, child_key, linked, unlinked) where parent_key is not null;
