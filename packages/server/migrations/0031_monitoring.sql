-- What monitoring needs: the runs of backups, which another program may start, and the files without a scan result.
create table backup_runs (
  started_at timestamptz primary key,
  ended_at timestamptz,
  -- complete; damaged: complete, but blobs of the installation are lost or damaged; failed. Null while it runs, and
  -- after it was interrupted.
  outcome text check (outcome in ('complete', 'damaged', 'failed')),
  check ((ended_at is null) = (outcome is null))
);

create index files_awaiting_scan on files (uploaded_at) where scan_state in ('pending', 'scanning');
