-- Videos that were uploaded for the pages of games, and the results of their virus scans.
create table videos (
  game_id uuid not null references all_games on delete cascade,
  video_id uuid not null,
  -- Place on the page, from 0 without gaps.
  position integer not null,
  filename text not null,
  content_type text not null check (content_type in ('video/mp4', 'video/webm')),
  -- In pixels, as it is shown.
  width integer not null,
  height integer not null,
  -- Null if the file does not contain it.
  duration_ms integer,
  size bigint not null,
  checksum text not null,
  blob_key text not null,
  scan_state text not null default 'pending' check (scan_state in ('pending', 'clean', 'infected', 'error', 'unscanned')),
  -- Why it was rejected.
  scan_detail text,
  uploaded_at timestamptz not null default now(),
  primary key (game_id, video_id)
);
create unique index videos_by_id on videos (video_id);
