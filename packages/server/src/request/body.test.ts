import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { type Body, type BodyOptions, BodyTooLargeError, receiveBody, UnreadableBodyError } from './body.ts';
import { collectBody } from './collect-body.ts';

type Handle = (request: IncomingMessage) => Promise<unknown>;

/** Sends headers, and what `send` writes, to a server that calls `handle`. Settles like `handle`. */
async function serve(handle: Handle, headers: string[], send: (socket: Socket) => void): Promise<unknown> {
  const outcome = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    handle(request).then(outcome.resolve, outcome.reject);
    outcome.promise.then(
      () => response.end(),
      () => response.end(),
    );
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  try {
    socket.write(['POST / HTTP/1.1', 'Host: x', ...headers, '', ''].join('\r\n'));
    send(socket);
    return await outcome.promise;
  } finally {
    socket.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

const receive =
  (read: (body: Body, request: IncomingMessage) => Promise<unknown>, options: Partial<BodyOptions> = {}): Handle =>
  (request) =>
    receiveBody(request, { maxBytes: 1_000_000, idleMs: 5000, ...options }, (body) => read(body, request));

const collect =
  (deadlineMs = 5000): Handle =>
  (request) =>
    new Promise((resolve, reject) => {
      collectBody(request, { maxBytes: 1000, deadlineMs }, (error, bytes) =>
        error === null ? resolve(String(bytes)) : reject(error),
      );
    });

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

const lengthOf = (bytes: Uint8Array) => [`Content-Length: ${bytes.length}`];
/** `once` would reject with the error that an aborted request emits. */
const closed = (request: IncomingMessage) =>
  request.closed || new Promise<void>((resolve) => request.on('close', resolve));

describe('the body of a request', () => {
  test('fails at once if the connection of a whole body closes before it is read', { timeout: 20_000 }, async () => {
    const whole = Buffer.from('whole');
    const late: Handle = async (request) => {
      await closed(request);
      return receive((body) => textOf(body))(request);
    };
    await assert.rejects(
      serve(late, lengthOf(whole), (socket) => {
        socket.write(whole, () => socket.resetAndDestroy());
      }),
      UnreadableBodyError,
    );
  });

  test('that is incomplete keeps its error for the next read', async () => {
    const read = receive(async (body, request) => {
      await closed(request);
      await assert.rejects(textOf(body), UnreadableBodyError);
      await assert.rejects(textOf(body), UnreadableBodyError);
      return 'alive';
    });
    assert.equal(await serve(read, ['Content-Length: 10'], (socket) => socket.end('abc')), 'alive');
  });

  test('that is incomplete after its reader has stopped does not end the process', async () => {
    const read: Handle = async (request) => {
      await assert.rejects(
        receive(async (body) => {
          for await (const _ of body) throw new Error('no room');
        })(request),
        /no room/,
      );
      request.resume();
      await closed(request);
      return 'alive';
    };
    assert.equal(
      await serve(read, ['Content-Length: 10'], (socket) => socket.write('abc', () => socket.resetAndDestroy())),
      'alive',
    );
  });

  test('that does not match its encoding does not end the process if it is never read', async () => {
    const read: Handle = async (request) => {
      await receive(async () => undefined)(request);
      request.resume();
      await once(request, 'end');
      return 'alive';
    };
    const headers = ['Content-Encoding: gzip', 'Content-Length: 3'];
    assert.equal(await serve(read, headers, (socket) => socket.write('abc')), 'alive');
  });

  test('cannot be read any more after its request was handled', async () => {
    let kept: Body | undefined;
    const read = receive(async (body) => {
      kept = body;
    });
    await serve(read, ['Content-Length: 3'], (socket) => socket.write('abc'));
    await assert.rejects(textOf(kept as Body), /after its request had been handled/);
  });

  for (const [encoding, bytes] of [
    ['gzip', gzipSync('hello')],
    ['X-GZIP', gzipSync('hello')],
    ['deflate', deflateSync('hello')],
    ['identity', Buffer.from('hello')],
  ] as const) {
    test(`is decoded if Content-Encoding is ${encoding}`, async () => {
      const headers = [`Content-Encoding: ${encoding}`, ...lengthOf(bytes)];
      assert.equal(await serve(receive(textOf), headers, (socket) => socket.write(bytes)), 'hello');
      assert.equal(await serve(collect(), headers, (socket) => socket.write(bytes)), 'hello');
    });
  }

  for (const [name, encoding, bytes] of [
    ['is not gzip', 'gzip', Buffer.from('hello')],
    ['is truncated gzip', 'gzip', gzipSync('hello').subarray(0, -9)],
    ['has an unknown encoding', 'br', Buffer.from('hello')],
  ] as const) {
    test(`that ${name} is refused`, async () => {
      const headers = [`Content-Encoding: ${encoding}`, ...lengthOf(bytes)];
      await assert.rejects(
        serve(receive(textOf), headers, (socket) => socket.write(bytes)),
        UnreadableBodyError,
      );
      await assert.rejects(
        serve(collect(), headers, (socket) => socket.write(bytes)),
        UnreadableBodyError,
      );
    });
  }

  test('is limited by its decoded size', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const headers = ['Content-Encoding: gzip', ...lengthOf(bomb)];
    await assert.rejects(
      serve(receive(textOf), headers, (socket) => socket.write(bomb)),
      BodyTooLargeError,
    );
    await assert.rejects(
      serve(collect(), headers, (socket) => socket.write(bomb)),
      BodyTooLargeError,
    );
  });

  test('without Content-Length is limited while it arrives', async () => {
    const chunk = `400\r\n${'x'.repeat(1024)}\r\n`;
    await assert.rejects(
      serve(collect(), ['Transfer-Encoding: chunked'], (socket) => socket.write(chunk)),
      BodyTooLargeError,
    );
  });

  test('that stops arriving, or arrives byte by byte, is rejected', async () => {
    const idle = receive(textOf, { idleMs: 100 });
    await assert.rejects(
      serve(idle, ['Content-Length: 9'], (socket) => socket.write('abc')),
      /did not arrive in time/,
    );
    let drip: NodeJS.Timeout | undefined;
    const dripping = (socket: Socket) => {
      drip = setInterval(() => socket.write('x'), 5);
    };
    try {
      await assert.rejects(serve(idle, ['Content-Length: 9999'], dripping), /did not arrive in time/);
      clearInterval(drip);
      await assert.rejects(serve(collect(100), ['Content-Length: 999'], dripping), /did not arrive in time/);
    } finally {
      clearInterval(drip);
    }
  });

  test('does not count as idle while its reader is slow', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const read = receive(
      async (body) => {
        let size = 0;
        for await (const bytes of body) {
          size += bytes.length;
          t.mock.timers.tick(51);
        }
        return size;
      },
      { idleMs: 50 },
    );
    const bytes = Buffer.alloc(900_000);
    assert.equal(await serve(read, lengthOf(bytes), (socket) => socket.write(bytes)), bytes.length);
  });

  test('rejects with the reason of its signal', async () => {
    const stop = new AbortController();
    const read = receive(textOf, { signal: stop.signal });
    const reading = serve(read, ['Content-Length: 9'], () => stop.abort(new Error('taken over')));
    await assert.rejects(reading, /taken over/);
  });

  test('is rejected if it is incomplete when it is collected', async () => {
    await assert.rejects(
      serve(collect(), ['Content-Length: 9'], (socket) => socket.end('abc')),
      UnreadableBodyError,
    );
  });
});
