-- The builds to which developers assigned releases that no build has.
create table release_builds (
  game_id uuid not null references all_games on delete cascade,
  release text not null,
  dist text not null,
  os text not null,
  arch text not null,
  environment text not null,
  build_id uuid not null,
  primary key (game_id, release, dist, os, arch, environment)
);
