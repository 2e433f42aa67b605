// Finds the files that can have symbols in them: in folders, and in archives, from which they are unpacked.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { recognizeForeignFile } from '@chauffeur/contract/foreign-symbol-file';
import { MAPPING_KINDS, type MappingKind, mappingKindOf } from '@chauffeur/sentry/mappings/mapping-kind';
import { LocalError } from '../failures.ts';
import { openPacked } from './packed.ts';
import { HEAD_BYTES, inflateHead, type Kind, type Packing, readHead, recogniseKind } from './recognise.ts';
import { listTar, readAt } from './tar.ts';
import { listZip } from './unzip.ts';

export type FoundFile = {
  readonly kind: 'symbols' | 'native' | MappingKind;
  /** Path on disk, perhaps of an unpacked copy. */
  readonly path: string;
  /** The path in the folder or archive that was given, separated by `/`. */
  readonly name: string;
  readonly size: number;
  /** Whether it is a copy from an archive. */
  readonly isUnpacked: boolean;
};

/** Archives are also in others, such as a `.sym.gz` in a zip. */
const MAX_DEPTH = 4;
/** In a folder, other files are archives too, such as the assets of a game. */
const ARCHIVE = /\.(?:zip|tar|tgz|txz|gz|xz|zst|apk|aab|aar|ipa|xpi|nupkg)$/i;
const SKIPPED_FOLDERS: readonly string[] = ['.git', '.svn', '.hg', '__MACOSX'];

/** `isNamed` if the file itself was given, and isn't only in a folder that was. */
type Place = { readonly path: string; readonly name: string; readonly depth: number; readonly isNamed: boolean };

export type Found = {
  readonly files: readonly FoundFile[];
  /** Sentences about archives that can't be read. */
  readonly warnings: readonly string[];
};

/**
 * Finds files by their content. `temp` is a folder for what is unpacked. Rejects with LocalError for a path that
 * doesn't exist or has nothing of use, and for a `.sym` file that isn't one.
 */
export async function findFiles(paths: readonly string[], temp: string, signal: AbortSignal): Promise<Found> {
  const finder = new Finder(temp, signal);
  for (const path of paths) await finder.addPath(path);
  return { files: finder.found, warnings: finder.endWarnings() };
}

class Finder {
  readonly found: FoundFile[] = [];
  readonly #warnings: string[] = [];
  /** Files with the extension of symbol files that aren't any. */
  readonly #refused: LocalError[] = [];
  readonly #seen = new Set<string>();
  readonly #temp: string;
  readonly #signal: AbortSignal;
  /** How many files of use were met, counting those twice that are in two of the paths. */
  #met = 0;
  #unpacked = 0;

  constructor(temp: string, signal: AbortSignal) {
    this.#temp = temp;
    this.#signal = signal;
  }

  async addPath(path: string): Promise<void> {
    const stats = await stat(path).catch(() => null);
    if (stats === null)
      throw new LocalError(
        `${path} does not exist.`,
        'Use a folder, a program, a debug file, a .sym file or an archive.',
      );
    const before = this.#met;
    if (stats.isDirectory()) await this.#addFolder(path);
    else await this.#addNamed({ path, name: basename(path), depth: 0, isNamed: true });
    if (this.#met === before) throw nothingIn(path, stats.isDirectory());
  }

  /**
   * Returns what to warn about. Throws LocalError for a file that isn't a symbol file, unless there are native files:
   * next to these, some engines write files in another format with the same extension.
   */
  endWarnings(): string[] {
    const [first] = this.#refused;
    if (first !== undefined && !this.found.some(({ kind }) => kind === 'native')) throw first;
    return [...this.#warnings, ...this.#refused.map(({ message }) => `${message} It is left out.`)];
  }

  async #addFolder(root: string): Promise<void> {
    const queue = [''];
    for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
      this.#signal.throwIfAborted();
      const children = await readdir(join(root, folder), { withFileTypes: true }).catch((cause: unknown) => {
        throw new LocalError(`${join(root, folder)} cannot be read.`, 'Check its permissions.', { cause });
      });
      children.sort((a, b) => (a.name < b.name ? -1 : 1));
      for (const child of children) {
        const name = folder + child.name;
        // What symbolic links lead to is found where it is.
        if (child.isDirectory() && !SKIPPED_FOLDERS.includes(child.name)) queue.push(`${name}/`);
        if (child.isFile()) await this.#add({ path: join(root, name), name, depth: 0, isNamed: false });
      }
    }
  }

