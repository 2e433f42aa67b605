-- Former handles of developers and former slugs of organisations, which keep leading to them until another one takes them.
create table former_handles (
  handle text primary key,
  user_id text not null references users on delete cascade,
  renamed_at timestamptz not null,
  -- Until then, nobody else can take it.
  reserved_until timestamptz not null
);
create index former_handles_of_user on former_handles (user_id, renamed_at);

create table former_organisation_slugs (
  slug text primary key,
  organisation_id uuid not null references organisations on delete cascade,
  renamed_at timestamptz not null,
  -- Until then, only an owner of the organisation can take it.
  reserved_until timestamptz not null
);
create index former_slugs_of_organisation on former_organisation_slugs (organisation_id, renamed_at);
