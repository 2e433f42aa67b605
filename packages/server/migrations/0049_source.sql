-- The commits of builds, and where the source code of a game can be read.
alter table builds add column commit text;

create table source_settings (
  game_id uuid primary key references all_games on delete cascade,
  -- With {path}, {commit} and {line}.
  url_template text not null,
  -- Folders on the machines that compile the game.
  path_prefixes text[] not null
);
