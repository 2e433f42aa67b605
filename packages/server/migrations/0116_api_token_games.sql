-- An API token can be limited to several games.
create table api_token_games (
  token_id uuid not null references api_tokens on delete cascade,
  game_id uuid not null references all_games on delete cascade,
  primary key (token_id, game_id)
);
create index api_token_games_by_game on api_token_games (game_id);

-- Whether it reaches only the games of api_token_games, which are none after they were deleted, or all of the person's.
alter table api_tokens add column is_limited boolean not null default false;
insert into api_token_games (token_id, game_id) select token_id, game_id from api_tokens where game_id is not null;
update api_tokens set is_limited = true where game_id is not null;
alter table api_tokens drop column game_id;

-- Checks the entries from before migration 0115, while others are written.
alter table audit_entries validate constraint audit_entries_actor_kind_check;
