-- Former slugs of games, which keep leading to their game until another one takes them.
create table former_slugs (
  slug text primary key,
  game_id uuid not null references all_games on delete cascade,
  renamed_at timestamptz not null,
  -- Until then, nobody else can take it. Null if the game was never public, so that no player has a link.
  reserved_until timestamptz
);
create index former_slugs_of_game on former_slugs (game_id, renamed_at);

-- Every slug that leads to a game. A slug is in one of the tables only: a game that takes it ends its former use.
create view game_slugs as
  select slug, game_id from games
  union all
  select former_slugs.slug, game_id from former_slugs join games using (game_id);
