// The thread of `convertNative`: converts one native file to symbol files, one for each CPU.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { GIB, LIMITS, MIB } from '@chauffeur/contract/limits';
import { isCabinet, unpackCabinet } from '@chauffeur/debug-symbols/cabinet/cabinet';
import { convertFile } from '@chauffeur/debug-symbols/convert-file';
import { readSupplementaryId } from '@chauffeur/debug-symbols/elf/debug-link';
import { Elf } from '@chauffeur/debug-symbols/elf/elf';
import { DebugSymbolsError } from '@chauffeur/debug-symbols/error';
import { detectFormat } from '@chauffeur/debug-symbols/file-format';
import { identityRecords } from '@chauffeur/debug-symbols/identity';
import { readSlices } from '@chauffeur/debug-symbols/macho/macho';
import { OpenFiles } from '@chauffeur/debug-symbols/open-files';
import { ScratchFullError } from '@chauffeur/debug-symbols/temporary-file';
import { answerTask } from '../../kernel/threads/threads.ts';
import type { ConvertInput, ConvertResult } from './convert.job.ts';

/** Records are joined to portions that are worth a call of the system. */
const PORTION = 256 * 1024;
const CABINET_BYTES = 4;
/** What a cabinet may unpack to however small it is. */
const FREE_BYTES = 64 * MIB;
/** The compressed sections and the symbols of the largest file fit. They are on the disk of the server's data. */
const MAX_TEMPORARY_BYTES = 2 * LIMITS.nativeFileBytes;

/** What is wrong with a file, as a clause. */
class UnreadableError extends Error {}

await answerTask(async ({ folder, ...input }: ConvertInput): Promise<ConvertResult> => {
  try {
    const path = unpackedOf(input.path, join(folder, 'unpacked'));
    const counterpart = input.counterpart && unpackedOf(input.counterpart, join(folder, 'unpacked-counterpart'));
    const others = { ...input, ...(counterpart !== undefined && { counterpart }) };
    const needs = others.supplementary === undefined ? supplementaryIdOf([path, others.counterpart]) : undefined;
    if (needs !== undefined) return { needs };
    return { texts: cpusOf(path).map((cpu, index) => convert(path, { ...others, cpu, folder }, `${index}.sym`)) };
  } catch (error) {
    if (error instanceof DebugSymbolsError && error.cause instanceof ScratchFullError)
      return {
        unreadable: `it needs more than ${MAX_TEMPORARY_BYTES / GIB} GB of temporary files; convert it with \`chauffeur symbols\``,
      };
    if (error instanceof DebugSymbolsError && error.code === 'incomplete')
      return {
        unreadable: `${error.message}; convert both with \`chauffeur symbols\`, or send the unstripped program`,
      };
    if (error instanceof DebugSymbolsError || error instanceof UnreadableError) return { unreadable: error.message };
    // An error of the disk, after which another try may succeed.
    if (error instanceof Error && 'syscall' in error) throw error;
    return { unreadable: 'the converter failed', bug: error instanceof Error ? (error.stack ?? '') : String(error) };
  }
});

/** Symbol servers of Windows have cabinets. Everything else is returned as it is. */
function unpackedOf(path: string, folder: string): string {
  const files = new OpenFiles();
  try {
    const source = files.open(path);
    if (!isCabinet(source.read(0, Math.min(CABINET_BYTES, source.size)))) return path;
    // It is there if the conversion is repeated with another file.
    mkdirSync(folder, { recursive: true });
    const output = join(folder, basename(path));
    const limit = Math.min(LIMITS.nativeFileBytes, Math.max(FREE_BYTES, source.size * LIMITS.zipRatio));
    const file = openSync(output, 'w', 0o600);
    try {
      let size = 0;
      for (const bytes of unpackCabinet(source)) {
        size += bytes.length;
        if (size > limit) throw new UnreadableError(`its cabinet unpacks to more than ${Math.floor(limit / MIB)} MB`);
        for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      }
    } finally {
      closeSync(file);
    }
    return output;
  } finally {
    files.close();
  }
}

/** The CPUs of a universal binary, and of no others. */
function cpusOf(path: string): (string | undefined)[] {
  const files = new OpenFiles();
  try {
    const source = files.open(path);
    if (detectFormat(source) !== 'macho') return [undefined];
    const cpus = [...new Set(readSlices(source).map(({ cpu }) => cpu))];
    if (cpus.length > LIMITS.nativeSlices)
      throw new UnreadableError(`it has code for ${cpus.length} CPUs, and at most ${LIMITS.nativeSlices} are allowed`);
    return cpus;
  } finally {
    files.close();
  }
}

/** The build id of what dwz moved out of one of the files. */
function supplementaryIdOf(paths: readonly (string | undefined)[]): string | undefined {
  const files = new OpenFiles();
  try {
    for (const path of paths) {
      const source = path === undefined ? undefined : files.open(path);
      if (source === undefined || detectFormat(source) !== 'elf') continue;
      const id = readSupplementaryId(new Elf(source));
      if (id !== undefined) return id;
    }
    return undefined;
  } finally {
    files.close();
  }
}

type Others = Omit<ConvertInput, 'path'> & { readonly cpu: string | undefined };

/** Writes a file of this name to the folder, where temporary files are as well, and returns its path. */
function convert(path: string, { cpu, folder, counterpart, supplementary }: Others, name: string): string {
  const output = join(folder, name);
  const { identity, writer } = convertFile(path, {
    findsCounterparts: false,
    temporaryFolder: folder,
    maxTemporaryBytes: MAX_TEMPORARY_BYTES,
    ...(cpu !== undefined && { cpu }),
    ...(counterpart !== undefined && { counterpart }),
    ...(supplementary != null && { supplementary }),
  });
  const file = openSync(output, 'wx', 0o600);
  try {
    let size = 0;
    let portion = '';
    const flush = () => {
      const bytes = Buffer.from(portion);
      size += bytes.length;
      if (size > LIMITS.symbolFileBytes)
        throw new UnreadableError(`its symbols are larger than ${LIMITS.symbolFileBytes / MIB} MB`);
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      portion = '';
    };
    for (const record of writer.write(identityRecords(identity))) {
      portion += record;
      if (portion.length >= PORTION) flush();
    }
    flush();
  } finally {
    closeSync(file);
    writer.close();
  }
  return output;
}
