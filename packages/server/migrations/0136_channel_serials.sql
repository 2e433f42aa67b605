-- A serial of what a channel offers on a platform. It grows with each change, so that clients can refuse an older answer.
alter table channel_pointers add column serial bigint not null default 0;
update channel_pointers set serial = floor(extract(epoch from clock_timestamp()));
