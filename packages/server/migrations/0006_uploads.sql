-- Upload sessions: what has arrived of a zip that comes in chunks.

create table upload_sessions (
  game_id uuid not null,
  session_id uuid not null,
  build_id uuid not null,
  -- The file that the session becomes; names its blob from the start, so that finishing twice makes one file.
  file_id uuid not null,
  filename text not null,
  total_size bigint not null,
  current_size bigint not null default 0,
  checksum text not null,
  -- The blob store's own state of the upload.
  blob jsonb not null,
  key_ref text not null,
  -- Set while a chunk is being received: a token of the request, and the process that receives it.
  lock_token uuid,
  lock_process integer,
  opened_at timestamptz not null,
  expires_at timestamptz not null,
  finished_at timestamptz,
  primary key (game_id, session_id),
  foreign key (game_id, build_id) references builds on delete cascade
);
create index upload_sessions_by_expiry on upload_sessions (expires_at);
