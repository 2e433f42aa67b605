-- The values of facets no longer refer to all_games, so that they can be distributed by game (docs/citus.md). All crash
-- tables of a game are deleted with its last row, in whatever order the migrations before were applied.
alter table crash_facet_values drop constraint crash_facet_values_game_id_fkey;

create or replace function delete_crash_reports_of_game() returns trigger
language plpgsql as $$
begin
  delete from crash_reports where game_id = old.game_id;
  delete from crash_report_names where game_id = old.game_id;
  delete from crash_impact where game_id = old.game_id;
  delete from crash_facet_values where game_id = old.game_id;
  delete from crash_groups where game_id = old.game_id;
  delete from crash_functions where game_id = old.game_id;
  return null;
end
$$;
