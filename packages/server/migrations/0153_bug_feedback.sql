-- Bug tickets of what players write in the feedback forms of Sentry's SDKs, with the files that come along.
create table bug_feedback (
  game_id uuid not null references all_games on delete cascade,
  -- A hash of what identifies the feedback, so that it is one ticket even if it is sent twice.
  name bytea not null,
  bug_id uuid not null,
  filed_at timestamptz not null,
  -- The event that it is about, as long as no report of it has arrived.
  event_id text,
  -- The unregistered release that the ticket has instead of a build.
  place_id uuid,
  primary key (game_id, name),
  foreign key (game_id, bug_id) references bug_tickets on delete cascade
);
create index bug_feedback_bug on bug_feedback (game_id, bug_id);
create index bug_feedback_waiting on bug_feedback (filed_at) where event_id is not null;
create index bug_feedback_places on bug_feedback (game_id, place_id) where place_id is not null;

-- Files of a ticket that aren't screenshots, as they were sent.
create table bug_attachments (
  game_id uuid not null references all_games on delete cascade,
  attachment_id uuid not null,
  bug_id uuid not null,
  name text not null,
  blob_key text not null,
  -- In bytes, unpacked.
  size bigint not null,
  primary key (game_id, attachment_id),
  foreign key (game_id, bug_id) references bug_tickets on delete cascade
);
create index bug_attachments_bug on bug_attachments (game_id, bug_id);
create index bug_attachments_blob on bug_attachments (blob_key);

-- The name of the file, of a screenshot that came with one.
alter table bug_screenshots add column name text not null default '';
-- The page of a report links the tickets about it. Few tickets have one.
create index bug_tickets_by_crash on bug_tickets (game_id, crash_id) where crash_id is not null;
