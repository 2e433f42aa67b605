-- When a mapping became usable, so that reports that were read at the same time are read again.
alter table mappings add column ready_at timestamptz;

create index mappings_by_time on mappings (game_id, ready_at) where ready_at is not null;
