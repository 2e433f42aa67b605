-- Releases that Sentry's SDKs name and that no build has. Their reports have the id of such a release instead of that
-- of a build, and get that of the build once it is registered.
create table unregistered_releases (
  game_id uuid not null references all_games on delete cascade,
  build_id uuid not null,
  release text not null,
  dist text not null,
  os text not null,
  arch text not null,
  environment text not null,
  created_at timestamptz not null,
  last_at timestamptz not null,
  primary key (game_id, build_id),
  constraint unregistered_releases_key unique (game_id, release, dist, os, arch, environment)
);

-- What reports show as their version.
create or replace view build_names as
  select game_id, build_id, version, os, arch, created_at, false as deleted from builds
  union all
  select game_id, build_id, version, os, arch, created_at, true as deleted from deleted_builds
  union all
  select game_id, build_id, case when release = '' then 'unregistered' else left(release, 64) end, os, arch, created_at,
    false as deleted
  from unregistered_releases;
