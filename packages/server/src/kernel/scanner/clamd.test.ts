import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import {
  CLAMD_STREAM_LIMIT,
  EICAR,
  EICAR_SIGNATURE,
  NO_CLAMD,
  openScanner,
  type RunningClamd,
  startClamd,
} from '../../../test/setup/clamd.ts';
import { buildZip } from '../../../test/setup/zips.ts';
import { createClamdScanner, parseClamdAddress } from './clamd.ts';
import { ScannerUnavailableError } from './scanner.ts';

const MIB = 1024 * 1024;

async function* sourceOf(...buffers: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* buffers;
}

/** An endless source of zeros, and the number of bytes that were read from it. */
function endless(): { source: AsyncIterable<Uint8Array>; taken: () => number } {
  let taken = 0;
  async function* produce() {
    for (const buffer = Buffer.alloc(64 * 1024); ; taken += buffer.length) yield buffer;
  }
  return { source: produce(), taken: () => taken };
}

describe('parseClamdAddress', () => {
  it('reads the path of a socket, a host with a port, and an IPv6 address', () => {
    assert.deepEqual(parseClamdAddress('unix:/run/clamd.ctl'), { path: '/run/clamd.ctl' });
    assert.deepEqual(parseClamdAddress('scanner:3310'), { host: 'scanner', port: 3310 });
    assert.deepEqual(parseClamdAddress('[::1]:3310'), { host: '::1', port: 3310 });
  });

  it('rejects anything else with an example', () => {
    for (const text of [
      '',
      'scanner',
      'scanner:0',
      'scanner:65536',
      'unix:run/clamd',
      'http://scanner:3310',
      '::1:3310',
    ]) {
      assert.throws(() => parseClamdAddress(text), /Write it like/);
    }
  });
});

describe('a scan by clamd', () => {
  let clamd: RunningClamd | null = null;
  before(async () => {
    clamd = await startClamd();
  });
  after(() => clamd?.stop());

  const open = (t: TestContext, streamLimit?: number) => openScanner(t, clamd, streamLimit);

  it('returns its version', async (t) => {
    const scanner = open(t);
    if (scanner) assert.match((await scanner.version()).engine, /^ClamAV \d/);
  });

  it('finds nothing in harmless bytes and in an empty stream', async (t) => {
    const scanner = open(t);
    if (!scanner) return;
    assert.deepEqual(await scanner.scan(sourceOf(Buffer.from('a game'), Buffer.alloc(0))), { result: 'clean' });
    assert.deepEqual(await scanner.scan(sourceOf()), { result: 'clean' });
  });

  it('finds the test virus in one buffer, in single bytes and in a zip', async (t) => {
    const scanner = open(t);
    if (!scanner) return;
    const infected = { result: 'infected', signature: EICAR_SIGNATURE };
    assert.deepEqual(await scanner.scan(sourceOf(EICAR)), infected);
    assert.deepEqual(await scanner.scan(sourceOf(...Array.from(EICAR, (byte) => Uint8Array.of(byte)))), infected);
    assert.deepEqual(await scanner.scan(sourceOf(buildZip([{ name: 'a.com', data: EICAR, method: 8 }]))), infected);
  });

  it('scans a stream of exactly its limit', async (t) => {
    const scanner = open(t);
    if (!scanner) return;
    const full = Buffer.alloc(CLAMD_STREAM_LIMIT);
    EICAR.copy(full, full.length - EICAR.length);
    assert.equal((await scanner.scan(sourceOf(full))).result, 'infected');
  });

  it('returns not-scanned and stops reading if the stream exceeds its own limit', async (t) => {
    const scanner = open(t, MIB);
    if (!scanner) return;
    const { source, taken } = endless();
    assert.equal((await scanner.scan(source)).result, 'not-scanned');
    assert.ok(taken() <= 2 * MIB);
  });

  it('reads the reply of a clamd that refuses a long stream and closes the connection', async (t) => {
    const scanner = open(t, 2000 * MIB);
    if (!scanner) return;
    const { source, taken } = endless();
    assert.deepEqual(await scanner.scan(source), {
      result: 'not-scanned',
      reason: 'longer than clamd’s StreamMaxLength',
    });
    assert.ok(taken() < 4 * CLAMD_STREAM_LIMIT);
  });

  it('reads a reply that arrives with the end of the connection just before a write', async () => {
    // The server runs in a thread, so that it can reply and close while this one waits without reading.
    const closed = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(REFUSING_SERVER, { eval: true, workerData: closed });
    try {
      const [port] = await once(worker, 'message');
      const scanner = createClamdScanner({ address: `127.0.0.1:${port}`, streamLimit: 100 * MIB });
      async function* source() {
        yield Buffer.alloc(MIB);
        // Also before a write that first lets other work run.
        setImmediate(() => Atomics.wait(closed, 0, 0, 10_000));
        yield Buffer.alloc(MIB);
        Atomics.wait(closed, 0, 0, 10_000);
        for (let count = 0; count < 20; count++) yield Buffer.alloc(MIB);
      }
      assert.equal((await scanner.scan(source())).result, 'not-scanned');
    } finally {
      await worker.terminate();
    }
  });

  it('returns not-scanned for an encrypted archive', async (t) => {
    const scanner = open(t);
    if (!scanner) return;
    const locked = buildZip([{ name: 'a.txt', data: 'x'.repeat(64), flags: 1 }]);
    assert.equal((await scanner.scan(sourceOf(locked))).result, 'not-scanned');
  });

  it('passes on an error of the source', async (t) => {
    const scanner = open(t);
    if (!scanner) return;
    const broken = new Error('the disk is gone');
    async function* source() {
      yield Buffer.alloc(MIB);
      throw broken;
    }
    await assert.rejects(scanner.scan(source()), (error) => error === broken);
  });

  it('scans many streams at once', async (t) => {
    const scanner = open(t);
    if (!scanner) return;
    const streams = Array.from({ length: 30 }, (_, index) =>
      scanner.scan(sourceOf(index % 3 === 0 ? EICAR : Buffer.alloc(9))),
    );
    const infected = (await Promise.all(streams)).filter(({ result }) => result === 'infected');
    assert.equal(infected.length, 10);
  });
});

