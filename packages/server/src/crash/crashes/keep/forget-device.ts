// Removes the ids of a device from its crash reports, which stay: they are then counted as of no device.
import type { Context } from '../../../context.ts';
import { transactGroups } from '../groups/groups.sql.ts';
import { countAgain } from '../groups/impact.sql.ts';
import * as devices from './forget-device.sql.ts';

/** Small enough for a short transaction. */
const BATCH = 200;

/** Returns the number of reports of the device. Safe to repeat after an interruption. */
export async function forgetDevice(ctx: Pick<Context, 'db'>, gameId: string, deviceUid: string): Promise<number> {
  // Reports that are being processed first: after that, all others are counted in a group.
  let reports = await devices.forgetUnfinished(ctx.db, gameId, deviceUid);
  for (;;) {
    const ids = await devices.listCounted(ctx.db, gameId, deviceUid, BATCH);
    if (ids.length === 0) return reports;
    await transactGroups(ctx.db, async (tx) => {
      await devices.forgetIds(tx, gameId, ids);
      await countAgain(tx, gameId, ids);
    });
    reports += ids.length;
  }
}
