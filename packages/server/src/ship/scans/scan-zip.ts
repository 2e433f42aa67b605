// The complete scan of one uploaded zip: rules for its directory, a check of its content, and the virus scan of every
// byte.
import { Readable } from 'node:stream';
import type { Os } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { Link } from '@chauffeur/contract/link-loops';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import type { Scanner, ScanVerdict } from '../../kernel/scanner/scanner.ts';
import { readZipDirectory } from '../../kernel/zip/zip-directory.ts';
import { type ZipDirectory, type ZipEntry, ZipError } from '../../kernel/zip/zip-entry.ts';
import type { Examination, ExaminedEntry } from './examine.ts';
import { describeInfected, SectionScans } from './section-scans.ts';
import { type EntryContent, readSections, type ZipReading } from './zip-content.ts';
import { formatEntryName, judgeDirectory, judgeLink, judgeLinkLoops, unpackedBytes } from './zip-rules.ts';

type ZipScanOptions = {
  /** The OS of the build. */
  readonly os?: Os | undefined;
  /** Called if the zip is fine. */
  readonly onRead?: (reading: ZipReading) => Promise<void>;
};

/**
 * Scans the zip of `size` bytes under `key`. Without a scanner it is only checked. Rejects with ScannerUnavailableError if the scanner cannot be reached, which is worth a retry, and with
 * the errors of the blob store. Memory use does not depend on the size.
 */
export async function scanZip(
  store: BlobStore,
  key: string,
  size: number,
  scanner: Scanner | null,
  { os, onRead }: ZipScanOptions = {},
): Promise<Examination> {
  const version = scanner === null ? null : await scanner.version();
  const report = (
    outcome: Examination['outcome'],
    detail: string | null,
    entries: ExaminedEntry[] = [],
  ): Examination => {
    return {
      outcome,
      detail,
      engine: version?.engine ?? null,
      signatureVersion: version?.signatures ?? null,
      entries,
      manifest: null,
    };
  };
  let whole: ScanVerdict | null = null;
  try {
    const directory = await readZipDirectory(store, key, size, LIMITS.zipEntries);
    const refusal = judgeDirectory(directory, os);
    if (refusal !== null) return report('failed', refusal.reason);
    whole = await scanWhole(store, key, directory, scanner);
    // Scanning the sections shows which entry is infected or was skipped, unless the whole zip is clean.
    const sections = await scanSections(store, key, directory, whole?.result === 'clean' ? null : scanner);
    if (sections.infected !== null) return report('infected', sections.infected);
    if (whole?.result === 'infected') return report('infected', describeInfected(whole.signature, WHOLE));
    const loop = judgeLinkLoops(sections.links, os);
    if (loop !== null) return report('failed', loop);
    if (sections.unscanned.length > 0) return report('failed', describeUnscanned(sections.unscanned), sections.entries);
    await onRead?.({ directory, contents: sections.contents });
    return report(scanner === null ? 'unscanned' : 'clean', null, sections.entries);
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    if (whole?.result === 'infected') return report('infected', describeInfected(whole.signature, WHOLE));
    return report('failed', error.message);
  }
}

const WHOLE = 'the .zip as a whole';
const UNLISTED = 'the bytes that belong to no entry';

/** clamd's MaxFiles: it skips further files of an archive, and reports that only if AlertExceedsMax is on. */
const FILES_AT_ONCE = 10_000;

/**
 * The verdict on the zip scanned as one stream; null without a scanner, or if the zip exceeds a limit of the scanner.
 */
async function scanWhole(
  store: BlobStore,
  key: string,
  directory: ZipDirectory,
  scanner: Scanner | null,
): Promise<ScanVerdict | null> {
  if (scanner === null || directory.entryCount >= FILES_AT_ONCE) return null;
  if (directory.fileSize + unpackedBytes(directory.entries) > scanner.streamLimit) return null;
  return scanner.scan(await store.read(key));
}

type SectionsReport = {
  /** The finding as a sentence; null if there is none. */
  infected: string | null;
  /** What the scanner skipped, with the reason. */
  unscanned: string[];
  /** The symbolic links, all of which stay inside the archive. */
  links: Link[];
  /** Empty if infected. */
  entries: ExaminedEntry[];
  /** What is known of files and links. */
  contents: ReadonlyMap<ZipEntry, EntryContent>;
};

/**
 * Reads every section of the zip, and scans it if there is a scanner. Stops at an infected section. Throws ZipError.
 */
async function scanSections(
  store: BlobStore,
  key: string,
  directory: ZipDirectory,
  scanner: Scanner | null,
): Promise<SectionsReport> {
  const scans = scanner === null ? null : new SectionScans(scanner);
  const contents = new Map<ZipEntry, EntryContent>();
  const links: Link[] = [];
  for await (const { entry, content: bytes, size, finish } of readSections(store, key, directory)) {
    const target = entry?.type === 'symlink' ? await readTarget(entry, bytes) : null;
    if (entry !== null && target !== null)
      links.push(...entry.names.map((path) => ({ path, target: target.toString('utf8') })));
    const name = entry === null ? UNLISTED : formatEntryName(entry.path);
    if (size > 0) await scans?.add(name, target === null ? bytes : Readable.from([target]), size);
    const content = await finish();
    if (entry !== null && entry.type !== 'folder')
      contents.set(entry, { ...content, target: target?.toString('utf8') ?? null });
    if (scans !== null && scans.infected !== null) break;
  }
  const unscanned = (await scans?.finish()) ?? [];
  const infected = scans?.infected ?? null;
  const entries = directory.entries
    .filter(({ path }) => path !== '')
    .map((entry) => ({
      path: entry.path,
      type: entry.type,
      size: entry.size,
      sha256: contents.get(entry)?.sha256.toString('hex') ?? null,
    }));
  return { infected, unscanned, links, entries: infected === null ? entries : [], contents };
}

/** The target of a link; `judgeDirectory` has limited its length. Throws ZipError if it leads out of the archive. */
async function readTarget(entry: ZipEntry, content: AsyncIterable<Buffer>): Promise<Buffer> {
  const target = Buffer.concat(await Array.fromAsync(content));
  for (const name of entry.names) {
    const reason = judgeLink(name, target.toString('utf8'));
    if (reason !== null) throw new ZipError(reason);
  }
  return target;
}

const MAX_LISTED = 10;

function describeUnscanned(names: readonly string[]): string {
  const listed = names.slice(0, MAX_LISTED).join(', ');
  const more = names.length - MAX_LISTED;
  return more > 0
    ? `The scanner skipped ${listed} and ${more} more. Remove them, or ask the operator to raise the scanner's limits.`
    : `The scanner skipped ${listed}. Remove it, or ask the operator to raise the scanner's limits.`;
}
