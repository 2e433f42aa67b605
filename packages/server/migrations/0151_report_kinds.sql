-- Checks the reports and groups from before migration 0141, while others are written.
alter table crash_reports
  validate constraint crash_reports_kind_check,
  validate constraint crash_reports_source_check;
alter table crash_groups validate constraint crash_groups_report_kind_check;
