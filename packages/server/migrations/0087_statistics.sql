-- How often the pages of games were viewed, and web builds played, by UTC day. Neither has addresses or devices.
create table view_days (
  game_id uuid not null references all_games on delete cascade,
  day date not null,
  -- Of the visitor; '' if unknown.
  os text not null,
  -- The host of the website with the link; '' for none, 'other' for those beyond the first hundred of a day.
  referrer text not null,
  count bigint not null,
  primary key (game_id, day, os, referrer)
);
create index view_days_by_day on view_days (day);

create table play_days (
  game_id uuid not null,
  build_id uuid not null,
  day date not null,
  count bigint not null,
  primary key (game_id, build_id, day),
  foreign key (game_id, build_id) references builds (game_id, build_id) on delete cascade
);
