-- Alerts: what members of a game are notified of by mail, in a chat or by a webhook, and when.

-- The settings of games that differ from the defaults.
create table alert_settings (
  game_id uuid primary key references all_games on delete cascade,
  -- A name of the IANA database.
  time_zone text not null,
  digest_at time not null,
  -- Nothing is sent between these times of the day; null without quiet hours.
  quiet_from time,
  quiet_until time,
  check (num_nulls(quiet_from, quiet_until) in (0, 2))
);

create table alert_rules (
  game_id uuid not null references all_games on delete cascade,
  kind text not null,
  send text not null check (send in ('now', 'digest', 'never')),
  repeat_hours integer not null,
  muted_until timestamptz,
  primary key (game_id, kind)
);

-- Members who turned mails on or off. Without a row, owners get mails and admins don't.
create table alert_subscriptions (
  game_id uuid not null references all_games on delete cascade,
  user_id text not null references users on delete cascade,
  subscribed boolean not null,
  primary key (game_id, user_id)
);

create table alert_destinations (
  game_id uuid not null references all_games on delete cascade,
  destination_id uuid not null,
  kind text not null check (kind in ('slack', 'discord', 'teams', 'webhook')),
  name text not null,
  url text not null,
  -- The kinds of alerts that it gets; null for all.
  kinds text[],
  -- The secret of a webhook is derived from the service's secret, the destination and this number.
  secret_version integer not null default 1,
  enabled boolean not null default true,
  -- The name of the person, at that time.
  created_by text not null,
  created_at timestamptz not null,
  primary key (game_id, destination_id)
);

-- What has happened and is in no message yet.
create table alerts (
  game_id uuid not null references all_games on delete cascade,
  kind text not null,
  -- What it is about: the id of a group, build, file or ticket; empty for the game.
  subject text not null,
  happened_at timestamptz not null,
  data jsonb not null,
  primary key (game_id, kind, subject)
);

-- When an alert about something was last put into a message.
create table alert_marks (
  game_id uuid not null references all_games on delete cascade,
  kind text not null,
  subject text not null,
  alerted_at timestamptz not null,
  primary key (game_id, kind, subject)
);

create index alert_marks_by_age on alert_marks (alerted_at);

create table alert_messages (
  game_id uuid not null references all_games on delete cascade,
  message_id uuid not null,
  reason text not null check (reason in ('alerts', 'digest', 'test')),
  content jsonb not null,
  created_at timestamptz not null,
  primary key (game_id, message_id)
);

create index alert_messages_by_age on alert_messages (created_at);

-- A message to one destination, or by mail to one member.
create table alert_deliveries (
  game_id uuid not null,
  delivery_id uuid not null,
  message_id uuid not null,
  destination_id uuid,
  user_id text references users on delete cascade,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed')),
  attempts integer not null default 0,
  last_attempt_at timestamptz,
  -- The HTTP status of the last attempt.
  status integer,
  -- Why the last attempt failed.
  problem text,
  primary key (game_id, delivery_id),
  foreign key (game_id, message_id) references alert_messages on delete cascade,
  foreign key (game_id, destination_id) references alert_destinations on delete cascade,
  check (num_nulls(destination_id, user_id) = 1)
);

create index alert_deliveries_of_messages on alert_deliveries (game_id, message_id);
create index alert_deliveries_of_destinations on alert_deliveries (game_id, destination_id, delivery_id desc);
create index alert_deliveries_of_users on alert_deliveries (user_id);
create index alert_subscriptions_of_users on alert_subscriptions (user_id);

-- The launch health that a game had when it was last looked at.
create table alert_bands (
  game_id uuid primary key references all_games on delete cascade,
  build_id uuid not null,
  band text not null
);
