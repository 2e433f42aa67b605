-- Changes to the listing of a game that its developers have saved, but not published.
create table listing_drafts (
  game_id uuid primary key references all_games on delete cascade,
  -- As in the body of games.saveDraft.
  listing jsonb not null,
  saved_by text not null,
  saved_at timestamptz not null
);
