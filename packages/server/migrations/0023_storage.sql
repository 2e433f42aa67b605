-- What a game takes up: bytes of crash files a day, and stored bytes of symbols.

-- Bytes are counted, too.
alter table rate_counters alter column used type bigint;

-- Bytes of the gzipped text. Of texts from before, a fifth of their size: what gzip usually leaves of symbols.
alter table symbol_texts add column stored_size bigint not null default 0;
update symbol_texts set stored_size = size / 5;

-- Games whose owner was warned that the storage is nearly used up, until there is room again.
create table storage_warnings (
  game_id uuid primary key references games on delete cascade,
  warned_at timestamptz not null
);
