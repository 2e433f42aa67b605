-- People who get a mail about each release of a game, and the releases that were announced.
create table follows (
  game_id uuid not null references all_games on delete cascade,
  follow_id uuid not null,
  -- The account, whose current address counts, or the address of a person without one, which they confirmed.
  user_id text references users on delete cascade,
  email text,
  followed_at timestamptz not null,
  -- The time of the last release that was mailed.
  mailed_release_at timestamptz,
  primary key (game_id, follow_id),
  unique (follow_id),
  constraint follows_who check ((user_id is null) <> (email is null))
);
create unique index follows_by_user on follows (game_id, user_id) where user_id is not null;
create unique index follows_by_email on follows (game_id, email) where email is not null;
create index follows_of_user on follows (user_id) where user_id is not null;

create table announced_releases (
  game_id uuid not null references all_games on delete cascade,
  version text not null,
  announced_at timestamptz not null,
  primary key (game_id, version)
);
