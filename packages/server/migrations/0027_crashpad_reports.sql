-- Crashpad's reports, which came as Breakpad's before, have a label of their own.
alter table crash_reports drop constraint crash_reports_source_check;
alter table crash_reports add constraint crash_reports_source_check
  check (source in ('api', 'engine', 'breakpad', 'crashpad', 'unreal'));
