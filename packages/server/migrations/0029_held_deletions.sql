-- Blobs whose deletion waits for the end of a running backup.
create table held_deletions (
  blob_key text primary key,
  held_at timestamptz not null default now()
);
