-- Where walks of crash dumps ended early or went on by guessing, and why.

-- The modules in which that happened; null for a report that was walked by an earlier release, or never.
alter table crash_reports add column walk_stops jsonb;
