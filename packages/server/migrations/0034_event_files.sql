-- Raw events of games as Parquet files in the blob store, and what keeps them complete.

-- The games whose events are or were written to files. The row stays when this is turned off.
create table event_file_games (
  game_id uuid primary key references all_games on delete cascade,
  enabled boolean not null,
  changed_at timestamptz not null,
  -- The name of the person who changed it, at that time.
  changed_by text not null,
  -- The events of all hours before this one are in files. It only advances.
  next_hour timestamptz not null,
  -- Nothing is written because the game's storage is full.
  is_full boolean not null default false
);

create table event_files (
  game_id uuid not null references all_games on delete cascade,
  file_id uuid not null,
  -- The start of the hour in which its events were received, and the number of the file within the hour, from 0.
  hour timestamptz not null,
  part integer not null,
  -- A file that is written again, without the events of deleted devices, gets another key.
  blob_key text not null,
  size bigint not null,
  sha256 text not null,
  events bigint not null,
  written_at timestamptz not null,
  primary key (game_id, hour, part),
  unique (game_id, file_id)
);

create index event_files_blob_key on event_files (blob_key);

-- Deleted devices whose events are still in files.
create table event_file_devices (
  game_id uuid not null references all_games on delete cascade,
  device_uid text collate "C" not null,
  -- No file of an earlier hour has events of the device. Null if that is unknown.
  since timestamptz,
  deleted_at timestamptz not null,
  primary key (game_id, device_uid)
);

-- No event is written to the hours before this time any more, so their files are complete.
create table event_fence (
  is_only boolean primary key default true check (is_only),
  closed_until timestamptz not null
);

-- Called by each transaction that writes events of an hour (hours since 1970), before it writes. Returns null, or, if
-- the hour is closed, the start of the first hour that is not. The lock lets the job that closes hours wait for the
-- transactions that still write to them. The fence is read with a snapshot that is taken after the lock; the snapshot of
-- the calling statement could be older.
create function closed_event_hour(hour integer) returns timestamptz language plpgsql volatile as $$
declare
  fence timestamptz;
begin
  perform pg_advisory_xact_lock_shared(7304511, hour);
  select closed_until into fence from event_fence;
  return case when fence > to_timestamp(hour * 3600.0) then fence end;
end
$$;
