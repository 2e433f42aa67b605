-- When each person last looked at a game, so that its overview can say what is new. A visit ends some time after seen_at.
create table game_visits (
  game_id uuid not null references all_games on delete cascade,
  user_id text not null references users on delete cascade,
  seen_at timestamptz not null,
  -- When the visit before the current one ended; null during the first.
  last_visit_at timestamptz,
  primary key (game_id, user_id)
);

create index game_visits_by_user on game_visits (user_id);
