// Sends a request repeatedly on persistent connections, each time after the previous response. It is a separate
// program, so that it does not share a thread with a benchmark's other work: it reads a Load as JSON from its first
// argument and prints a LoadResult. A response with another status ends it with an error.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type Load = {
  host: string;
  port: number;
  /** Headers and body. Each run of `@` is replaced by the number of the request, padded with zeros. */
  request: string;
  connections: number;
  /** Warm-up time before the measurement. */
  warmSeconds: number;
  seconds: number;
  /** The status of a successful response. */
  status: number;
  /** The number of the first request; 0 by default. */
  firstNo?: number;
  /** The number after which requests start again with 0; never by default. */
  numbers?: number;
};

export type LoadResult = { rate: number; p50Ms: number; p95Ms: number; p99Ms: number; sent: number };

const load: Load = JSON.parse(process.argv[2] ?? 'null');
const times: number[] = [];
let sent = load.firstNo ?? 0;
const begin = performance.now() + load.warmSeconds * 1000;
const end = begin + load.seconds * 1000;

const sockets = await Promise.all(Array.from({ length: load.connections }, open));
await Promise.all(sockets.map(sendRequests));
for (const socket of sockets) socket.destroy();
times.sort((a, b) => a - b);
const result: LoadResult = {
  rate: times.length / load.seconds,
  p50Ms: times[Math.floor(times.length * 0.5)] ?? Number.NaN,
  p95Ms: times[Math.floor(times.length * 0.95)] ?? Number.NaN,
  p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
  sent,
};
process.stdout.write(JSON.stringify(result));

async function open(): Promise<Socket> {
  const socket = connect(load.port, load.host);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

/**
 * Resolves when the time is over and the last response has arrived. All responses have the same length, which is read
 * from the first one. After that, bytes are only counted, so that the client uses as little CPU time as possible.
 */
function sendRequests(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = Buffer.from(load.request);
  const places = [...load.request.matchAll(/@{4,}/g)].map(({ index, 0: run }) => [index, run.length] as const);
  let length = 0;
  let received = 0;
  let sentAt = 0;
  const send = () => {
    received = 0;
    const no = load.numbers === undefined ? sent : sent % load.numbers;
    sent += 1;
    for (const [at, digits] of places) request.write(String(no).padStart(digits, '0').slice(-digits), at, 'latin1');
    sentAt = performance.now();
    // The next number is only written after the response to this request.
    socket.write(request);
  };
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the server closed a persistent connection')));
  socket.on('data', (bytes: Buffer) => {
    if (received === 0 && !hasStatus(bytes)) return reject(new Error(`unexpected response: ${bytes}`));
    // Most responses have the same length, and arrive at once.
    if (received === 0 && bytes.length !== length) length = lengthOf(bytes);
    received += bytes.length;
    if (received < length) return;
    const now = performance.now();
    if (sentAt >= begin && now <= end) times.push(now - sentAt);
    if (now < end) return send();
    socket.removeAllListeners('close');
    resolve();
  });
  send();
  return promise;
}

/** In `HTTP/1.1 200`, the status starts at byte 9. */
function hasStatus(response: Buffer): boolean {
  return response.toString('latin1', 9, 12) === String(load.status);
}

function lengthOf(response: Buffer): number {
  const head = response.toString('latin1').split('\r\n\r\n', 1)[0] ?? '';
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error('the response has no Content-Length');
  return head.length + 4 + Number(length);
}
