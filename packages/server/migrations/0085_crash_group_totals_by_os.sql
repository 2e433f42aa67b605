-- Groups with reports of an OS, which most have or few: lists are filtered by it.
create index crash_group_totals_by_os on crash_group_totals (game_id, os, build_id, group_id);
