-- Lists of errors that a game handled are as fast as those of crashes, however few of either a game has, and searches of
-- them can be saved.

create index crash_reports_by_kind on crash_reports (game_id, kind, report_id);
create index crash_groups_by_kind on crash_groups (game_id, report_kind, last_seen desc, group_id desc);

alter table crash_searches
  add column kind text not null default 'crash',
  add constraint crash_searches_kind_check check (kind in ('crash', 'error'));