describe('an unreachable scanner', () => {
  it('is unavailable if nothing is listening', async () => {
    const scanner = createClamdScanner({ address: 'unix:/nowhere/clamd.ctl', streamLimit: MIB });
    await assert.rejects(scanner.scan(sourceOf(EICAR)), ScannerUnavailableError);
    await assert.rejects(scanner.version(), ScannerUnavailableError);
    await assert.rejects(scanner.ping(), ScannerUnavailableError);
  });

  it('is unavailable if clamd is killed during a stream', async (t) => {
    const clamd = await startClamd();
    if (clamd === null) return t.skip(NO_CLAMD);
    try {
      const scanner = createClamdScanner({ address: clamd.address, streamLimit: CLAMD_STREAM_LIMIT });
      async function* source() {
        yield Buffer.alloc(MIB);
        await clamd?.kill();
        for (let count = 0; count < 20; count++) yield Buffer.alloc(MIB);
      }
      await assert.rejects(scanner.scan(source()), ScannerUnavailableError);
    } finally {
      await clamd.stop();
    }
  });

  it('is unavailable if it is silent, does not read, or sends an endless reply', async () => {
    const behaviours: ((socket: Socket) => void)[] = [
      (socket) => socket.resume(),
      (socket) => socket.pause(),
      (socket) => socket.write('x'.repeat(100_000)),
      (socket) => socket.end(),
      (socket) => socket.resetAndDestroy(),
    ];
    for (const behave of behaviours) {
      const { server, sockets } = await listen(behave);
      const { port } = server.address() as { port: number };
      const timeouts = { connectMs: 2000, idleMs: 200 };
      const scanner = createClamdScanner({ address: `127.0.0.1:${port}`, streamLimit: 100 * MIB, timeouts });
      try {
        await assert.rejects(scanner.scan(sourceOf(...Array(64).fill(Buffer.alloc(MIB)))), ScannerUnavailableError);
      } finally {
        for (const socket of sockets) socket.destroy();
        server.close();
        await once(server, 'close');
      }
    }
  });
});

/** A server that refuses a stream as clamd does: it replies and closes the connection without reading the rest. */
const REFUSING_SERVER = `
const { createServer } = require('node:net');
const { parentPort, workerData: closed } = require('node:worker_threads');
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('close', () => {
    Atomics.store(closed, 0, 1);
    Atomics.notify(closed, 0);
  });
  socket.once('data', () => {
    socket.pause();
    socket.write('INSTREAM size limit exceeded. ERROR\\0', () => socket.destroy());
  });
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** A server that imitates a broken clamd. */
async function listen(behave: (socket: Socket) => void): Promise<{ server: Server; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    behave(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, sockets };
}
