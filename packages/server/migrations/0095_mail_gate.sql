-- Mails are counted by recipient, account and game; an address can block mails that its owner didn't ask for; and
-- players who report bugs without an account confirm their addresses before they get replies.
create table mail_counts (
  -- A keyed hash of a mailbox, or the account or game that causes mails.
  subject text not null,
  kind text not null,
  -- When the first mail of the hour was sent.
  hour_start timestamptz not null,
  in_hour integer not null,
  -- In UTC.
  day date not null,
  in_day integer not null,
  -- Mails of the day that were over a limit, and not sent.
  held integer not null,
  -- Whether the last mail was sent.
  admitted boolean not null,
  primary key (subject, kind)
);
create index mail_counts_held on mail_counts (day) where held > 0;

create table mail_blocks (
  -- As in mail_counts.
  recipient text primary key,
  blocked_until timestamptz not null
);

-- Links of mails that work once, from their use until they expire.
create table used_links (
  link bytea primary key,
  expires_at timestamptz not null
);

-- The addresses that players left on bug tickets of a game. Those of earlier tickets have no row, and are unconfirmed.
create table bug_reporters (
  game_id uuid not null references all_games on delete cascade,
  -- In lower case.
  address text not null,
  -- When a mail last asked to confirm the address.
  asked_at timestamptz,
  confirmed_at timestamptz,
  -- When its owner unsubscribed.
  stopped_at timestamptz,
  primary key (game_id, address)
);

alter table bug_replies add column to_duplicates boolean not null default false;
