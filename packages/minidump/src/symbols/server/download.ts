// Downloads one symbol file into a folder, where it appears only when it is whole and of the module that was asked for.
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { readModuleLine } from '../module-line.ts';

export type DownloadLimits = {
  /** Bytes of one file, unpacked. */
  readonly bytes: number;
  /** Without a byte for so long a download is given up. */
  readonly idleMilliseconds: number;
  /** For one download as a whole. */
  readonly totalMilliseconds: number;
};

/** The first line of a symbol file is within them. */
const HEAD_BYTES = 4096;

/**
 * `saved`, or `absent` when the server says that it has no such file. Throws for everything else: no connection, another status, a
 * file that breaks off, is too large, or is not of the module with `debugId`. Then nothing is left on the disk.
 */
export async function downloadSymbols(
  url: URL,
  file: string,
  debugId: string,
  limits: DownloadLimits,
): Promise<'saved' | 'absent'> {
  const idle = new IdleTimer(limits.idleMilliseconds);
  try {
    const signal = AbortSignal.any([idle.signal, AbortSignal.timeout(limits.totalMilliseconds)]);
    const response = await fetch(url, { signal, headers: { accept: 'text/plain, */*', 'accept-encoding': 'gzip' } });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      if (response.status === 404 || response.status === 410) return 'absent';
      throw new Error(`the server answered ${response.status}`);
    }
    mkdirSync(dirname(file), { recursive: true });
    await saveWhole(response.body, file, { debugId, idle, limit: limits.bytes });
    return 'saved';
  } finally {
    idle.stop();
  }
}

type Expected = { readonly debugId: string; readonly idle: IdleTimer; readonly limit: number };

async function saveWhole(body: AsyncIterable<Uint8Array>, file: string, expected: Expected): Promise<void> {
  const temporary = `${file}.${randomUUID()}.part`;
  try {
    const output = openSync(temporary, 'wx', 0o600);
    try {
      await writeAll(output, body, expected);
    } finally {
      closeSync(output);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

async function writeAll(output: number, body: AsyncIterable<Uint8Array>, { debugId, idle, limit }: Expected) {
  let head: Buffer | undefined = Buffer.alloc(0);
  let size = 0;
  for await (const piece of body) {
    idle.restart();
    size += piece.byteLength;
    if (size > limit) throw new Error(`the file has more than ${limit} bytes`);
    if (head !== undefined) {
      head = Buffer.concat([head, piece]);
      if (head.length >= HEAD_BYTES) head = checkHead(head, debugId);
    }
    for (let written = 0; written < piece.byteLength; ) written += writeSync(output, piece, written);
  }
  if (head !== undefined) checkHead(head, debugId);
}

/** A page that asks for a password is no symbol file, and a server may have filed one in the wrong place. */
function checkHead(head: Buffer, debugId: string): undefined {
  if (readModuleLine(head).debugId.toLowerCase() !== debugId.toLowerCase())
    throw new Error('the file is of a module with another debug id');
}

/** Aborts when nothing happened for a while. */
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
