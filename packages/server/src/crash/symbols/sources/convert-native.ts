// Converts the native files of debuginfod and Microsoft's symbol servers to the text of a symbol file.
import { createReadStream } from 'node:fs';
import { mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isSafeName } from '@chauffeur/minidump/symbols/symbol-path';
import { ThreadCrashError, ThreadTimeoutError } from '../../../kernel/threads/threads.ts';
import { type ConvertInput, type ConvertResult, convertInThread, limitsOf } from '../convert.job.ts';
import type { LookupModule } from './layouts.ts';

/** Files on disk. At least one of `debug` and `code` isn't null. */
type NativeFiles = {
  /** The path of what has the names and lines: an ELF file with debug information, or a PDB. */
  readonly debug: string | null;
  /** The path of what has the unwind rules: the program or library itself. */
  readonly code: string | null;
  /** The folder of the files, which is removed with all that is in it once the text has been read. */
  readonly folder: string;
  /**
   * Downloads a file that others refer to, such as one of `dwz`, and returns its path; null if there is none. The id is
   * a build id in lower case.
   */
  readonly supplement: (buildId: string) => Promise<string | null>;
};

/** The files can't be converted. The message is a clause that says why. */
export class NativeFileError extends Error {
  override readonly name = 'NativeFileError';
}

export type ConvertNative = (
  files: NativeFiles,
  options: { readonly module: LookupModule; readonly signal: AbortSignal },
) => Promise<AsyncIterable<Uint8Array>>;

/**
 * Converts in a thread with limited time and memory. Throws NativeFileError, errors of `supplement`, and errors of the
 * disk.
 */
export const convertNative: ConvertNative = async ({ debug, code, folder, supplement }, { module, signal }) => {
  const path = await named(folder, (code ?? debug)!, module);
  const pair = code !== null && debug !== null ? { counterpart: debug } : {};
  const { size } = await stat((debug ?? code)!);
  const run = (supplementary?: string | null) =>
    convert({ path, folder, ...pair, ...(supplementary !== undefined && { supplementary }) }, size);
  let result = await run();
  if ('needs' in result) result = await run(await supplement(result.needs));
  signal.throwIfAborted();
  if ('unreadable' in result) throw new NativeFileError(`its file can't be converted: ${result.unreadable}`);
  const text = 'texts' in result ? result.texts[0] : undefined;
  if (text === undefined) throw new NativeFileError('its file has no symbols');
  return createReadStream(text);
};

async function convert(input: ConvertInput, size: number): Promise<ConvertResult> {
  try {
    return await convertInThread(input, limitsOf(size));
  } catch (error) {
    if (error instanceof ThreadTimeoutError) throw new NativeFileError('its file takes too long to convert');
    if (error instanceof ThreadCrashError && error.reason === 'memory')
      throw new NativeFileError('its file takes too much memory to convert');
    throw error;
  }
}

/** A path with the name of the module, which is written into the symbols if the file has no name itself. */
async function named(folder: string, path: string, { debugFile, codeFile }: LookupModule): Promise<string> {
  const name = [codeFile, debugFile].find(isSafeName) ?? 'module';
  const own = join(folder, 'named');
  await mkdir(own);
  await symlink(path, join(own, name));
  return join(own, name);
}
