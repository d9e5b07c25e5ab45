-- Files whose import was tried and found good, kept for a while so that it can be carried out.

create table import_file (
    key {id},
    target {text} not null,
    mode {text} not null,
    -- The form's other fields, as JSON.
    fields {text} not null,
    user_key {text} not null,
    token_key {text} not null,
    filename {text} not null,
    object {text} not null,
    created {int} not null
) {strict};

create index import_file_object on import_file (object);
create index import_file_created on import_file (created);
