-- Channels: every move, and for each channel and platform the move that holds now.

create table channel_moves (
  game_id uuid not null references games on delete cascade,
  move_id uuid not null,
  channel text not null,
  os text not null,
  arch text not null,
  action text not null check (action in ('advance', 'promote', 'rollback')),
  build_id uuid not null,
  -- The build pointed at just before, for the history.
  previous_build_id uuid,
  -- The move that a rollback from here returns to: a rollback takes over that of the move it returned to, so that the next
  -- one walks further back.
  back_to uuid,
  expires_at timestamptz,
  moved_by text not null,
  moved_at timestamptz not null,
  primary key (game_id, move_id),
  foreign key (game_id, build_id) references builds on delete cascade
);
create index channel_moves_by_channel on channel_moves (game_id, channel, moved_at desc, move_id desc);

create table channel_pointers (
  game_id uuid not null,
  channel text not null,
  os text not null,
  arch text not null,
  move_id uuid not null,
  primary key (game_id, channel, os, arch),
  foreign key (game_id, move_id) references channel_moves on delete cascade
);

create table beta_members (
  game_id uuid not null references games on delete cascade,
  user_id text not null references users on delete cascade,
  joined_at timestamptz not null default now(),
  primary key (game_id, user_id)
);
