-- The debug ids of the scripts in a stack that a report has as text, by their addresses.
alter table crash_reports add column debug_ids jsonb;
