-- The first run: codes with which an installation without an operator gets its first one.

-- Each process that serves requests adds a code when it starts, and only the newest codes count.
create table setup_codes (
  -- SHA-256 of the code.
  code_hash bytea primary key,
  issued_at timestamptz not null
);

-- Has one row as soon as there has been an operator, which ends the first run permanently.
create table setup_end (
  is_over boolean primary key default true check (is_over),
  ended_at timestamptz not null default now()
);

-- Installations from before this version have been set up by commands.
insert into setup_end select where exists (select from users);
