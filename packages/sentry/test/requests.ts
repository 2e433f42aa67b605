// The requests that were recorded from real clients, in a folder next to the repository, and bodies in pieces of any size.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectBody, collectBytes, type Envelope, type FileKind } from '../src/envelope/collect.ts';

const FOLDER = join(import.meta.dirname, '../../../../shared/sentry/requests');

/** The `skip` of a test: false, or the reason for skipping the tests of the requests. */
export const REQUESTS_MISSING = existsSync(FOLDER) ? false : 'skipped: recorded requests not found';

export type Recorded = {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export function readRequest(name: string): Recorded {
  const bytes = readFileSync(join(FOLDER, name));
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = lines.map((line) => {
    const at = line.indexOf(': ');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 2)] as const;
  });
  return {
    name,
    path: first.split(' ')[1] ?? '',
    headers: Object.fromEntries(headers),
    body: bytes.subarray(end + 4),
  };
}

/** The names of all requests. */
export function listRequests(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.req'))
    .sort();
}

export type Expectation = { readonly file: string; readonly contains: string; readonly expect: string };

export function readExpectations(): Expectation[] {
  return JSON.parse(readFileSync(join(FOLDER, 'expect.json'), 'utf8')) as Expectation[];
}

export async function* inPieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array, undefined> {
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) yield bytes.subarray(at, at + Math.max(1, size));
}

export type KeptFile = { readonly kind: FileKind; readonly filename: string; readonly bytes: Buffer };

/** An envelope with its files in memory. */
export async function receive(
  body: AsyncIterable<Uint8Array>,
  encoding?: string,
): Promise<Envelope & { readonly files: readonly KeptFile[] }> {
  const files: KeptFile[] = [];
  const envelope = await collectBody(body, encoding, {
    keepFile: async ({ kind, filename, bytes, maxBytes, isWhole }) => {
      const content = await collectBytes(bytes, maxBytes);
      if (content === null) return 'too_large';
      if (!isWhole() && kind !== 'minidump') return 'unreadable';
      files.push({ kind, filename, bytes: Buffer.from(content) });
      return null;
    },
  });
  return { ...envelope, files };
}

export async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(source));
}
