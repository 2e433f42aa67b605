-- The first functions of the game’s own code that a group’s stacks go through: groups that share some may have one cause. Written once, with
-- the group.
create table crash_group_functions (
  game_id uuid not null,
  function text not null,
  group_id uuid not null,
  primary key (game_id, function, group_id),
  foreign key (game_id, group_id) references crash_groups on delete cascade
);
create index crash_group_functions_by_group on crash_group_functions (game_id, group_id);
