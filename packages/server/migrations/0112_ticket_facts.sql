-- Who works on a bug ticket, its issue in a tracker, the version with the fix, and what the player was doing.
alter table bug_tickets
  add column steps text not null default '',
  add column assignee_id text,
  add column issue_url text,
  add column fixed_in_version text;
