// Unreadable upload forms, byte by byte on the real server: each is refused with 4037 and a reason, and leaves nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { leftoversOf } from './setup/leftovers.ts';
import { beginRequest, fieldPart, filePart, multipartOf, type Part, readResponse, sendRaw } from './setup/raw.ts';
import { assertRefused } from './setup/refusal.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { register, sha256, smallZip } from './setup/uploads.ts';

const FORM_TYPE = 'multipart/form-data; boundary=B';
const zip = smallZip();
let server: TestServer;
let game: TestGame;
let fields: Part[];

before(async () => {
  server = await startServer({
    role: 'api',
    env: { CHAUFFEUR_LIMIT_UPLOADS: '0', CHAUFFEUR_UPLOAD_IDLE_SECONDS: '1' },
  });
  game = await makeGame(server);
  fields = await fieldsOf(game);
});
after(() => server.stop());

async function fieldsOf(game: TestGame): Promise<Part[]> {
  const values = { build_id: await register(server, game), os: 'linux', arch: 'x86_64', channel: 'stable' };
  return Object.entries({ ...values, checksum: sha256(zip) }).map(([name, value]) => fieldPart(name, value));
}

type Sent = { type?: string; length?: number | null; endAfter?: boolean };

/** Sends a body with its true length, with `length` instead if given, or without a length if null. */
function send(body: Buffer, { type = FORM_TYPE, length = body.length, endAfter = false }: Sent = {}) {
  return sendRaw(server, requestOf(body, type, length), { endAfter });
}

function requestOf(body: Buffer, type: string, length: number | null) {
  const headers = Object.entries({
    ...game.keyHeaders,
    ...(type !== '' && { 'Content-Type': type }),
    ...(length === null ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(length) }),
  });
  return { method: 'POST', path: '/api/v1/tool/upload/files', headers, body };
}

async function refuses(body: Buffer, message: RegExp, sent: Sent = {}) {
  await assertRefused(server, game, await send(body, sent), 4037, message);
}

