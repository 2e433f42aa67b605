-- Reports in JSON have names, too: the keys that clients repeat with a report that they send again. Such a name belongs
-- to the game, under the build 00000000-0000-0000-0000-000000000000.
alter table crash_report_names
  -- SHA-256 of the request that had the key; null for the id of a dump.
  add column request_hash bytea,
  -- Whether the first response had upload addresses.
  add column has_uploads boolean not null default false;
