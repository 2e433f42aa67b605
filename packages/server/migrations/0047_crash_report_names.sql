-- The ids that clients gave to reports of the last days, so that a report that is sent again is stored once.
create table crash_report_names (
  game_id uuid not null references all_games on delete cascade,
  build_id uuid not null,
  -- SHA-256 of the client's id.
  hash bytea not null,
  report_id uuid not null,
  primary key (game_id, build_id, hash)
);

insert into crash_report_names (game_id, build_id, hash, report_id)
  select distinct on (game_id, build_id, client_ref_hash) game_id, build_id, client_ref_hash, report_id
  from crash_reports where client_ref_hash is not null and received_at > now() - interval '1 day'
  order by game_id, build_id, client_ref_hash, report_id;