  /** A file that is named alone is an error if it isn't of use. */
  async #addNamed(place: Place): Promise<void> {
    const head = await headOf(place);
    const kind = kindOf(place.name, head);
    if (kind === null) {
      const foreign = recognizeForeignFile(head);
      throw new LocalError(
        `${place.path} is not a symbol file, program, debug file or archive${foreign === null ? '' : `: ${foreign.what}`}.`,
        foreign?.remedy ?? 'Use a folder, a program, a debug file, a .sym file or an archive.',
      );
    }
    await this.#addKind(place, kind);
  }

  async #add(place: Place): Promise<void> {
    if (isMacFile(place.name)) return;
    const head = await headOf(place);
    const kind = this.#kindOf(place.name, head);
    if (kind === null || (!isOfUse(kind) && !ARCHIVE.test(place.name))) return;
    await this.#addKind(place, kind);
  }

  async #addKind(place: Place, kind: Kind): Promise<void> {
    this.#signal.throwIfAborted();
    const real = resolve(place.path);
    if (isOfUse(kind)) {
      // Without its source map, a script is of no use, and games have many.
      if (kind !== 'script' || place.isNamed) this.#met += 1;
      const { path, name, depth } = place;
      if (!this.#seen.has(real))
        this.found.push({ kind, path, name, size: (await stat(path)).size, isUnpacked: depth > 0 });
      this.#seen.add(real);
      return;
    }
    if (place.depth >= MAX_DEPTH) return;
    try {
      if (kind === 'zip') await this.#unzip(place);
      else if (kind === 'tar') await this.#unpackTar(place);
      else await this.#unpackOne(place, kind);
    } catch (cause) {
      if (cause instanceof LocalError || this.#signal.aborted) throw cause;
      const error = unpackError(place, cause);
      if (place.isNamed || isFull(cause)) throw error;
      this.#warnings.push(`${error.message} ${error.remedy}`);
    }
  }

  /** A file that contains one other, whose first bytes say whether it is of use. */
  async #unpackOne(place: Place, packing: Packing): Promise<void> {
    const name = place.name.replace(/\.(?:gz|zst|xz)$/i, '').replace(/\.t(?:gz|xz)$/i, '.tar');
    await using content = await openPacked(place.path, packing);
    if (this.#kindOf(name, await content.readHead(HEAD_BYTES)) === null) return;
    await this.#unpack(place, name, content.bytes);
  }

  async #unpackTar(place: Place): Promise<void> {
    await using archive = await open(place.path);
    for await (const { path, offset, size } of listTar(archive)) {
      const head = await readAt(archive, offset, Math.min(size, HEAD_BYTES));
      if (isMacFile(path) || this.#kindOf(path, head) === null) continue;
      const range = { start: offset, end: offset + size - 1 };
      await this.#unpack(place, path, createReadStream(place.path, range));
    }
  }

  async #unzip(place: Place): Promise<void> {
    for await (const entry of listZip(place.path)) {
      if (isMacFile(entry.path)) continue;
      const raw = await entry.readHead(HEAD_BYTES);
      const head = entry.isCompressed ? inflateHead(raw) : raw;
      if (this.#kindOf(entry.path, head) !== null) await this.#unpack(place, entry.path, await entry.open());
    }
  }

  #kindOf(name: string, head: Buffer): Kind | null {
    try {
      return kindOf(name, head);
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      this.#met += 1;
      this.#refused.push(error);
      return null;
    }
  }

  /** Each file gets a separate folder, so that names in archives lead nowhere else and keep their last part. */
  async #unpack(from: Place, name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#signal.throwIfAborted();
    const folder = join(this.#temp, String(this.#unpacked++));
    await mkdir(folder);
    const path = join(folder, safeName(name));
    await pipeline(content, createWriteStream(path), { signal: this.#signal });
    await this.#add({ path, name, depth: from.depth + 1, isNamed: false });
  }
}

/** Whether it isn't an archive. */
function isOfUse(kind: Kind): kind is FoundFile['kind'] {
  return kind === 'symbols' || kind === 'native' || MAPPING_KINDS.some((each) => each === kind);
}

/** Throws LocalError for a file with the extension of symbol files that isn't one. */
function kindOf(name: string, head: Buffer): Kind | null {
  const kind = recogniseKind(head) ?? mappingKindOf(name, head);
  if (!/\.sym$/i.test(name) || kind === 'native' || isMacFile(name)) return kind;
  requireSymbols(name, head);
  return 'symbols';
}

/** A file with this extension is meant as a symbol file. */
function requireSymbols(name: string, head: Buffer): void {
  const foreign = recognizeForeignFile(head);
  if (foreign !== null) throw new LocalError(`${name} is not a Breakpad symbol file: ${foreign.what}.`, foreign.remedy);
  if (head.toString('latin1', 0, 6) === 'MODULE') return;
  throw new LocalError(
    `${name} is not a Breakpad symbol file: its first line does not start with MODULE.`,
    'Create it again, or remove it from the folder.',
  );
}

/** Whether macOS has added the file next to another one, on a file system of another system. */
function isMacFile(name: string): boolean {
  return basename(name).startsWith('._') || name.startsWith('__MACOSX/') || name.includes('/__MACOSX/');
}

function safeName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows refuses them in names.
  const last = (name.split(/[\\/]/).at(-1) ?? '').replace(/[\0-\x1f<>:"|?*]/g, '_');
  return last === '' || last === '.' || last === '..' ? '_' : last;
}

async function headOf({ path }: Place): Promise<Buffer> {
  return readHead(path).catch((cause: unknown) => {
    throw new LocalError(`${path} cannot be read.`, 'Check its permissions.', { cause });
  });
}

function nothingIn(path: string, isFolder: boolean): LocalError {
  return new LocalError(
    `${path} contains no .sym files, programs, debug files or source maps.`,
    isFolder
      ? 'Use the folder in which the build leaves its programs and debug files, or its scripts and source maps.'
      : 'Use an archive of programs, debug files or .sym files.',
  );
}

function isFull(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function unpackError({ name }: Place, cause: unknown): LocalError {
  if (isFull(cause))
    return new LocalError(
      `There is no space left to unpack ${name}.`,
      'Free some space, or choose a folder on another disk with --tmp.',
      { cause },
    );
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new LocalError(
    `${name} cannot be unpacked: ${reason.replace(/\.$/, '')}.`,
    'Check that the archive is complete.',
    { cause },
  );
}
