-- What was read from the text of a report without a stack of a dump: its exceptions with their frames.
alter table crash_reports add column trace jsonb;
