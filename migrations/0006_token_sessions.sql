-- The session that a token was used to open: every request asks for it.
alter table token add column session_key {int} references user_session (key);

update token set session_key = (select user_session.key from user_session where user_session.token_key = token.key);
