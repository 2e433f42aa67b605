-- Hours that were closed while the clock of the database was ahead, except the current one, whose file may have been
-- written, are open again.
create or replace function closed_event_hour(hour integer) returns timestamptz language plpgsql volatile as $$
declare
  fence timestamptz;
begin
  perform pg_advisory_xact_lock_shared(7304511, hour);
  select least(closed_until, date_trunc('hour', clock_timestamp(), 'UTC') + interval '1 hour') into fence from event_fence;
  return case when fence > to_timestamp(hour * 3600.0) then fence end;
end
$$;