/** The chunks of a body (RFC 9112, 7.1), including the empty last one. */
function chunked(...chunks: Uint8Array[]): Buffer {
  const pieces = chunks.flatMap((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n']);
  return Buffer.concat([...pieces, '0\r\n\r\n'].map((piece) => Buffer.from(piece as string)));
}

test('a complete form passes on the same path', async () => {
  const other = await makeGame(server);
  const form = multipartOf([...(await fieldsOf(other)), filePart(zip)]);
  const request = { ...requestOf(form, FORM_TYPE, form.length), headers: Object.entries({ ...other.keyHeaders }) };
  request.headers.push(['Content-Type', FORM_TYPE], ['Content-Length', String(form.length)]);
  assert.equal((await sendRaw(server, request))?.status, 201);
});

test('a body that is not a multipart form', async () => {
  const form = multipartOf([...fields, filePart(zip)]);
  for (const type of ['', 'text/plain', 'application/zip', 'multipart/mixed; boundary=B', 'multipart/form-data']) {
    await refuses(form, /Content-Type must be multipart\/form-data with a boundary/, { type });
  }
  await refuses(zip, /Content-Type must be/, { type: 'application/octet-stream' });
});

test('a Content-Type that only other routes accept', async () => {
  await refuses(Buffer.from('{"os":"linux"}'), /Content-Type/, { type: 'application/json' });
  await refuses(Buffer.from('{"os":'), /JSON/, { type: 'application/json' });
  await refuses(Buffer.from('os=linux'), /Content-Type/, { type: 'application/x-www-form-urlencoded' });
});

test('a form without a boundary or with the wrong one', async () => {
  const form = multipartOf([...fields, filePart(zip)]);
  await refuses(form, /has no valid boundary/, { type: 'multipart/form-data; charset=utf-8' });
  await refuses(form, /form could not be read/, { type: 'multipart/form-data; boundary=C' });
  await refuses(form, /form could not be read/, { type: 'multipart/form-data; boundary=' });
});

test('a form without a file part, and an empty form', async () => {
  await refuses(multipartOf(fields), /no part named file/);
  await refuses(multipartOf([]), /form could not be read/);
  await refuses(Buffer.alloc(0), /form could not be read/);
  await refuses(multipartOf([...fields, fieldPart('file', 'a text')]), /no part named file/);
});

test('a form whose file part has another name', async () => {
  for (const name of ['zip', 'File', 'file[]', '']) {
    await refuses(multipartOf([...fields, filePart(zip, { name })]), /exactly one file part named file/);
  }
});

test('a form with two file parts', async () => {
  await refuses(multipartOf([...fields, filePart(zip), filePart(zip)]), /exactly one file part/);
  await refuses(multipartOf([filePart(zip), ...fields, filePart(zip, { name: 'more' })]), /exactly one file part/);
});

test('a form whose file part has no filename', async () => {
  const disposition = 'Content-Disposition: form-data; name="file"';
  const nameless = { headers: `${disposition}\r\nContent-Type: application/octet-stream`, content: zip };
  await refuses(multipartOf([...fields, nameless]), /^filename: missing/);
  await refuses(multipartOf([...fields, filePart(zip, { filename: '' })]), /^filename: missing/);
});

test('a form with a duplicate field', async () => {
  const twice = [...fields, fieldPart('os', 'linux')];
  await refuses(multipartOf([...twice, filePart(zip)]), /was sent twice/);
  await refuses(multipartOf([filePart(zip), ...twice]), /was sent twice/);
});

test('a form with a field of 10 MB', async () => {
  const large = fieldPart('comment', 'x'.repeat(10_000_000));
  await refuses(multipartOf([large, ...fields, filePart(zip)]), /field is too long/);
  await refuses(multipartOf([...fields, filePart(zip), large]), /field is too long/);
});

test('a form with too many fields or headers', async () => {
  const many = Array.from({ length: 65 }, (_, no) => fieldPart(`field${no}`, 'x'));
  await refuses(multipartOf([...many, filePart(zip)]), /too many fields/);
  const headers = Array.from({ length: 5000 }, (_, no) => `X-Header-${no}: ${'y'.repeat(100)}`);
  const flood = { headers: headers.join('\r\n'), content: 'x' };
  await refuses(multipartOf([...fields, flood]), /form could not be read/);
});

test('a form that is cut off anywhere', async () => {
  const form = multipartOf([...fields, filePart(zip)]);
  const fileAt = form.indexOf('filename=');
  for (const end of [1, 30, 100, fileAt, fileAt + 60, form.length - zip.length, form.length - 8]) {
    await refuses(form.subarray(0, end), /form could not be read/);
  }
});

test('a too small Content-Length ends the form early, and the rest is not a valid request', async () => {
  const form = multipartOf([...fields, filePart(zip)]);
  for (const length of [1, 200, form.length - 20]) {
    const response = await send(form, { length });
    // Packet boundaries decide whether the form or the rest is seen first.
    assert.ok(
      response?.status === 400 && [4037, 4002].includes(response.body?.error?.code ?? 0),
      response?.text ?? 'none',
    );
    await until(async () => (await leftoversOf(server, game)).blobs.length === 0);
  }
});

test('a too large Content-Length ends with the connection or with a timeout', async () => {
  const form = multipartOf([...fields, filePart(zip)]);
  await send(form.subarray(0, -20), { length: form.length + 100, endAfter: true });
  await until(async () => (await leftoversOf(server, game)).blobs.length === 0);
  await refuses(form.subarray(0, -20), /did not arrive in time/, { length: form.length + 100 });
});

test('a Content-Length that is not a number, is duplicated or comes with chunks never reaches the service', async () => {
  const form = multipartOf([...fields, filePart(zip)]);
  const { headers, ...rest } = requestOf(form, FORM_TYPE, null);
  const plain = headers.filter(([name]) => name !== 'Transfer-Encoding');
  const invalid = [
    [['Content-Length', '-1']],
    [['Content-Length', '1e3']],
    [['Content-Length', '18446744073709551616']],
    [
      ['Content-Length', '10'],
      ['Content-Length', '20'],
    ],
    [
      ['Content-Length', '10'],
      ['Transfer-Encoding', 'chunked'],
    ],
  ] as [string, string][][];
  for (const lengthHeaders of invalid) {
    const response = await sendRaw(server, { ...rest, headers: [...plain, ...lengthHeaders] });
    assert.deepEqual([response?.status, response?.body?.error?.code], [400, 4002], JSON.stringify(lengthHeaders));
    assert.deepEqual(await leftoversOf(server, game), { blobs: [], files: 0, sessions: 0 });
  }
});

test('chunks of one byte are read, and chunks with an invalid size are not', async () => {
  const form = multipartOf([...fields, filePart(zip, { filename: 'game.exe' })]);
  const bytes = Array.from(form, (byte) => Uint8Array.of(byte));
  await assertRefused(server, game, await send(chunked(...bytes), { length: null }), 4041, /not a \.zip/);
  const socket = await beginRequest(server, requestOf(chunked(form.subarray(0, 300)).subarray(0, -5), FORM_TYPE, null));
  socket.write('xyz\r\nnonsense');
  await readResponse(socket);
  await until(async () => (await leftoversOf(server, game)).blobs.length === 0);
});
