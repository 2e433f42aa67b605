-- Builds and the files uploaded for them.

create table builds (
  game_id uuid not null references games on delete cascade,
  build_id uuid not null,
  version text not null,
  build_type text not null,
  os text not null,
  arch text not null,
  channel text not null,
  title text not null,
  description text not null,
  engine_version text,
  changelog jsonb not null,
  -- First registration: what "newer" is measured by.
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (game_id, build_id)
);
create unique index builds_by_identity on builds (game_id, version, build_type, os, arch, channel);
create index builds_by_age on builds (game_id, created_at desc, build_id desc);

create table files (
  game_id uuid not null,
  file_id uuid not null,
  build_id uuid not null,
  filename text not null,
  size bigint not null,
  checksum text not null,
  blob_key text not null,
  -- { "type": "deploy_key", "key_ref": … } or { "type": "website", "user": … }
  origin jsonb not null,
  scan_state text not null default 'pending'
    check (scan_state in ('pending', 'scanning', 'clean', 'infected', 'error', 'unscanned')),
  uploaded_at timestamptz not null default clock_timestamp(),
  rejected_at timestamptz,
  primary key (game_id, file_id),
  foreign key (game_id, build_id) references builds on delete cascade
);
create index files_by_build on files (game_id, build_id, uploaded_at desc);
create index files_rejected on files (game_id, rejected_at desc) where rejected_at is not null;
create index files_rejected_by_time on files (rejected_at) where rejected_at is not null;

create table file_scans (
  game_id uuid not null,
  file_id uuid not null,
  scan_no bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  state text not null,
  engine text,
  signature_version text,
  detail text,
  primary key (game_id, file_id, scan_no),
  foreign key (game_id, file_id) references files on delete cascade
);

-- One row a file: the list is written once and read whole.
create table file_entries (
  game_id uuid not null,
  file_id uuid not null,
  -- [{ "path": …, "type": "file" | "folder" | "symlink", "size": bytes, "sha256": hex or null }]
  entries json not null,
  primary key (game_id, file_id),
  foreign key (game_id, file_id) references files on delete cascade
);
