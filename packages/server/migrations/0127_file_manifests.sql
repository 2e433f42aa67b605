-- What the zip of a file consists of, for clients that fetch only what changed.
create table file_manifests (
  game_id uuid not null,
  file_id uuid not null,
  blob_key text not null unique,
  -- Bytes of the blob.
  size bigint not null,
  -- Of the manifest before it is packed, which signatures name.
  sha256 text not null,
  primary key (game_id, file_id),
  foreign key (game_id, file_id) references files (game_id, file_id) on delete cascade
);
