-- Small events are kept in their rows: a blob for each would cost more than all else of a report.
alter table crash_reports add column event text;
