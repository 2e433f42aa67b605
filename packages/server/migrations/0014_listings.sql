-- What a public game says of itself, and since when it is public: what shelves choose by.

alter table games
  add column tagline text not null default '',
  add column description text not null default '',
  add column tags text[] not null default '{}',
  -- When it first became public; kept while it is hidden.
  add column published_at timestamptz;
update games set published_at = created_at where visibility = 'public';
alter table games add constraint games_public_since check (visibility <> 'public' or published_at is not null);
create index games_published on games (published_at desc, game_id) where visibility = 'public' and tagline <> '' and description <> '';
-- What the shelf of recent updates is read from: files that are offered, and moves to another build.
create index files_offered_by_time on files (uploaded_at desc) where scan_state in ('clean', 'unscanned');
create index channel_moves_of_stable on channel_moves (moved_at desc)
  where channel = 'stable' and build_id is distinct from previous_build_id;
