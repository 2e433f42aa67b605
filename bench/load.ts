// Sends one request over and over on kept connections, each when the answer to the one before is there. It is a program of its own, so
// that it shares no processor time with a bench’s other work: it reads a Load as JSON from its first argument, and prints a LoadResult.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type Load = {
  host: string;
  port: number;
  /** Head and body, as they are. */
  request: string;
  connections: number;
  /** Time before the measured one, in which everything gets warm. */
  warmSeconds: number;
  seconds: number;
  /** Status of a good answer. */
  status: number;
};

export type LoadResult = { rate: number; p50Ms: number; p95Ms: number; failures: number };

const load: Load = JSON.parse(process.argv[2] ?? 'null');
const times: number[] = [];
let failures = 0;
const begin = performance.now() + load.warmSeconds * 1000;
const end = begin + load.seconds * 1000;

const sockets = await Promise.all(Array.from({ length: load.connections }, open));
await Promise.all(sockets.map(sendOn));
for (const socket of sockets) socket.destroy();
times.sort((a, b) => a - b);
const result: LoadResult = {
  rate: times.length / load.seconds,
  p50Ms: times[Math.floor(times.length * 0.5)] ?? Number.NaN,
  p95Ms: times[Math.floor(times.length * 0.95)] ?? Number.NaN,
  failures,
};
process.stdout.write(JSON.stringify(result));

async function open(): Promise<Socket> {
  const socket = connect(load.port, load.host);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the time is over and the last answer is there. */
function sendOn(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = Buffer.from(load.request);
  let received = '';
  let sentAt = 0;
  const send = () => {
    sentAt = performance.now();
    socket.write(request);
  };
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the server closed a kept connection')));
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    if (!isWhole(received)) return;
    const now = performance.now();
    if (Number(received.slice(9, 12)) !== load.status) failures += 1;
    else if (sentAt >= begin && now <= end) times.push(now - sentAt);
    received = '';
    if (now < end) send();
    else {
      socket.removeAllListeners('close');
      resolve();
    }
  });
  send();
  return promise;
}

function isWhole(answer: string): boolean {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, headEnd))?.[1];
  if (length === undefined) throw new Error('the answer has no length');
  return answer.length >= headEnd + 4 + Number(length);
}
