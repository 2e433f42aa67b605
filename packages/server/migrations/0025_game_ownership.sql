-- Who owns and administers a game: invitations, transfers, and deleting a game with everything in it.

-- A game that is deleted stays as an empty row until a job has removed everything that refers to it. `games` is a view of the others, so that
-- no query, present or future, can show a deleted game by mistake. A migration that adds a column for all to see adds it to the table and
-- replaces the view; a table that belongs to a game references all_games.
alter table games rename to all_games;
alter table all_games
  alter column owner_id drop not null,
  alter column slug drop not null,
  add column deleted_at timestamptz,
  add constraint games_live check (deleted_at is not null or (owner_id is not null and slug is not null)),
  -- What a game said of itself goes at once.
  add constraint games_deleted check (deleted_at is null or (owner_id is null and slug is null and visibility = 'draft'));
create index games_deleted_by_time on all_games (deleted_at) where deleted_at is not null;

create view games as
  select game_id, owner_id, name, slug, visibility, created_at, updated_at, tagline, description, tags, published_at, words
  from all_games where deleted_at is null;

-- The same job removes events: it needs neither a list of its own nor a trigger.
drop trigger events_go_with_game on all_games;
drop function delete_events_of_game();
drop function forget_events_of_game(uuid);
drop table event_games_gone;

-- Slugs of deleted games. For a while nobody else gets one, so that links which players kept do not lead to a stranger's download.
create table reserved_slugs (
  slug text primary key,
  -- The former owner, who may use it again at once.
  user_id text references users on delete set null,
  expires_at timestamptz not null
);

create table game_invitations (
  game_id uuid not null references all_games on delete cascade,
  invitation_id uuid not null,
  -- An invitation to be the owner is a transfer of the game.
  role text not null check (role in ('admin', 'owner')),
  -- In lower case, as in users.
  email text not null,
  -- SHA-256 of the token in the mail's link. A new mail has a new token, and the old link ends.
  token_hash bytea not null unique,
  inviter_id text references users on delete set null,
  invited_by text not null,
  state text not null default 'pending' check (state in ('pending', 'accepted', 'declined', 'withdrawn')),
  invited_at timestamptz not null,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  primary key (game_id, invitation_id),
  check ((state = 'pending') = (ended_at is null))
);
create unique index game_invitations_of_admin on game_invitations (game_id, email) where state = 'pending' and role = 'admin';
create unique index game_invitations_of_owner on game_invitations (game_id) where state = 'pending' and role = 'owner';
create index game_invitations_by_end on game_invitations (expires_at);
