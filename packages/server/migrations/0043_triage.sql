-- Triage: who works on a crash group, how urgent it is, and what was done about it.

alter table crash_groups
  drop constraint crash_groups_status_check,
  add constraint crash_groups_status_check check (status in ('open', 'resolved', 'snoozed', 'ignored')),
  -- A snoozed group opens at this time, with this many more reports and so this count, or with a report of a build
  -- registered after snoozed_at, whichever comes first.
  add column snoozed_at timestamptz,
  add column snoozed_until timestamptz,
  add column snoozed_reports bigint,
  add column snoozed_until_count bigint,
  add column snoozed_until_build boolean not null default false,
  -- The id of a user, who may have left the game or deleted their account.
  add column assignee_id text,
  add column priority text check (priority in ('urgent', 'high', 'medium', 'low')),
  -- Shown instead of the title.
  add column custom_title text,
  -- The issue about it in the tracker of the developers.
  add column issue_url text,
  -- When a request began to create the issue.
  add column issue_claimed_at timestamptz,
  -- The group that it is shown in. Its own reports and counts stay in it, so that a merge can be undone. A group with
  -- others in it is in no group itself.
  add column merged_into uuid,
  -- Functions whose reports have a group of their own, in the order in which they were split off.
  add column split_functions text[],
  -- The group that this one was split off from, and the function.
  add column split_from uuid,
  add column split_function text,
  -- Whether anybody changed it or commented on it: it is then kept without reports.
  add column is_triaged boolean not null default false;

create index crash_groups_merged on crash_groups (game_id, merged_into) where merged_into is not null;
create index crash_groups_snoozed on crash_groups (snoozed_until) where status = 'snoozed';

-- What happened to a group, except for its reports.
create table crash_group_activity (
  game_id uuid not null references all_games on delete cascade,
  activity_id uuid not null,
  group_id uuid not null,
  kind text not null check (kind in ('comment', 'change', 'merge', 'unmerge', 'split', 'unsplit', 'reopen')),
  -- What one request changed in any number of groups; null for comments and for what the service did.
  change_id uuid,
  -- Null for the service.
  user_id text,
  -- The names of the person, and of the program that acted for them, at that time.
  user_name text,
  agent_name text,
  -- The columns that changed, or the groups that were merged, split off or separated.
  before jsonb,
  after jsonb,
  comment text,
  edited_at timestamptz,
  primary key (game_id, activity_id)
);

create index crash_group_activity_by_group on crash_group_activity (game_id, group_id, activity_id);
create index crash_group_activity_by_change on crash_group_activity (game_id, change_id) where change_id is not null;
