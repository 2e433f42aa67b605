-- Where a command that wants to be signed in sent its request from. Null for requests of the previous version.
alter table cli_login_requests add column address text;
