-- Rollouts: a channel offers a newer version to a share of devices, step by step, until a person or a guard decides.
create table rollouts (
  game_id uuid not null references all_games on delete cascade,
  rollout_id uuid not null,
  channel text not null,
  version text not null,
  state text not null check (state in ('running', 'paused', 'finished', 'aborted', 'superseded')),
  -- [{ "share": 5, "hours": 4 }, …]: percentages of devices. The last step may have no time.
  steps jsonb not null,
  -- The position in `steps`, from 0.
  step integer not null,
  -- What is offered now: that of the step, or what a person chose.
  share integer not null check (share between 1 and 99),
  -- When the step began, and for how long the rollout was paused since.
  step_since timestamptz not null,
  paused_ms bigint not null default 0,
  paused_at timestamptz,
  -- [{ "guard": "crash_free", "action": "pause", "tolerance": 0 }, …]
  guards jsonb not null,
  min_devices integer not null,
  -- The guards that a person overruled by resuming after they had stopped the rollout.
  overruled text[] not null default '{}',
  -- Whether members were already alerted that the current step waits for devices.
  stall_alerted boolean not null default false,
  started_at timestamptz not null,
  started_by text not null,
  ended_at timestamptz,
  -- Events up to this time are in rollout_devices.
  observed_until timestamptz not null,
  -- What was counted then, and the crash groups; null until the first time.
  figures jsonb,
  primary key (game_id, rollout_id)
);

create index rollouts_by_start on rollouts (game_id, started_at desc, rollout_id desc);
-- Of those that a job has to look at.
create index rollouts_active on rollouts (game_id) where state in ('running', 'paused');

-- The platforms of a rollout. No reference to builds: the record stays when they are deleted.
create table rollout_builds (
  game_id uuid not null,
  rollout_id uuid not null,
  channel text not null,
  os text not null,
  arch text not null,
  build_id uuid not null,
  -- What the channel offered when the rollout began, and the move that made it do so.
  base_build_id uuid not null,
  base_version text not null,
  base_move_id uuid not null,
  active boolean not null,
  primary key (game_id, rollout_id, os, arch),
  foreign key (game_id, rollout_id) references rollouts on delete cascade
);

create unique index rollout_builds_active on rollout_builds (game_id, channel, os, arch) where active;
create index rollout_builds_by_build on rollout_builds (game_id, build_id);

-- What happened to a rollout, with the reasons.
create table rollout_history (
  game_id uuid not null,
  rollout_id uuid not null,
  entry_id uuid not null,
  kind text not null,
  at timestamptz not null,
  by text not null,
  data jsonb not null,
  primary key (game_id, rollout_id, entry_id),
  foreign key (game_id, rollout_id) references rollouts on delete cascade
);

-- The latest result of each guard.
create table rollout_checks (
  game_id uuid not null,
  rollout_id uuid not null,
  guard text not null,
  checked_at timestamptz not null,
  result jsonb not null,
  primary key (game_id, rollout_id, guard),
  foreign key (game_id, rollout_id) references rollouts on delete cascade
);

-- What each device did with a build of a rollout since it began, or with the build that the channel offers otherwise.
create table rollout_devices (
  game_id uuid not null,
  rollout_id uuid not null,
  device_uid text collate "C" not null,
  -- Whether the build is one of the rollout.
  is_new boolean not null,
  -- Where the device is on the scale of shares, from 0 up to 10,000.
  place smallint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- The first session_start, boot_ok and crash.
  start_at timestamptz,
  boot_at timestamptz,
  crash_at timestamptz,
  -- Whether it crashed after a start and before the first boot_ok.
  boot_crashed boolean not null,
  primary key (game_id, rollout_id, device_uid, is_new),
  foreign key (game_id, rollout_id) references rollouts on delete cascade
);

-- Agents also ask to start and extend rollouts.
alter table approvals
  drop constraint approvals_action_check,
  add constraint approvals_action_check check (action in
    ('promote_build', 'promote_version', 'undo_channel_change', 'delete_build', 'delete_version', 'request_deploy_key',
     'start_rollout', 'resume_rollout', 'set_rollout_share', 'finish_rollout'));
