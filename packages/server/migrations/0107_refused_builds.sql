-- Counts reports and events that were refused because their build id is unknown, by game and UTC day.
create table refused_builds (
  game_id uuid not null references all_games on delete cascade,
  day date not null,
  -- What came with the id: reports or events.
  kind text not null check (kind in ('report', 'event')),
  -- Ids past the limit of the day, which are counted together with an empty build_ref.
  is_rest boolean not null,
  -- The start of what was sent as the build id, with characters that can't be seen in escaped form.
  build_ref text not null,
  count bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (game_id, day, kind, is_rest, build_ref)
);
create index refused_builds_day on refused_builds (day);
