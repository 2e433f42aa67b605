-- What a game takes up: bytes of crash files a day, and stored bytes of symbols.

-- Bytes are counted, too.
alter table rate_counters alter column used type bigint;
