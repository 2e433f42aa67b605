import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, test } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import { type FormOptions, readForm } from './form.ts';

type OnFile = FormOptions['onFile'];
type Outcome = { fields?: Readonly<Record<string, string>>; error?: unknown };

/** Sends `body` to a server that reads it as a form with at most three files, and returns the result. */
async function read(body: FormData | Buffer, onFile: OnFile, { cut = false } = {}): Promise<Outcome> {
  const outcome = Promise.withResolvers<Outcome>();
  const server = createServer((request: IncomingMessage, response) => {
    const caller = { raw: request, checkAccess: async () => undefined };
    readForm({ config: { uploadIdleSeconds: 5 } }, caller, {
      onFile,
      maxBytes: 100_000_000,
      maxFiles: 3,
      invalid: 4150,
    }).then(
      (fields) => outcome.resolve({ fields: { ...fields } }),
      (error) => outcome.resolve({ error }),
    );
    outcome.promise.then(() => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await send((server.address() as AddressInfo).port, body, cut);
    return await outcome.promise;
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

async function send(port: number, body: FormData | Buffer, cut: boolean): Promise<void> {
  if (body instanceof FormData) {
    // The result is resolved separately, because the connection can close first.
    await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body }).catch(() => undefined);
    return;
  }
  const socket = connect(port, '127.0.0.1');
  socket.write(
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=B\r\nContent-Length: 1000000\r\n\r\n',
  );
  socket.write(body, () => cut && socket.destroy());
  await once(socket, 'close');
}

function formOf(files: readonly Buffer[]): FormData {
  const form = new FormData();
  for (const [index, bytes] of files.entries()) {
    form.append(`before-${index}`, 'x');
    form.append('file', new Blob([bytes as Buffer<ArrayBuffer>]), `${index}.bin`);
  }
  form.append('last', 'y');
  return form;
}

async function sizeOf(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const piece of bytes) size += piece.length;
  return size;
}

function assertRefused({ error }: Outcome, message: RegExp): void {
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.code, 4150);
  assert.match(error.message, message);
}

describe('a form of several files', () => {
  for (const size of [0, 10, 3_000_000]) {
    test(`passes on files of ${size} bytes one at a time and in order, with the fields before each`, async () => {
      const seen: string[] = [];
      let running = 0;
      const { fields } = await read(
        formOf([size, size + 1, size + 2].map((bytes) => Buffer.alloc(bytes))),
        async (part, before) => {
          running += 1;
          assert.equal(running, 1);
          const hasFieldBefore = `before-${seen.length}` in before;
          seen.push(`${part.filename} ${await sizeOf(part.bytes)} ${hasFieldBefore}`);
          running -= 1;
        },
      );
      assert.deepEqual(fields, { 'before-0': 'x', 'before-1': 'x', 'before-2': 'x', last: 'y' });
      assert.deepEqual(
        seen,
        [0, 1, 2].map((index) => `${index}.bin ${size + index} true`),
      );
    });
  }

  test('is refused if it has too many files', async () => {
    const outcome = await read(formOf(Array.from({ length: 4 }, () => Buffer.alloc(5))), async ({ bytes }) => {
      await sizeOf(bytes);
    });
    assertRefused(outcome, /send 1 to 3 file parts, each named file/);
  });

  test('rejects with the error of a file that cannot be stored, and does not store later files', async () => {
    const stored: string[] = [];
    const { error } = await read(formOf([1, 2, 3].map((bytes) => Buffer.alloc(bytes))), async ({ filename, bytes }) => {
      await sizeOf(bytes);
      if (filename === '1.bin') throw new Error('the disk is full');
      stored.push(filename);
    });
    assert.match(String(error), /the disk is full/);
    assert.deepEqual(stored, ['0.bin']);
  });

  test('that is incomplete is refused only after all storing has ended', async () => {
    const part = '--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
    let ended = false;
    const outcome = await read(
      Buffer.from(`${part}first\r\n${part}second, which has no end`),
      async ({ bytes }) => {
        try {
          await sizeOf(bytes);
        } finally {
          await new Promise(setImmediate);
          ended = true;
        }
      },
      { cut: true },
    );
    assertRefused(outcome, /The connection closed before the whole body had arrived/);
    assert.ok(ended);
  });
});
