// Counts what symbol texts of earlier releases contain, and reads their code ids, a few texts at a time. Later releases
// do both during the upload.
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Context } from '../../context.ts';
import { bytesOfOpen } from '../../kernel/blobs/byte-source.ts';
import { peek } from '../../kernel/blobs/peek.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { transact } from '../../kernel/database/db.ts';
import { addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { MODULE_LINE_BYTES, readModuleFacts } from './module-facts.ts';
import { countContents } from './store-text.ts';
import * as symbols from './symbols.sql.ts';
import { enqueueArrived } from './symbols.ts';

export const countContentsJob = defineJob('symbols:contents', { attempts: 6, lane: 'long' }, countOldContents);

const BATCH = 20;

/** Safe to run twice: a text that was counted is not counted again. */
export async function countOldContents(ctx: Context): Promise<void> {
  const texts = await symbols.listUncounted(ctx.db, BATCH);
  for (const text of texts) await countAndRecord(ctx, text);
  if (texts.length === BATCH) await enqueueCounting(ctx);
}

/** Enqueues the job if there are texts to count. */
export async function startCounting(ctx: Context): Promise<void> {
  if ((await symbols.listUncounted(ctx.db, 1)).length > 0) await enqueueCounting(ctx);
}

function enqueueCounting(ctx: Context): Promise<void> {
  return addJob(ctx.db, countContentsJob, {}, countContentsJob.task);
}

/** Reports that were missing these symbols under another name, or without a debug id, are processed again. */
async function countAndRecord(ctx: Context, text: symbols.UncountedText): Promise<void> {
  const { facts, module } = await readText(ctx, text.blob_key);
  const replacesDebugId = module !== null && module.debugId === module.codeId;
  await transact(ctx.db, async (tx) => {
    const code = { codeId: module?.codeId ?? '', replacesDebugId };
    if (!(await symbols.recordFacts(tx, text, facts, code))) return;
    const { game_id: gameId, checksum } = text;
    if ((await symbols.findText(tx, gameId, checksum))?.state !== 'compiled') return;
    for (const found of await symbols.modulesOfText(tx, gameId, checksum)) await enqueueArrived(tx, gameId, found);
  });
}

async function readText(ctx: Context, key: string) {
  const nothing = { facts: { functions: 0, detail: 0, records: 0 } as const, module: null };
  try {
    const gunzip = createGunzip();
    // Errors reach the reader of the output.
    pipeline(await ctx.blobs.read(key), gunzip).catch(() => undefined);
    const { head, all } = await peek(bytesOfOpen(gunzip), MODULE_LINE_BYTES);
    const counted = countContents(all);
    for await (const _ of counted.bytes);
    const module = readModuleFacts(head);
    return { facts: counted.facts(), module: 'refused' in module ? null : module };
  } catch (error) {
    // Compiling the text reports a missing or damaged blob. Counting it again would not help.
    if (error instanceof BlobMissingError || isDamaged(error)) return nothing;
    throw error;
  }
}

/** Whether zlib could not unpack the bytes. */
function isDamaged(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
