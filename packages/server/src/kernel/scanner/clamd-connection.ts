// One conversation with clamd: a command, the bytes that belong to it, one answer.
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { ScannerUnavailableError } from './scanner.ts';

/** Where clamd listens. */
export type ClamdAddress = { path: string } | { host: string; port: number };

/** Milliseconds. */
export type ClamdTimeouts = {
  connectMs: number;
  /** Longest silence in both directions; a scan is silent, so more than clamd’s MaxScanTime. */
  idleMs: number;
};

export type ClamdConnection = {
  /** clamd’s answer without its NUL. Rejects with ScannerUnavailableError when there will be none. */
  readonly reply: Promise<string>;
  /** Whether `reply` is settled, so that there is no use in sending more. */
  isOver(): boolean;
  /** Sends the buffers as one write, once clamd has taken most of those before. What became of them, `reply` tells. */
  write(...buffers: Uint8Array[]): Promise<void>;
  close(): void;
};

/** An answer is one line; a longer one does not come from clamd. */
const LONGEST_REPLY = 64 * 1024;

/** Connects to clamd. Never throws: `reply` rejects when it cannot be reached. */
export function openClamd(address: ClamdAddress, { connectMs, idleMs }: ClamdTimeouts): ClamdConnection {
  const socket = connect(address);
  socket.setEncoding('latin1');
  socket.setTimeout(connectMs);
  socket.once('connect', () => socket.setTimeout(idleMs));
  socket.on('timeout', () => {
    socket.destroy(
      new Error(socket.connecting ? 'clamd did not take the connection' : 'clamd was silent for too long'),
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
      } else if (received.length > LONGEST_REPLY) socket.destroy(new Error('clamd’s answer has no end'));
    });
    socket.on('error', (error) => {
      cause = error;
    });
    socket.on('close', () => {
      over = true;
      reject(new ScannerUnavailableError(cause?.message ?? 'clamd closed the connection without an answer', { cause }));
    });
  });
  // It is awaited only after everything was sent; a refusal that comes earlier must not count as unhandled.
  reply.catch(() => {});
  // The two writes before: settled when clamd took the bytes, or never will.
  let older = Promise.resolve();
  let newer = Promise.resolve();

  return {
    reply,
    isOver: () => over,
    async write(...buffers) {
      // Two writes are under way, so that clamd finds more to read while the next one is made.
      await older;
      // clamd may answer and close while bytes are still on their way. A write to the closed socket would destroy ours with the
      // answer still unread in it, so what has come in is read first.
      await setImmediate();
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
