// The newest dumps that this process received, in memory, so that they needn't be read and decompressed to be walked.
import type { Context } from '../../../context.ts';
import { type FileInSpace, giveBackSpace } from '../../../kernel/blobs/spaces.ts';
import { perContext } from '../../../request/per-context.ts';

const MAX_DUMPS = 8;

/** By the keys of their blobs, the oldest first. */
const dumpsOf = perContext(() => new Map<string, FileInSpace>());

/** Keeps a dump until it is taken, or until there are too many newer ones. */
export function keepDump(ctx: Context, key: string, dump: FileInSpace): void {
  const dumps = dumpsOf(ctx);
  dumps.set(key, dump);
  for (const oldest of dumps.keys()) {
    if (dumps.size <= MAX_DUMPS) break;
    giveBackSpace(takeDump(ctx, oldest)!.space);
  }
}

/** The caller gives the space back. Undefined if the dump isn't in memory. */
export function takeDump(ctx: Context, key: string): FileInSpace | undefined {
  const dumps = dumpsOf(ctx);
  const dump = dumps.get(key);
  dumps.delete(key);
  return dump;
}
