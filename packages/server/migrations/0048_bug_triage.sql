-- Bug tickets with a title, a number, labels, a crash group and replies, and from players without an account.

-- The last number of each game.
create table bug_numbers (
  game_id uuid primary key references all_games on delete cascade,
  last integer not null
);

insert into bug_numbers select game_id, count(*) from bug_tickets group by game_id;

alter table bug_tickets
  -- Short, and unique in its game: #12.
  add column number integer,
  -- Empty if only the message was given.
  add column title text not null default '',
  add column labels text[] not null default '{}',
  -- The crash group that it is about.
  add column group_id uuid,
  -- The ticket about the same bug, which has no such ticket itself.
  add column duplicate_of uuid,
  -- Of a player without an account who wants to get replies.
  add column reporter_email text,
  add column words tsvector generated always as (crash_words(title || ' ' || message)) stored;

update bug_tickets set number = ranked.number
  from (select game_id, bug_id, row_number() over (partition by game_id order by bug_id) as number from bug_tickets) ranked
  where ranked.game_id = bug_tickets.game_id and ranked.bug_id = bug_tickets.bug_id;

alter table bug_tickets alter column number set not null;

create unique index bug_tickets_by_number on bug_tickets (game_id, number);
create index bug_tickets_by_words on bug_tickets using gin (words);
create index bug_tickets_by_group on bug_tickets (game_id, group_id) where group_id is not null;
create index bug_tickets_duplicates on bug_tickets (game_id, duplicate_of) where duplicate_of is not null;

-- A trigger, so that processes of the version before number their tickets as well.
create function number_bug_ticket() returns trigger
language plpgsql
as $$
begin
  insert into bug_numbers as numbers (game_id, last) values (new.game_id, 1)
    on conflict (game_id) do update set last = numbers.last + 1
    returning last into new.number;
  return new;
end
$$;

-- A restored ticket keeps its number.
create trigger bug_tickets_number before insert on bug_tickets for each row when (new.number is null)
  execute function number_bug_ticket();

-- What developers answered, by mail.
create table bug_replies (
  game_id uuid not null,
  reply_id uuid not null,
  bug_id uuid not null,
  user_id text,
  -- The names of the developer, and of the program that acted for them, at that time.
  user_name text not null,
  agent_name text,
  message text not null,
  sent_at timestamptz not null,
  primary key (game_id, reply_id),
  foreign key (game_id, bug_id) references bug_tickets on delete cascade
);

create index bug_replies_of_tickets on bug_replies (game_id, bug_id, reply_id);

-- Games that take no tickets from players without an account.
create table bug_settings (
  game_id uuid primary key references all_games on delete cascade,
  guests boolean not null
);
