-- Facts about games for their pages: links, languages, system requirements and content notes.
create table game_facts (
  game_id uuid primary key references all_games on delete cascade,
  -- [{ kind, url }]
  links jsonb not null default '[]',
  languages text[] not null default '{}',
  -- [{ os, minimum, recommended }]
  requirements jsonb not null default '[]',
  content_notes text[] not null default '{}'
);
