// Converts the native files of debuginfod and Microsoft's symbol servers to the text of a symbol file. This version has
// no converter, so config.ts offers only servers with symbol files (OFFERED_KINDS).
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
 * Returns the text. Throws NativeFileError, also while the text is read, and errors of `supplement`. Hostile files take
 * bounded time and memory.
 */
export const convertNative: ConvertNative = async () => {
  throw new NativeFileError('its native files are not converted in this version');
};
