-- The last versions that each follower got a mail about. Versions for several platforms can be released at the same time,
-- and their mails have no order, so the time of the last one doesn't say which were sent.
alter table follows add column mailed_versions text[] not null default '{}', drop column mailed_release_at;
