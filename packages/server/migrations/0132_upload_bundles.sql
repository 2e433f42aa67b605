-- Upload sessions whose bytes are a bundle instead of a zip. The server composes the zip from it and from earlier files.
create table upload_bundles (
  game_id uuid not null,
  session_id uuid not null,
  -- The file that was made from the bundle.
  composed_file_id uuid,
  -- Why none could be made: code and message.
  failure jsonb,
  primary key (game_id, session_id),
  foreign key (game_id, session_id) references upload_sessions (game_id, session_id) on delete cascade,
  check (composed_file_id is null or failure is null)
);
-- For a file that was composed: how many of its bytes are from which earlier files.
alter table files add column reused jsonb;
