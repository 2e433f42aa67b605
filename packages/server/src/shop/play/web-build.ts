// The entries of a web build that can be served: read from its zip once, in a thread, and cached while it is played.
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { findStartPage } from '@chauffeur/contract/start-page';
import type { Context } from '../../context.ts';
import { BLOB_FAILURES } from '../../kernel/blobs/failures.ts';
import type { BlobSettings } from '../../kernel/blobs/store.ts';
import { createRecent } from '../../kernel/collections/cache.ts';
import { limitConcurrency } from '../../kernel/threads/concurrency.ts';
import { runInThread } from '../../kernel/threads/threads.ts';
import { perContext } from '../../request/per-context.ts';
import type { GameFileRow } from '../../ship/files/files.ts';

/** The location and size of an entry in the zip. */
export type WebEntry = {
  /** The offset of its local header. */
  readonly offset: number;
  /** Whether it is stored uncompressed; otherwise it is deflated. */
  readonly isStored: boolean;
  /** The bytes in the zip. `size` is the unpacked size. */
  readonly packedSize: number;
  readonly size: number;
  readonly crc32: number;
};

export type WebBuild = {
  readonly blobKey: string;
  /** The path of the start page; null if the build has none. */
  readonly start: string | null;
  /** The file at a path. Symbolic links in the zip are followed. */
  readonly find: (path: string) => WebEntry | undefined;
  /** Offsets in the zip of the content of entries that were read before; only their local headers have them. */
  readonly contentStarts: WeakMap<WebEntry, number>;
};

/** The input and output of the thread. The output is null if there are too many entries or their paths are too long. */
export type IndexInput = { blobSettings: BlobSettings; key: string; size: number };
export type IndexOutput = { files: [path: string, entry: WebEntry][]; links: [path: string, target: string][] } | null;

const THREAD = new URL('./index-zip.thread.ts', import.meta.url);
/** The limits are enough for a directory of 64 MB. */
const THREAD_LIMITS = { timeoutMs: 30_000, maxHeapMb: 256 };
/** The weight of all cached builds together, which take about 64 MB. An entry weighs its path and a constant. */
const MAX_WEIGHT = 32_000_000;
const RECORD_WEIGHT = 150;

type BuildCache = { read(file: GameFileRow): Promise<WebBuild> };

const cacheOf = perContext<BuildCache>((ctx) => {
  const cached = createRecent<string, WebBuild>(MAX_WEIGHT);
  const pending = new Map<string, Promise<WebBuild>>();
  // Builds are indexed two at a time at most. Cached builds do not wait.
  const inTurn = limitConcurrency(2);
  const index = async (file: GameFileRow) => {
    const { build, weight } = await inTurn(() => indexFile(ctx, file));
    cached.set(file.file_id, build, weight);
    return build;
  };
  return {
    async read(file) {
      const build = cached.get(file.file_id) ?? pending.get(file.file_id);
      if (build !== undefined) return build;
      const reading = index(file).finally(() => pending.delete(file.file_id));
      pending.set(file.file_id, reading);
      return reading;
    },
  };
});

/**
 * Returns the build in this file, which must have passed its scan. Throws `notPlayable` if the web build has too many
 * entries.
 */
export function readWebBuild(ctx: Context, file: GameFileRow): Promise<WebBuild> {
  return cacheOf(ctx).read(file);
}

async function indexFile(
  ctx: Context,
  { blob_key: key, size }: GameFileRow,
): Promise<{ build: WebBuild; weight: number }> {
  const input: IndexInput = { blobSettings: ctx.blobs.settings, key, size };
  const listed = await runInThread<IndexOutput>(THREAD, input, THREAD_LIMITS, BLOB_FAILURES);
  if (listed === null) {
    const max = LIMITS.playEntries.toLocaleString('en-US');
    const maxLinks = LIMITS.playLinks.toLocaleString('en-US');
    throw errors.notPlayable(
      `The build has too many files to be played in the browser. Pack them into fewer than ${max}, with at most ${maxLinks} symbolic links.`,
    );
  }
  const files = new Map(listed.files);
  const links = new Map(listed.links);
  const find = (path: string) => files.get(path) ?? files.get(followLinks(path, links) ?? '');
  const paths = [...files.keys(), ...links.keys().filter((path) => find(path) !== undefined)];
  const build: WebBuild = { blobKey: key, start: findStartPage(paths), find, contentStarts: new WeakMap() };
  const characters = [...files.keys(), ...listed.links.flat()].reduce((sum, text) => sum + text.length, 0);
  return { build, weight: characters + RECORD_WEIGHT * (files.size + links.size) };
}

/** Linux follows as many in one path (path_resolution(7)). The limit ends circular links. */
const MAX_LINKS = 40;
/** A path has at most 4096 bytes. Without this limit, long targets could lead through millions of folders. */
const MAX_STEPS = 4096;

/**
 * The path of the file or folder that `path` leads to, where a link may be the last name or a folder on the way.
 * `links` are targets by path. Null if there is no link on the way, if it leads out of the build, or if there are too
 * many.
 */
export function followLinks(path: string, links: ReadonlyMap<string, string>): string | null {
  if (links.size === 0 || path.split('/').some(isDots)) return null;
  const ahead = path.split('/').reverse();
  let reached = '';
  let followed = 0;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const name = ahead.pop();
    if (name === undefined) return followed > 0 ? reached : null;
    if (name === '' || name === '.') continue;
    if (name === '..' && reached === '') return null;
    if (name === '..') {
      reached = parentOf(reached);
      continue;
    }
    const next = reached === '' ? name : `${reached}/${name}`;
    const target = links.get(next);
    if (target === undefined) reached = next;
    else if (++followed > MAX_LINKS) return null;
    else ahead.push(...target.split('/').reverse());
  }
  return null;
}

/**
 * Whether a name is empty or consists of dots, which only a link may contain. A request for `a/../b` or `a//b` names no
 * entry, whether or not there are links.
 */
function isDots(name: string): boolean {
  return name === '' || name === '.' || name === '..';
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
