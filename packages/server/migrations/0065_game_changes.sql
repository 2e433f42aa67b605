-- When the lists of a game last changed, for the open pages that show them. Rows are forgotten after an hour, and are worth
-- nothing after a crash of the database.

create unlogged table game_changes (
  game_id uuid not null,
  topic text not null,
  version bigint not null,
  changed_at timestamptz not null,
  primary key (game_id, topic)
);

-- Read once a second by each process with open pages.
create index game_changes_changed_at_idx on game_changes (changed_at);
