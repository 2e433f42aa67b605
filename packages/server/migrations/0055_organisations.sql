-- Organisations, which own games, and the roles of their members. Owners of games get an organisation of their own.

create table organisations (
  organisation_id uuid primary key,
  name text not null check (char_length(name) between 1 and 80),
  -- Part of its address; without one, its id is used.
  slug text unique,
  -- Who gets new games into this organisation unless they choose another one. They are an owner of it.
  personal_of text unique references users on delete set null,
  created_at timestamptz not null default now()
);

create table organisation_members (
  organisation_id uuid not null references organisations on delete cascade,
  user_id text not null references users on delete cascade,
  role text not null check (role in ('viewer', 'triager', 'developer', 'admin', 'owner')),
  added_at timestamptz not null default now(),
  primary key (organisation_id, user_id)
);
create index organisation_members_by_user on organisation_members (user_id);

-- Roles on a single game below that of an admin. Admins stay in game_admins: the version before makes everyone in that
-- table an admin.
create table game_roles (
  game_id uuid not null references all_games on delete cascade,
  user_id text not null references users on delete cascade,
  role text not null check (role in ('viewer', 'triager', 'developer')),
  added_at timestamptz not null default now(),
  primary key (game_id, user_id)
);
create index game_roles_by_user on game_roles (user_id);

-- Invitations to an organisation, or to a single game with a role below that of an admin. The others stay in
-- game_invitations: the version before makes everyone an admin who accepts one.
create table team_invitations (
  invitation_id uuid primary key,
  organisation_id uuid references organisations on delete cascade,
  game_id uuid references all_games on delete cascade,
  role text not null check (role in ('viewer', 'triager', 'developer', 'admin', 'owner')),
  email text not null,
  token_hash bytea not null unique,
  inviter_id text references users on delete set null,
  invited_by text not null,
  state text not null default 'pending' check (state in ('pending', 'accepted', 'declined', 'withdrawn')),
  invited_at timestamptz not null,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  check ((organisation_id is null) <> (game_id is null)),
  check (game_id is null or role in ('viewer', 'triager', 'developer')),
  check ((state = 'pending') = (ended_at is null))
);
create unique index team_invitations_open on team_invitations (organisation_id, email) where state = 'pending';
create unique index team_invitations_open_of_game on team_invitations (game_id, email) where state = 'pending';

-- owner_id stays the owner who is responsible for the game: they are an owner of its organisation.
alter table all_games add column organisation_id uuid references organisations;

-- The organisation of a person's own games. It is created when it is needed.
create function personal_organisation(person text) returns uuid
language plpgsql
as $$
declare
  found_id uuid;
begin
  select organisation_id into found_id from organisations where personal_of = person;
  if found_id is null then
    insert into organisations as existing (organisation_id, name, personal_of)
      values (gen_random_uuid(), coalesce((select name from users where id = person), '?'), person)
      on conflict (personal_of) do update set personal_of = excluded.personal_of
      returning existing.organisation_id into found_id;
  end if;
  insert into organisation_members (organisation_id, user_id, role) values (found_id, person, 'owner')
    on conflict do nothing;
  return found_id;
end
$$;

-- A trigger, so that games that the version before creates or transfers have an organisation as well.
create function set_game_organisation() returns trigger
language plpgsql
as $$
begin
  if new.owner_id is null then
    -- The game was deleted.
    new.organisation_id := null;
  elsif new.organisation_id is null or not exists (
    select from organisation_members
    where organisation_id = new.organisation_id and user_id = new.owner_id and role = 'owner'
  ) then
    new.organisation_id := personal_organisation(new.owner_id);
  end if;
  return new;
end
$$;

update all_games set organisation_id = personal_organisation(owner_id) where owner_id is not null;

create index games_by_organisation on all_games (organisation_id);
alter table all_games add constraint games_organisation
  check ((organisation_id is null) = (owner_id is null));

create trigger games_organisation before insert or update of owner_id, organisation_id on all_games
  for each row execute function set_game_organisation();

create or replace view games as
  select game_id, owner_id, name, slug, visibility, created_at, updated_at, tagline, description, tags, published_at,
    words, organisation_id
  from all_games where deleted_at is null;

-- Everyone with a role on a game, once, with the highest of their roles.
create view game_members as
  select game_id, user_id,
    (array['viewer', 'triager', 'developer', 'admin', 'owner'])[max(rank)] as role, min(added_at) as added_at
  from (
    select game_id, owner_id as user_id, 5 as rank, created_at as added_at from games
    union all
    select game_id, user_id, array_position(array['viewer', 'triager', 'developer', 'admin', 'owner'], members.role),
      added_at
    from organisation_members as members join games using (organisation_id)
    union all
    select game_id, user_id, 4, added_at from game_admins
    union all
    select game_id, user_id, array_position(array['viewer', 'triager', 'developer'], role), added_at from game_roles
  ) as roles
  group by game_id, user_id;
