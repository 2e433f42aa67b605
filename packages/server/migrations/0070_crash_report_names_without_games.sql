-- The names of crash reports no longer refer to all_games, so that they can be distributed by game (docs/citus.md). The job
-- that removes a deleted game deletes them; what it misses is deleted with the last row of the game.
alter table crash_report_names drop constraint crash_report_names_game_id_fkey;

create or replace function delete_crash_reports_of_game() returns trigger
language plpgsql as $$
begin
  delete from crash_reports where game_id = old.game_id;
  delete from crash_report_names where game_id = old.game_id;
  delete from crash_groups where game_id = old.game_id;
  delete from crash_functions where game_id = old.game_id;
  return null;
end
$$;
