// Raises all serials once a day. After the database lost its last changes, such as by a failover, clients that have seen
// them refuse what it offers now, until the serials are larger than what they have seen.
import type { Context } from '../../context.ts';
import { transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { gamesWithPointers, lockChannels, raiseSerials } from './channels.sql.ts';

export const raiseSerialsJob = defineJob(
  'channels:raise-serials',
  { attempts: 3, cron: '41 4 * * *' },
  raiseSerialsByGame,
);

export async function raiseSerialsByGame({ db }: Context): Promise<void> {
  for (const gameId of await gamesWithPointers(db))
    await transact(db, async (tx) => {
      await lockChannels(tx, gameId);
      await raiseSerials(tx, gameId);
    });
}
