// The entries of a web build that may be served: read out of its zip once, away from the request loop, and kept while it is played.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { Context } from '../../context.ts';
import { type BlobSettings, parseBlobSettings } from '../../kernel/blobs/open.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { perContext } from '../../kernel/per-context.ts';
import { createRecent } from '../../kernel/recent.ts';
import { runInThread } from '../../kernel/threads.ts';
import { takeTurns } from '../../kernel/turns.ts';
import type { FileRow } from '../files/files.ts';
import { findStartPage } from './start-page.ts';

/** Where an entry’s bytes are in the zip, and what they are. */
export type WebEntry = {
  /** Of its local header. */
  readonly offset: number;
  /** As it is in the zip; else it is deflated. */
  readonly isStored: boolean;
  /** Bytes in the zip, and unpacked. */
  readonly packedSize: number;
  readonly size: number;
  readonly crc32: number;
};

export type WebBuild = {
  readonly blobKey: string;
  /** The page that it begins with; null where none can be told. */
  readonly start: string | null;
  /** By path. No folder, no link, and nothing that the zip’s directory does not list. */
  readonly entries: ReadonlyMap<string, WebEntry>;
};

/** What the thread is given, and answers: null when there are more entries, or longer paths, than a game needs. */
export type IndexInput = { blobSettings: BlobSettings; key: string; size: number };
export type IndexOutput = [path: string, entry: WebEntry][] | null;

const THREAD = new URL('./index-zip.thread.ts', import.meta.url);
/** The directory may have 64 MB, whatever it announces. */
const THREAD_LIMITS = { timeoutMs: 30_000, maxHeapMb: 256 };
/** Of all kept builds together, each entry as heavy as its path and a record of it: about 64 MB of memory. */
const MOST_WEIGHT = 32_000_000;
const RECORD_WEIGHT = 150;

type Shelf = { read(file: FileRow): Promise<WebBuild> };

const shelfOf = perContext<Shelf>((ctx) => {
  const kept = createRecent<string, WebBuild>(MOST_WEIGHT);
  const underWay = new Map<string, Promise<WebBuild>>();
  // Files that nobody played yet wait for each other; a build that is kept waits for nobody.
  const inTurn = takeTurns(2);
  const index = async (file: FileRow) => {
    const build = await inTurn(() => indexFile(ctx, file));
    kept.set(file.file_id, build, weightOf(build));
    return build;
  };
  return {
    async read(file) {
      const found = kept.get(file.file_id) ?? underWay.get(file.file_id);
      if (found !== undefined) return found;
      const reading = index(file).finally(() => underWay.delete(file.file_id));
      underWay.set(file.file_id, reading);
      return reading;
    },
  };
});

/** The build in this file, whose scan must have ended well. Throws 4092 when it is too large a web build. */
export function readWebBuild(ctx: Context, file: FileRow): Promise<WebBuild> {
  return shelfOf(ctx).read(file);
}

async function indexFile(ctx: Context, { blob_key: key, size }: FileRow): Promise<WebBuild> {
  const blobSettings = parseBlobSettings(ctx.config.blobs, ctx.config.dataFolder);
  const input: IndexInput = { blobSettings, key, size };
  const listed = await runInThread<IndexOutput>(THREAD, input, THREAD_LIMITS, [BlobMissingError]);
  if (listed === null) {
    const most = LIMITS.playEntries.toLocaleString('en-US');
    throw new ApiError(
      4092,
      `The build has too many entries to be played in the browser; pack them into fewer than ${most}.`,
    );
  }
  const entries = new Map(listed);
  return { blobKey: key, start: findStartPage(entries.keys()), entries };
}

function weightOf({ entries }: WebBuild): number {
  return entries.keys().reduce((sum, path) => sum + path.length + RECORD_WEIGHT, 0);
}
