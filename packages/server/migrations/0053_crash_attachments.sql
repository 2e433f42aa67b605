-- Files of crash reports besides the dump and the log: a list of {name, kind, key, size, image, problem}.
alter table crash_reports add column attachments jsonb not null default '[]';
