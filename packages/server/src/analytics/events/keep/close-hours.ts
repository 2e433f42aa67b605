// Closes the hours that are over, so that what is computed from all of their events stays correct.
import type { Context } from '../../../context.ts';
import { HOUR, MINUTE } from '../../../kernel/clock.ts';
import * as fence from './fence.sql.ts';

/** Batches that are being written at the end of an hour have this time, so that hardly any is refused. */
const GRACE = 5 * MINUTE;

/**
 * Closes the hours that ended at least five minutes ago. When it returns, all of their events are committed, and none
 * can be added: a batch that was delayed for so long is written to a later hour. Returns the start of the first hour
 * that is not closed.
 */
export async function closeHours({ db, clock }: Context): Promise<Date> {
  const until = new Date(Math.floor((clock.now().getTime() - GRACE) / HOUR) * HOUR);
  const openFrom = await fence.closeHours(db, until);
  await fence.waitForWriters(db, openFrom.getTime() / HOUR);
  return openFrom;
}
