-- Rollouts read the events of the last minutes. Events are written in the order of their time, so a summary of each
-- range of pages finds them, and costs writers nearly nothing. Days that already have events are left without it,
-- because reading them would block writes for long.
create index events_by_time on only events using brin (received_at) with (pages_per_range = 32, autosummarize = on);
