-- Crash reports, partitioned by month, and the groups that they join.

-- The words of a text, for the search. All punctuation of ASCII, and what is common of Unicode’s, parts words: so the parser meets nothing
-- that it would take for an address, a path or a negative number. Words of over 2,046 bytes are left out.
create function crash_words(given text) returns tsvector
language sql immutable parallel safe
return strip(to_tsvector('simple', translate(given,
  E'!"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~\u00a0\u00a1\u00ab\u00b7\u00bb\u00bf\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u201e\u2022\u2026'
  || E'\u2039\u203a\u3000\u3001\u3002\u300c\u300d\u300e\u300f\u3010\u3011\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f',
  repeat(' ', 100))));

-- What the search asks for: every word of the text, as the beginning of a word. Null when there is none. A function, so that the planner
-- sees the words and knows how common they are.
create function crash_query(given text) returns tsquery
language sql immutable strict parallel safe
return (select string_agg(quote_literal(word) || ':*', ' & ') from unnest(tsvector_to_array(crash_words(given))) as word)::tsquery;

-- Names of modules: Windows does not tell Game.pdb from game.pdb, and a dump may have the other one.
create function lower_all(given text[]) returns text[]
language sql immutable strict parallel safe
return array(select lower(element) from unnest(given) as element);

-- A report's id is a UUIDv7: it begins with the time, and so the id is what the partitions are cut by.
create table crash_reports (
  game_id uuid not null references games on delete cascade,
  report_id uuid not null,
  build_id uuid not null,
  received_at timestamptz not null,
  source text not null check (source in ('api', 'engine', 'breakpad', 'unreal')),
  state text not null check (state in ('received', 'queued', 'processing', 'processed', 'failed')),
  app_name text not null,
  app_version text not null,
  engine_version text not null,
  os text not null,
  arch text not null,
  -- What the program said of the crash; reports without a dump are grouped by it.
  message text not null,
  user_message text not null,
  anonymous boolean not null,
  metadata jsonb not null,
  -- SHA-256 of an id of the client's own, by which the engines' side-car asks; knowing it is its right to read.
  client_ref_hash bytea,
  -- Null until a whole dump is stored; so for the log.
  dump_key text,
  dump_size bigint,
  log_key text,
  log_size bigint,
  -- The whole report of the stackwalker, gzipped JSON.
  stack_key text,
  reason text,
  crash_address text,
  signature text,
  -- Top of the crashed thread's stack, for lists and excerpts: [{ function, module, file, line, trust, inlined }]
  frames jsonb,
  -- Every function named in the crashed thread, for the search by frame.
  functions text[] not null default '{}',
  -- Modules of the stacks whose symbols were missing: 'debug_file/debug_id'.
  missing_symbols text[] not null default '{}',
  -- Why processing failed, for people.
  failure text,
  processed_at timestamptz,
  group_id uuid,
  -- Version of the rules that grouped it.
  grouping_version integer,
  -- For the search by words; made when the report is done, so that taking it in does not wait for it.
  words tsvector generated always as (
    case when state in ('processed', 'failed')
      then crash_words(coalesce(signature, '') || ' ' || message || ' ' || user_message)
    end
  ) stored,
  primary key (game_id, report_id)
) partition by range (report_id);
create table crash_reports_default partition of crash_reports default;
create index crash_reports_by_build on crash_reports (game_id, build_id, report_id desc);
-- A blob names its report and no game: the sweeper asks whether there is one.
create index crash_reports_by_id on crash_reports (report_id);
create index crash_reports_by_os on crash_reports (game_id, os, report_id desc);
-- What a report that comes in cannot be found by yet costs nothing then.
create index crash_reports_by_group on crash_reports (game_id, group_id, report_id desc) where group_id is not null;
create index crash_reports_by_words on crash_reports using gin (words) where words is not null;
create index crash_reports_by_client_ref on crash_reports (client_ref_hash) where client_ref_hash is not null;
create index crash_reports_by_function on crash_reports using gin (functions) where functions <> '{}';
create index crash_reports_by_missing on crash_reports using gin (lower_all(missing_symbols)) where missing_symbols <> '{}';
create index crash_reports_unfinished on crash_reports (report_id) where state in ('received', 'queued', 'processing');

-- Every function that a game's reports ever named: a search by a part of a name looks here first.
create table crash_functions (
  game_id uuid not null references games on delete cascade,
  function text not null,
  folded text not null generated always as (lower(function)) stored,
  primary key (game_id, function)
);

create table crash_groups (
  game_id uuid not null references games on delete cascade,
  group_id uuid not null,
  -- SHA-256 of what its reports have in common: reason and frames, or message, version and system.
  key bytea not null,
  kind text not null check (kind in ('stack', 'message')),
  title text not null,
  reason text,
  -- How the signature came about: lines for people.
  explanation jsonb not null,
  count bigint not null,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  -- Null when none of its reports is kept any more.
  sample_report_id uuid,
  status text not null default 'open' check (status in ('open', 'resolved')),
  -- The version that is said to have it fixed, and the newest build that had it when it was resolved.
  fixed_in_version text,
  resolved_at timestamptz,
  resolved_by text,
  -- Set when a build registered after the resolving reported it again.
  regressed_at timestamptz,
  grouping_version integer not null,
  primary key (game_id, group_id)
);
create unique index crash_groups_by_key on crash_groups (game_id, key);
create index crash_groups_by_age on crash_groups (game_id, last_seen desc, group_id desc);

-- How many reports a group has, by build, system and UTC day.
create table crash_group_counts (
  game_id uuid not null,
  group_id uuid not null,
  build_id uuid not null,
  os text not null,
  day date not null,
  count bigint not null,
  primary key (game_id, group_id, build_id, os, day),
  foreign key (game_id, group_id) references crash_groups on delete cascade
);

-- The same summed up, for lists of many groups: by build and system ever since, and by day.
create table crash_group_totals (
  game_id uuid not null,
  group_id uuid not null,
  build_id uuid not null,
  os text not null,
  count bigint not null,
  primary key (game_id, group_id, build_id, os),
  foreign key (game_id, group_id) references crash_groups on delete cascade
);
create index crash_group_totals_by_build on crash_group_totals (game_id, build_id, group_id);

create table crash_group_days (
  game_id uuid not null,
  group_id uuid not null,
  day date not null,
  count bigint not null,
  primary key (game_id, group_id, day),
  foreign key (game_id, group_id) references crash_groups on delete cascade
);
