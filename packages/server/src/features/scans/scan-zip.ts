// The whole scan of one uploaded zip: what its directory says, what it holds, and what the virus scanner says to every byte.
import { Readable } from 'node:stream';
import type { Os } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { Link } from '@chauffeur/contract/link-loops';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import type { Scanner, Verdict } from '../../kernel/scanner/scanner.ts';
import { showName } from './entry-name.ts';
import type { Examination, ExaminedEntry } from './examine.ts';
import { judgeLink, judgeLinkLoops } from './link-rules.ts';
import { describeInfected, PartScans } from './part-scans.ts';
import { readZipParts } from './zip-content.ts';
import { readZipDirectory } from './zip-directory.ts';
import { type ZipDirectory, type ZipEntry, ZipError } from './zip-entry.ts';
import { judgeDirectory, unpackedBytes } from './zip-rules.ts';

/**
 * Scans the zip of `size` bytes under `key`, which is of a build of `os`, without a scanner when there is none. Rejects with ScannerUnavailableError when the
 * scanner cannot be asked, which is worth another try; errors of the store pass through. Memory does not grow with the size.
 */
export async function scanZip(
  store: BlobStore,
  key: string,
  size: number,
  scanner: Scanner | null,
  os?: Os,
): Promise<Examination> {
  const version = scanner === null ? null : await scanner.version();
  const report = (
    outcome: Examination['outcome'],
    detail: string | null,
    entries: ExaminedEntry[] = [],
  ): Examination => {
    return { outcome, detail, engine: version?.engine ?? null, signatureVersion: version?.signatures ?? null, entries };
  };
  let whole: Verdict | null = null;
  try {
    const directory = await readZipDirectory(store, key, size, LIMITS.zipEntries);
    const reason = judgeDirectory(directory, os);
    if (reason !== null) return report('failed', reason);
    whole = await scanWhole(store, key, directory, scanner);
    // Part by part where the whole told too little: which entry is infected, or what was not looked at.
    const parts = await scanParts(store, key, directory, whole?.result === 'clean' ? null : scanner);
    if (parts.infected !== null) return report('infected', parts.infected);
    if (whole?.result === 'infected') return report('infected', describeInfected(whole.signature, WHOLE));
    const loop = judgeLinkLoops(parts.links, os);
    if (loop !== null) return report('failed', loop);
    if (parts.unscanned.length > 0) return report('failed', describeUnscanned(parts.unscanned), parts.entries);
    return report(scanner === null ? 'unscanned' : 'clean', null, parts.entries);
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    if (whole?.result === 'infected') return report('infected', describeInfected(whole.signature, WHOLE));
    return report('failed', error.message);
  }
}

const WHOLE = 'the .zip as a whole';
const UNLISTED = 'the bytes that belong to no entry';

/** clamd’s MaxFiles: of an archive with more it looks at the first so many, and says so only where AlertExceedsMax is on. */
const FILES_AT_ONCE = 10_000;

/** The scanner’s verdict on the zip in one stream; null when it is too large for that, packed and unpacked together. */
async function scanWhole(
  store: BlobStore,
  key: string,
  directory: ZipDirectory,
  scanner: Scanner | null,
): Promise<Verdict | null> {
  if (scanner === null || directory.entryCount >= FILES_AT_ONCE) return null;
  if (directory.fileSize + unpackedBytes(directory.entries) > scanner.streamLimit) return null;
  return scanner.scan(await store.read(key));
}

type PartsReport = {
  /** What was found and where, as a sentence; null when nothing was. */
  infected: string | null;
  /** What the scanner did not look at, and why. */
  unscanned: string[];
  /** The symbolic links, each of which stays in the archive. */
  links: Link[];
  /** Empty when infected. */
  entries: ExaminedEntry[];
};

/** Reads every part of the zip, and scans it when there is a scanner. Leaves off when one is infected. Throws ZipError. */
async function scanParts(
  store: BlobStore,
  key: string,
  directory: ZipDirectory,
  scanner: Scanner | null,
): Promise<PartsReport> {
  const scans = scanner === null ? null : new PartScans(scanner);
  const digests = new Map<ZipEntry, string>();
  const links: Link[] = [];
  for await (const { entry, content, size, finish } of readZipParts(store, key, directory)) {
    const target = entry?.type === 'symlink' ? await readTarget(entry, content) : null;
    if (entry !== null && target !== null)
      links.push(...entry.names.map((path) => ({ path, target: target.toString('utf8') })));
    const place = entry === null ? UNLISTED : showName(entry.path);
    if (size > 0) await scans?.add(place, target === null ? content : Readable.from([target]), size);
    const sha256 = await finish();
    if (entry !== null && entry.type !== 'folder') digests.set(entry, sha256);
    if (scans !== null && scans.infected !== null) break;
  }
  const unscanned = (await scans?.finish()) ?? [];
  const infected = scans?.infected ?? null;
  const entries = directory.entries.map((entry) => {
    return { path: entry.path, type: entry.type, size: entry.size, sha256: digests.get(entry) ?? null };
  });
  return { infected, unscanned, links, entries: infected === null ? entries : [] };
}

/** The content of a link, which `judgeDirectory` found to be short. Throws ZipError when it leads out of the archive. */
async function readTarget(entry: ZipEntry, content: AsyncIterable<Buffer>): Promise<Buffer> {
  const target = Buffer.concat(await Array.fromAsync(content));
  for (const name of entry.names) {
    const reason = judgeLink(name, target.toString('utf8'));
    if (reason !== null) throw new ZipError(reason);
  }
  return target;
}

const MOST_NAMED = 10;

function describeUnscanned(places: readonly string[]): string {
  const more = places.length > MOST_NAMED ? ` and ${places.length - MOST_NAMED} more` : '';
  const named = places.slice(0, MOST_NAMED).join(', ');
  return `The scanner did not look at all of it: ${named}${more}. Leave these out, or have the operator raise the scanner’s limits.`;
}
