// The SQL of what queries refer to.
import { sql } from 'kysely';
import { type Db, rows } from '../../../kernel/database/db.ts';

export type BuildName = { build_id: string; version: string; arch: string };

/** The builds of a game, deleted ones included. */
export function listBuildNames(db: Db, gameId: string): Promise<BuildName[]> {
  return rows(db, sql<BuildName>`select build_id, version, arch from build_names where game_id = ${gameId}`);
}
