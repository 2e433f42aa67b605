-- Reports of players about pages of games, and the pages that operators have hidden.
create table page_reports (
  game_id uuid not null references all_games on delete cascade,
  report_id uuid not null,
  reason text not null,
  message text not null,
  -- Null without an account.
  user_id text references users on delete set null,
  reported_at timestamptz not null,
  -- When an operator dismissed it, or hid the page.
  closed_at timestamptz,
  primary key (game_id, report_id)
);
create index page_reports_open on page_reports (reported_at desc) where closed_at is null;
create index page_reports_closed on page_reports (closed_at) where closed_at is not null;

-- A hidden page is a draft until an operator restores it.
create table hidden_games (
  game_id uuid primary key references all_games on delete cascade,
  reason text not null,
  hidden_by text not null,
  hidden_at timestamptz not null,
  visibility_before text not null
);
