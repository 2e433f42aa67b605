-- A report comes at the end of these indexes’ ranges, no longer in the middle: PostgreSQL then finds the page at once, and fills it before it begins
-- another. Lists, newest first, read them backwards.
drop index crash_reports_by_build;
create index crash_reports_by_build on crash_reports (game_id, build_id, report_id);
drop index crash_reports_by_os;
create index crash_reports_by_os on crash_reports (game_id, os, report_id);
drop index crash_reports_by_group;
create index crash_reports_by_group on crash_reports (game_id, group_id, report_id) where group_id is not null;
