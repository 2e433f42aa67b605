-- What all processes together counted for limits per minute. Unlogged, because it is worth nothing after a crash.
create unlogged table minute_counts (
  minute timestamptz not null,
  -- A keyed hash of the limit, the minute, and the address or agent: addresses are not stored.
  subject text not null,
  used int not null,
  primary key (minute, subject)
);
