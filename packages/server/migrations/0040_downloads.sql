-- How often the files of builds were downloaded by players.

create table download_days (
  game_id uuid not null,
  build_id uuid not null,
  -- In UTC.
  day date not null,
  count bigint not null,
  primary key (game_id, build_id, day),
  foreign key (game_id, build_id) references builds on delete cascade
);
