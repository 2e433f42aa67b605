// One exchange with clamd: a command, the bytes that belong to it, and one reply.
import { Socket } from 'node:net';
import { ScannerUnavailableError, type ScannerVersion, type ScanVerdict } from './scanner.ts';

/** The address of clamd. */
export type ClamdAddress = { path: string } | { host: string; port: number };

/** Milliseconds. */
export type ClamdTimeouts = {
  connectMs: number;
  /** The longest silence in both directions. A scan is silent, so this is more than clamd's MaxScanTime. */
  idleMs: number;
};

export type ClamdConnection = {
  /** The reply of clamd without its NUL. Rejects with ScannerUnavailableError if there will be none. */
  readonly reply: Promise<string>;
  /** Whether `reply` has settled, so that sending more is pointless. */
  isOver(): boolean;
  /** Sends the buffers as one write, once clamd has accepted most of the previous ones. `reply` reports the outcome. */
  write(...buffers: Uint8Array[]): Promise<void>;
  close(): void;
};

/** A reply is one line. A longer one does not come from clamd. */
const MAX_REPLY_LENGTH = 64 * 1024;

/** Connects to clamd. Never throws: `reply` rejects if clamd cannot be reached. */
export function openClamd(address: ClamdAddress, { connectMs, idleMs }: ClamdTimeouts): ClamdConnection {
  const socket = new ClamdSocket().connect(address);
  socket.setEncoding('latin1');
  socket.setTimeout(connectMs);
  socket.once('connect', () => socket.setTimeout(idleMs));
  socket.on('timeout', () => {
    socket.destroy(
      new Error(socket.connecting ? 'clamd did not accept the connection' : 'clamd was silent for too long'),
    );
  });

  let over = false;
  const reply = new Promise<string>((resolve, reject) => {
    let received = '';
    let cause: Error | undefined;
    socket.on('data', (text: string) => {
      received += text;
      const end = received.indexOf('\0');
      if (end >= 0) {
        over = true;
        resolve(received.slice(0, end));
      } else if (received.length > MAX_REPLY_LENGTH) socket.destroy(new Error('the reply of clamd is too long'));
    });
    socket.on('error', (error) => {
      cause = error;
    });
    socket.on('close', () => {
      over = true;
      reject(new ScannerUnavailableError(cause?.message ?? 'clamd closed the connection without a reply', { cause }));
    });
  });
  // Awaited only after everything was sent; an earlier refusal must not count as unhandled.
  reply.catch(() => {});
  // The previous two writes: settled when clamd has accepted the bytes, or never will.
  let older = Promise.resolve();
  let newer = Promise.resolve();

  return {
    reply,
    isOver: () => over,
    async write(...buffers) {
      // Two writes are in progress, so that clamd finds more to read while the next one is prepared.
      await older;
      if (over) return;
      older = newer;
      newer = new Promise<void>((resolve) => {
        socket.cork();
        for (const buffer of buffers.slice(0, -1)) socket.write(buffer);
        socket.write(buffers.at(-1) ?? '', () => resolve());
        socket.uncork();
      });
    },
    close: () => socket.destroy(),
  };
}

/**
 * A socket whose failed writes wait until everything that clamd sent has been read. clamd may reply and close the
 * connection while we are still writing; the error of that write would otherwise destroy the socket with the reply
 * still unread.
 */
class ClamdSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, callback: WriteCallback): void {
    super._write(chunk, encoding, (error) => this.#settle(callback, error));
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], callback: WriteCallback): void {
    super._writev?.(chunks, (error) => this.#settle(callback, error));
  }

  #settle(callback: WriteCallback, error?: Error | null): void {
    const settle = () => {
      this.off('end', settle).off('close', settle);
      callback(error);
    };
    if (!error || this.readableEnded || this.destroyed) settle();
    else this.on('end', settle).on('close', settle);
  }
}

type WriteCallback = (error?: Error | null) => void;

/**
 * Findings that mean "not scanned". clamd reports them like viruses if AlertExceedsMax or AlertEncrypted is on.
 * Examples: `Heuristics.Limits.Exceeded.MaxFileSize`, `Heuristics.Encrypted.Zip`.
 */
const NOT_LOOKED_AT = /^Heuristics\.(Limits\.Exceeded|Encrypted)\b/;

/**
 * The verdict in a reply to INSTREAM: `stream: OK`, `stream: <signature> FOUND`, `INSTREAM size limit exceeded. ERROR`.
 * Throws ScannerUnavailableError for any other reply, such as a full disk or too little memory, which say nothing about
 * the file.
 */
export function readVerdict(reply: string): ScanVerdict {
  if (reply === 'stream: OK') return { result: 'clean' };
  const signature = /^stream: (.+) FOUND$/.exec(reply)?.[1];
  if (signature !== undefined) {
    return NOT_LOOKED_AT.test(signature)
      ? { result: 'not-scanned', reason: signature }
      : { result: 'infected', signature };
  }
  if (reply.startsWith('INSTREAM size limit exceeded')) {
    return { result: 'not-scanned', reason: 'longer than clamd’s StreamMaxLength' };
  }
  throw new ScannerUnavailableError(`clamd could not scan: ${reply.slice(0, 200)}`);
}

/**
 * The parts of a reply to VERSION: `ClamAV 1.4.3/27800/Thu Nov 20 09:31:43 2026`, or only `ClamAV 1.4.3` if the
 * signatures have no version, such as those of a hand-written database.
 */
export function readVersion(reply: string): ScannerVersion {
  const [engine, number, date] = reply.split('/');
  if (engine === undefined || !engine.startsWith('ClamAV')) {
    throw new ScannerUnavailableError(`clamd sent an unknown version: ${reply.slice(0, 200)}`);
  }
  if (!number) return { engine, signatures: null };
  const day = readDay(date ?? '');
  return { engine, signatures: day === null ? number : `${number} (${day})` };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns the day of a date in the format of asctime(3), such as `2026-11-20`; null for anything else. */
function readDay(date: string): string | null {
  const [, month = '', day = '', year = ''] = /^\w{3} (\w{3}) +(\d{1,2}) [\d:]+ (\d{4})$/.exec(date) ?? [];
  if (!MONTHS.includes(month)) return null;
  return [year, String(MONTHS.indexOf(month) + 1).padStart(2, '0'), day.padStart(2, '0')].join('-');
}
