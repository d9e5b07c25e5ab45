-- The mark by which a start knows a database of ours from somebody else's.
create table site_mark (
    program {text} primary key
) {strict};

insert into site_mark (program) values ('tracewright');
