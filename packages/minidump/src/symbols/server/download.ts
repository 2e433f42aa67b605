// Downloads a symbol file into a folder, where it only appears if it is complete and belongs to the requested module.
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { identifyingCodeId } from '../module-identity.ts';
import { readSymbolFileHead } from '../module-line.ts';

export type DownloadLimits = {
  /** Maximum size of a file after decompression, in bytes. */
  readonly bytes: number;
  /** Timeout if no data arrives. */
  readonly idleMilliseconds: number;
  /** Timeout for the whole download. */
  readonly totalMilliseconds: number;
};

/** Enough bytes for the first line of any symbol file. */
const HEAD_BYTES = 4096;

/**
 * Returns `saved`, or `absent` if the server does not have the file. Throws in all other cases: no connection, another
 * status, or a file that is incomplete, too large or of a module with another id, which is a
 * debug id or a code id. Then no file is left on disk.
 */
export async function downloadSymbols(
  url: URL,
  file: string,
  id: string,
  limits: DownloadLimits,
): Promise<'saved' | 'absent'> {
  const idle = new IdleTimer(limits.idleMilliseconds);
  try {
    const signal = AbortSignal.any([idle.signal, AbortSignal.timeout(limits.totalMilliseconds)]);
    const response = await fetch(url, { signal, headers: { accept: 'text/plain, */*', 'accept-encoding': 'gzip' } });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      if (response.status === 404 || response.status === 410) return 'absent';
      throw new Error(`the server responded with status ${response.status}`);
    }
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    await saveFile(response.body, file, { id, idle, limit: limits.bytes });
    return 'saved';
  } finally {
    idle.stop();
  }
}

type Checks = { readonly id: string; readonly idle: IdleTimer; readonly limit: number };

async function saveFile(body: AsyncIterable<Uint8Array>, file: string, checks: Checks): Promise<void> {
  const temporary = `${file}.${randomUUID()}.part`;
  try {
    const output = openSync(temporary, 'wx', 0o600);
    try {
      await writeAll(output, body, checks);
    } finally {
      closeSync(output);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

async function writeAll(output: number, body: AsyncIterable<Uint8Array>, { id, idle, limit }: Checks) {
  let head: Buffer | undefined = Buffer.alloc(0);
  let size = 0;
  for await (const piece of body) {
    idle.restart();
    size += piece.byteLength;
    if (size > limit) throw new Error(`the file has more than ${limit} bytes`);
    if (head !== undefined) {
      head = Buffer.concat([head, piece]);
      if (head.length >= HEAD_BYTES) head = checkHead(head, id);
    }
    for (let written = 0; written < piece.byteLength; ) written += writeSync(output, piece, written);
  }
  if (head !== undefined) checkHead(head, id);
}

/** Throws for a file that is not a symbol file, such as a login page, or that belongs to another module. */
function checkHead(head: Buffer, id: string): undefined {
  const { debugId, codeId } = readSymbolFileHead(head);
  const code = identifyingCodeId(codeId);
  if (debugId.toLowerCase() !== id.toLowerCase() && (code === '' || code !== identifyingCodeId(id)))
    throw new Error('the file belongs to a module with another id');
}

/** Aborts a signal if it is not restarted in time. */
class IdleTimer {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(milliseconds: number) {
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`no data for ${milliseconds} ms`)), milliseconds);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
