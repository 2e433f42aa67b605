-- The UTC day on which a report last named the function: when the reports of that time go, so does the name.
alter table crash_functions add column seen_on date not null default (now() at time zone 'utc')::date;
create index crash_functions_by_age on crash_functions (seen_on);
