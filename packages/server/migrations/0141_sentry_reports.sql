-- Crash reports from Sentry's SDKs, and errors that a game handled, which are reports of a kind of their own.

-- Citus adds a constraint only in a separate statement.
alter table crash_reports
  add column kind text not null default 'crash',
  -- The blob of the event: its exceptions, stacks, breadcrumbs and contexts.
  add column event_key text,
  -- What the game says that the report belongs to; null for almost all.
  add column fingerprint jsonb;
alter table crash_reports add constraint crash_reports_kind_check check (kind in ('crash', 'error')) not valid;
alter table crash_reports drop constraint crash_reports_source_check;
-- All reports have one of these already, so they need not be read.
alter table crash_reports add constraint crash_reports_source_check
  check (source in ('api', 'engine', 'breakpad', 'crashpad', 'unreal', 'sentry')) not valid;

-- That of all reports of the group. "kind" says what the group is made by.
alter table crash_groups add column report_kind text not null default 'crash';
alter table crash_groups
  add constraint crash_groups_report_kind_check check (report_kind in ('crash', 'error')) not valid;
