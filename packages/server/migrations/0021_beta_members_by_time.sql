-- Members of a beta are listed by when they joined.

create index beta_members_by_time on beta_members (game_id, joined_at desc, user_id desc);
