// The SQL for other features: numbers of devices and times of first boots.
import { sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../kernel/database/db.ts';

export type LaunchRow = { game_id: string; devices: number; first_boot_at: Date | null };

export function readLaunches(db: Db, gameIds: readonly string[]): Promise<LaunchRow[]> {
  return rows(
    db,
    sql<LaunchRow>`select game_id, sum(devices) as devices, min(first_boot_at) as first_boot_at
      from event_games where game_id = any(${gameIds}::uuid[]) group by game_id`,
  );
}

/** The devices that sent events with the build, as long as their counts are kept. */
export async function countDevicesOfBuild(db: Db, gameId: string, buildId: string): Promise<number> {
  const { devices } = await onlyRow(
    db,
    sql<{ devices: number }>`select coalesce(sum(devices), 0)::bigint as devices from event_device_days
      where game_id = ${gameId} and build_id = ${buildId}`,
  );
  return devices;
}
