-- Who sent an event in the name of its user; null when that was the user.
alter table event add column sent_by {text};

-- Until when a temporary password is good; null for one that its owner chose.
alter table user_account add column password_until {int};

-- The same for usernames that people can't tell apart. Empty for users from before it was kept who look like another: both stay,
-- until one of them is renamed.
alter table user_account add column skeleton {text} not null default '';
create unique index user_account_skeleton on user_account (skeleton) where not trash and skeleton <> '';
