-- Networks whose refused sign-ins have had their last line in the audit log for now.
create table noted_refusals (
    subject {text} primary key,
    at {int} not null
) {strict};
