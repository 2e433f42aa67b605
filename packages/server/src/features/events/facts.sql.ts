// The SQL for other features: numbers of devices and times of first boots.
import { sql } from 'kysely';
import { type Db, rows } from '../../kernel/database/db.ts';

export type LaunchRow = { game_id: string; devices: number; first_boot_at: Date | null };

export function readLaunches(db: Db, gameIds: readonly string[]): Promise<LaunchRow[]> {
  return rows(
    db,
    sql<LaunchRow>`select game_id, sum(devices) as devices, min(first_boot_at) as first_boot_at
      from event_games where game_id = any(${gameIds}::uuid[]) group by game_id`,
  );
}
