-- The search by function asks for names of one game. Keys that are made of game and name find its reports alone, where many games share an
-- engine. The cost is far above the true one: comparing keys row by row, in place of asking the index, is what must not be planned.
create function crash_function_keys(game_id uuid, functions text[]) returns bigint[]
language sql immutable strict parallel safe cost 10000
return array(select hashtextextended(game_id::text || function, 0) from unnest(functions) as function);

drop index crash_reports_by_function;
create index crash_reports_by_function on crash_reports using gin (crash_function_keys(game_id, functions))
  where functions <> '{}';
