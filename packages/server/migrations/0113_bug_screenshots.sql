-- Screenshots that players add to their bug tickets.
create table bug_screenshots (
  game_id uuid not null references all_games (game_id) on delete cascade,
  screenshot_id uuid not null,
  bug_id uuid not null,
  -- The image as it was sent, until it is encoded again or refused.
  original_key text,
  original_size integer not null,
  -- The encoded image. All four are null without one.
  blob_key text,
  width integer,
  height integer,
  size integer,
  -- Why the image cannot be shown.
  problem text,
  primary key (game_id, screenshot_id),
  foreign key (game_id, bug_id) references bug_tickets (game_id, bug_id) on delete cascade
);

create index bug_screenshots_bug on bug_screenshots (game_id, bug_id);
