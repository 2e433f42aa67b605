-- How many plays in the browser came from links on other websites, by UTC day. The table has neither addresses nor
-- devices.
create table play_referrer_days (
  game_id uuid not null references all_games on delete cascade,
  day date not null,
  -- The host of the website with the link; 'other' for those beyond the first hundred of a day.
  referrer text not null,
  count bigint not null,
  primary key (game_id, day, referrer)
);
create index play_referrer_days_by_day on play_referrer_days (day);
