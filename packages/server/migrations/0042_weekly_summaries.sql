-- The weekly summaries of games, which the next one compares itself with.

create table weekly_summaries (
  game_id uuid not null references all_games on delete cascade,
  -- The Monday on which it was made, in the time zone of the game.
  week date not null,
  data jsonb not null,
  primary key (game_id, week)
);

create index weekly_summaries_by_week on weekly_summaries (week);
