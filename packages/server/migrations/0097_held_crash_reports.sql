-- The number of the process that holds the job of a report with a dump, instead of a row in the queue. It is kept when
-- the job is done.
alter table crash_reports add column held_by integer;
