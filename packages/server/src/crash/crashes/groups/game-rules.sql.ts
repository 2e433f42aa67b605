// The SQL of the rules that developers add to the grouping of their games.
import type { GroupingRule } from '@chauffeur/contract/operations/grouping-rules';
import { sql } from 'kysely';
import { type Db, keepPlan, onlyRow, row } from '../../../kernel/database/db.ts';

export type GameRules = {
  readonly rules: readonly GroupingRule[];
  /** 0 if the game never had any. */
  readonly version: number;
};

export type GameRulesRow = GameRules & { changed_at: Date; changed_by: string };

export async function readRules(db: Db, gameId: string): Promise<GameRules> {
  return (await findRules(db, gameId)) ?? { rules: [], version: 0 };
}

export function findRules(db: Db, gameId: string): Promise<GameRulesRow | undefined> {
  return row(
    db,
    keepPlan(
      sql<GameRulesRow>`select rules, version, changed_at, changed_by from grouping_rules where game_id = ${gameId}`,
    ),
  );
}

export function replaceRules(
  db: Db,
  gameId: string,
  { rules, at, by }: { rules: readonly GroupingRule[]; at: Date; by: string },
): Promise<GameRulesRow> {
  return onlyRow(
    db,
    sql<GameRulesRow>`insert into grouping_rules (game_id, rules, version, changed_at, changed_by)
      values (${gameId}, ${JSON.stringify(rules)}::jsonb, 1, ${at}, ${by})
      on conflict (game_id) do update set rules = excluded.rules, version = grouping_rules.version + 1,
        changed_at = excluded.changed_at, changed_by = excluded.changed_by
      returning rules, version, changed_at, changed_by`,
  );
}
