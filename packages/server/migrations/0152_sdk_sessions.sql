-- Sessions that Sentry's SDKs report: each run of a game once, however many updates arrive, and what is counted of them.
create table sdk_sessions (
  game_id uuid not null references all_games on delete cascade,
  sid text not null,
  -- Of a build, or of a release that no build has.
  build_id uuid not null,
  -- Null if the client doesn't say who played.
  device_uid text,
  -- The UTC day on which it started.
  day date not null,
  is_crashed boolean not null,
  primary key (game_id, sid)
);
create index sdk_sessions_day on sdk_sessions (day, build_id);

-- The sessions of each device by build and day, so that devices can be counted without reading their sessions.
create table sdk_session_devices (
  game_id uuid not null references all_games on delete cascade,
  device_uid text not null,
  build_id uuid not null,
  day date not null,
  sessions integer not null,
  crashed integer not null,
  primary key (game_id, device_uid, build_id, day)
);
create index sdk_session_devices_day on sdk_session_devices (day);

-- "devices" and "crashed_devices" count each device once, on its last day and on the last one with a crash; "active" and
-- "active_crashed" count it on each day.
create table sdk_session_days (
  game_id uuid not null references all_games on delete cascade,
  build_id uuid not null,
  day date not null,
  sessions bigint not null,
  crashed bigint not null,
  devices bigint not null,
  crashed_devices bigint not null,
  active bigint not null,
  active_crashed bigint not null,
  primary key (game_id, day, build_id)
);
create index sdk_session_days_day on sdk_session_days (day);

-- Releases whose reports got the id of their build, until their sessions have it, too.
create table assigned_releases (
  game_id uuid not null references all_games on delete cascade,
  -- The id that the release had instead of a build's.
  place_id uuid not null,
  build_id uuid not null,
  assigned_at timestamptz not null,
  primary key (game_id, place_id)
);
