// Scans streams with ClamAV's clamd over its socket (clamd(8), COMMANDS: zINSTREAM, zVERSION, zPING).
import {
  type ClamdAddress,
  type ClamdConnection,
  type ClamdTimeouts,
  openClamd,
  readVerdict,
  readVersion,
} from './clamd-connection.ts';
import { type Scanner, ScannerUnavailableError, type ScanVerdict } from './scanner.ts';

export type ClamdSettings = {
  /** The value of CHAUFFEUR_CLAMD: `unix:/path` or `host:port`. */
  address: string;
  /** The largest stream in bytes; at most the smallest of clamd's StreamMaxLength, MaxFileSize and MaxScanSize. */
  streamLimit: number;
  timeouts?: Partial<ClamdTimeouts>;
};

export type ClamdScanner = Scanner & {
  /** Rejects with ScannerUnavailableError if clamd does not respond. */
  ping(): Promise<void>;
};

/** clamd's own MaxScanTime is two minutes. */
const TIMEOUTS: ClamdTimeouts = { connectMs: 5_000, idleMs: 150_000 };

/** clamd replies OK to a stream over 2 GiB without having scanned it. */
const LARGEST_STREAM = 2 ** 31 - 1;

/** The size of a chunk in bytes. Smaller chunks cost both sides more round trips; larger ones, memory. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Creates a scanner that uses one connection to clamd per stream, and none between calls. Throws an Error if `address`
 * is invalid. The buffers of a scanned source must not be changed after they are passed on.
 */
export function createClamdScanner(settings: ClamdSettings): ClamdScanner {
  const address = parseClamdAddress(settings.address);
  const timeouts = { ...TIMEOUTS, ...settings.timeouts };
  const streamLimit = Math.min(settings.streamLimit, LARGEST_STREAM);

  async function converse<T>(command: string, talk: (connection: ClamdConnection) => Promise<T>): Promise<T> {
    const connection = openClamd(address, timeouts);
    try {
      await connection.write(Buffer.from(`z${command}\0`));
      return await talk(connection);
    } finally {
      connection.close();
    }
  }

  return {
    streamLimit,
    scan: (source) => converse('INSTREAM', (connection) => scanStream(connection, source, streamLimit)),
    version: () => converse('VERSION', async ({ reply }) => readVersion(await reply)),
    ping: () =>
      converse('PING', async ({ reply }) => {
        const answer = await reply;
        if (answer !== 'PONG')
          throw new ScannerUnavailableError(`clamd replied to a ping with ${answer.slice(0, 200)}`);
      }),
  };
}

/**
 * Parses CHAUFFEUR_CLAMD: `unix:/path`, `host:port` or `[IPv6]:port`. Throws an Error that names the problem and how
 * to fix it.
 */
export function parseClamdAddress(text: string): ClamdAddress {
  if (text.startsWith('unix:/')) return { path: text.slice('unix:'.length) };
  const [, ipv6, name, digits] = /^(?:\[([\da-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = Number(digits);
  if (host === undefined || !(port >= 1 && port <= 65_535)) {
    throw new Error(
      'CHAUFFEUR_CLAMD is not a valid address. Write it like unix:/run/clamav/clamd.ctl or localhost:3310',
    );
  }
  return { host, port };
}

async function scanStream(
  connection: ClamdConnection,
  source: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<ScanVerdict> {
  const fits = await sendStream(connection, source, limit);
  if (!fits) return { result: 'not-scanned', reason: `longer than the stream limit of ${limit} bytes` };
  return readVerdict(await connection.reply);
}

/**
 * Sends `source` in chunks, each with its length (32 bits, big-endian), ended by a length of zero. Stops when clamd has
 * replied or is gone. Returns false, without sending the end, if the source is longer than `limit`.
 */
async function sendStream(
  connection: ClamdConnection,
  source: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<boolean> {
  let sent = 0;
  for await (const chunk of chunksOf(source)) {
    if (connection.isOver()) return true;
    const length = lengthOf(chunk);
    sent += length;
    if (sent > limit) return false;
    await connection.write(encodeLength(length), ...chunk);
  }
  await connection.write(encodeLength(0));
  return true;
}

/** Regroups the bytes of `source` into chunks of CHUNK_BYTES, each as a list of buffers; the last may be smaller. */
async function* chunksOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array[], undefined> {
  let chunk: Uint8Array[] = [];
  let room = CHUNK_BYTES;
  for await (const buffer of source) {
    for (let rest = buffer; rest.length > 0; ) {
      const part = rest.subarray(0, room);
      rest = rest.subarray(part.length);
      chunk.push(part);
      room -= part.length;
      if (room > 0) break;
      yield chunk;
      chunk = [];
      room = CHUNK_BYTES;
    }
  }
  if (chunk.length > 0) yield chunk;
}

function lengthOf(chunk: readonly Uint8Array[]): number {
  return chunk.reduce((sum, buffer) => sum + buffer.length, 0);
}

function encodeLength(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}
