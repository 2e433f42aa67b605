// Deletes symbols from symbol servers that are no longer in the settings, that were not used for long, or that are too
// many, and forgets old look-ups.

import { MIB } from '@chauffeur/contract/limits';
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { nameOfSource } from '../../../symbol-sources.ts';
import { dropSymbolBlobs } from '../store-text.ts';
import { forgetLookups, forgetOtherSources } from './lookups.sql.ts';
import { shrinkStorage } from './store-system.ts';
import { deleteUnusedSystemSymbols } from './system-symbols.sql.ts';

export const sweepSourcesJob = defineJob(
  'symbols:sweep-sources',
  { attempts: 3, cron: '53 * * * *', lane: 'long', deletesOld: true },
  sweepSources,
);

const UNUSED_MS = 90 * DAY;
/** Absences are remembered for this long after they could be looked up again, so that the next one lasts longer. */
const FORGOTTEN_MS = 30 * DAY;

/** Safe to run twice. Deletes the rows first, so that no row refers to a missing blob. */
export async function sweepSources(ctx: Context): Promise<void> {
  const sources = (ctx.config.symbolSources ?? []).map(nameOfSource);
  const now = ctx.clock.now().getTime();
  const keys = await deleteUnusedSystemSymbols(ctx.db, { sources, usedBefore: new Date(now - UNUSED_MS) });
  await dropSymbolBlobs(ctx, keys);
  await shrinkStorage(ctx, ctx.config.symbolSourcesMb * MIB);
  await forgetOtherSources(ctx.db, sources);
  await forgetLookups(ctx.db, { before: new Date(now - FORGOTTEN_MS), all: sources.length === 0 });
}
