// Attachments of crash reports on a real server: announced, sent in forms and archives, shown, and deleted.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import sharp from 'sharp';
import { reportBlobs } from '../src/crash/crashes/crashes.ts';
import { sweepCrashes } from '../src/crash/crashes/keep/retention.job.ts';
import { makePreviews } from '../src/crash/crashes/process/preview.job.ts';
import { rows } from '../src/kernel/database/db.ts';
import { statusOf } from './setup/api-calls.ts';
import {
  attachmentsOf,
  type CrashSender,
  crashBlobs,
  idHeaders,
  makeSender,
  onlyReportOf,
  orphansOf,
  report,
  reportsOf,
} from './setup/crashes.ts';
import { picture } from './setup/images.ts';
import { multipartOf, type Part } from './setup/raw.ts';
import { type ApiResponse, makePlayer, request, signIn, startServer, type TestServer } from './setup/server.ts';
import { unrealArchive } from './setup/unreal.ts';
import { until } from './setup/until.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(async () => {
  const orphans = await orphansOf(server).finally(() => server.stop());
  assert.deepEqual(orphans, []);
});

const file = (filename: string, content: string | Uint8Array, name = filename): Part => ({
  headers: `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: application/octet-stream`,
  content,
});
const dump = file('x.dmp', randomBytes(100), 'upload_file_minidump');

function post(sender: CrashSender, body: Uint8Array): Promise<Response> {
  return fetch(`${server.api}/public/crashes`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=B', ...idHeaders(sender) },
    body: body as Uint8Array<ArrayBuffer>,
  });
}

async function asOwner(sender: CrashSender) {
  const headers = await signIn(server, sender.game.owner);
  const { report_id } = await onlyReportOf(sender);
  const path = `${server.api}/games/${sender.game.uid}/crashes/${report_id}`;
  return {
    path,
    headers,
    get: (rest = ''): Promise<ApiResponse> => request(`${path}${rest}`, { headers }),
    link: (attachment: number) =>
      request(`${path}/downloads`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'attachment', attachment }),
      }),
  };
}

describe('the files of a form', () => {
  test('are attachments: images are encoded again, the end of texts is shown, and originals are downloaded', async () => {
    const sender = await makeSender(server);
    const screen = await picture(2400, 1350, 'png');
    const html = '<script>alert(1)</script> /home/ann/game';
    const parts = [
      dump,
      file('screen.png', screen),
      file('log.txt', 'a log'),
      file('notes.txt', html),
      file('save.bin', Buffer.alloc(9)),
    ];
    assert.equal((await post(sender, multipartOf(parts))).status, 200);
    const owner = await asOwner(sender);
    const attachments = await until(async () => {
      const { data } = (await owner.get()).body;
      return data.attachments[0].image !== null && data.attachments;
    });
    assert.deepEqual(
      attachments.map(({ name, kind, size, has_arrived }: Record<string, unknown>) => [name, kind, size, has_arrived]),
      [
        ['screen.png', 'image', screen.length, true],
        ['notes.txt', 'text', html.length, true],
        ['save.bin', 'other', 9, true],
      ],
    );
    assert.deepEqual(attachments[0].image, { width: 1920, height: 1080 });
    const image = await fetch(`${owner.path}/attachments/0/image`, { headers: owner.headers });
    assert.equal((await sharp(Buffer.from(await image.arrayBuffer())).metadata()).format, 'webp');
    for (const [name, value] of [
      ['content-type', 'image/webp'],
      ['x-content-type-options', 'nosniff'],
      ['content-security-policy', "default-src 'none'; sandbox"],
    ] as const)
      assert.equal(image.headers.get(name), value);
    assert.match(image.headers.get('cache-control') ?? '', /private/);
    assert.equal((await owner.get('/attachments/1')).body.data.text, html.replace('ann', '<user>'));
    for (const [path, status] of [
      ['/attachments/0', 409],
      ['/attachments/1/image', 409],
      ['/attachments/7', 409],
      ['/attachments/x', 400],
    ] as const)
      assert.equal((await owner.get(path)).status, status, path);
    const { url, filename } = (await owner.link(1)).body.data;
    assert.equal(filename, 'notes.txt');
    const original = await fetch(url);
    assert.equal(await original.text(), html);
    assert.equal(original.headers.get('content-type'), 'application/octet-stream');
    assert.equal(original.headers.get('content-disposition'), 'attachment; filename="notes.txt"');
    assert.equal(original.headers.get('content-security-policy'), "default-src 'none'; sandbox");
    assert.equal((await owner.link(9)).status, 409);
  });

  test('have safe names, and those past the limits are left out with a note', async () => {
    const sender = await makeSender(server);
    const large = Buffer.alloc(LIMITS.crashAttachmentBytes + 1);
    const names = ['../../etc/passwd', 'C:\\x\\a.txt', 'a.txt', 'a\u202etxt.exe'];
    const many = Array.from({ length: 30 }, (_, index) => file(`n${index}.dat`, Buffer.alloc(1)));
    const parts = [dump, file('big.bin', large), ...names.map((name) => file(name, 'x', 'f')), ...many];
    assert.equal((await post(sender, multipartOf(parts))).status, 200);
    const { metadata } = await onlyReportOf(sender);
    const stored = await attachmentsOf(sender);
    assert.equal(stored.length, 9);
    assert.ok(stored.every(({ name }) => !/[/\\\u202e]/.test(name)));
    assert.equal(new Set(stored.map(({ name }) => name.toLowerCase())).size, stored.length);
    assert.match(
      String(metadata.chauffeur_omitted),
      /Attachments were left out: n\d+\.dat, .* and \d+ more\. A report has up to 10/,
    );
  });

  test('of 10,000 parts cost neither the report nor more than ten files', async () => {
    const sender = await makeSender(server);
    const before = (await crashBlobs(server)).length;
    const parts = [dump, ...Array.from({ length: 10_000 }, (_, index) => file(`${index}`, 'x'))];
    assert.equal((await post(sender, multipartOf(parts))).status, 200);
    assert.equal((await attachmentsOf(sender)).length, LIMITS.crashAttachments);
    assert.equal((await crashBlobs(server)).length, before + 1 + LIMITS.crashAttachments);
  });

  test('are not kept if the connection is cut at any point', async () => {
    const sender = await makeSender(server);
    const body = multipartOf([dump, file('a.png', randomBytes(2000)), file('b.txt', 'text'.repeat(200))]);
    for (let cut = 50; cut < body.length; cut += 311) {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      const head = [
        'POST /api/v1/public/crashes HTTP/1.1',
        'Host: x',
        ...Object.entries(idHeaders(sender)).map(([name, value]) => `${name}: ${value}`),
        'Content-Type: multipart/form-data; boundary=B',
        `Content-Length: ${body.length}`,
      ];
      socket.on('error', () => {});
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.write(body.subarray(0, cut), () => socket.destroy());
      await once(socket, 'close');
    }
    await until(async () => (await orphansOf(server)).length === 0);
    assert.deepEqual(await reportsOf(sender), []);
  });
});

describe('hostile images', () => {
  /** A PNG whose header says that it has this size; there are no pixels. */
  function headerOnly(width: number, height: number): Buffer {
    const size = Buffer.alloc(8);
    size.writeUInt32BE(width, 0);
    size.writeUInt32BE(height, 4);
    const header = Buffer.concat([Buffer.from([0x49, 0x48, 0x44, 0x52]), size, Buffer.from([8, 2, 0, 0, 0])]);
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\r', 'latin1'), header, Buffer.alloc(4)]);
  }

  test('are not shown, and say why', async () => {
    const sender = await makeSender(server);
    const bomb = await sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: 'black' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    const parts = [
      dump,
      file('bomb.png', bomb),
      file('huge.png', headerOnly(0x7fff_ffff, 0x7fff_ffff)),
      file('cut.jpg', (await picture()).subarray(0, 900)),
      file('magic.png', Buffer.from('\x89PNG\r\n\x1a\n<script>', 'latin1')),
      file('vector.png', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      file('page.png', '<html><script>alert(1)</script>'),
    ];
    assert.equal((await post(sender, multipartOf(parts))).status, 200);
    const stored = await until(async () => {
      const all = await attachmentsOf(sender);
      return (
        all.every(({ kind, problem, image }) => kind !== 'image' || problem !== undefined || image !== undefined) && all
      );
    });
    assert.deepEqual(
      stored.map(({ kind, image, problem }) => [kind, image === undefined, problem === undefined]),
      [
        ['image', true, false],
        ['image', true, false],
        ['image', true, false],
        ['image', true, false],
        ['text', true, true],
        ['text', true, true],
      ],
    );
  });
});

describe('announced attachments', () => {
  const announce = (sender: CrashSender, attachments: unknown) => report(sender, { message: 'm', attachments });
  const put = (url: string, body: Uint8Array | string) =>
    request(url, { method: 'PUT', body: body as Uint8Array<ArrayBuffer> });

  test('get one address each, which works once', async () => {
    const sender = await makeSender(server);
    const { body } = await announce(sender, [{ name: 'a.txt' }, { name: 'shot.png', size: 10 }]);
    const [text, image] = body.data.uploads.attachments;
    assert.deepEqual([text.filename, text.max_bytes], ['a.txt', LIMITS.crashAttachmentBytes]);
    const sent = await put(text.url, 'hello');
    assert.deepEqual(sent.body.data.kind, 'attachment');
    assert.equal((await put(text.url, 'again')).status, 404);
    const shots = await Promise.all([put(image.url, await picture()), put(image.url, await picture())]);
    assert.deepEqual(shots.map(({ status }) => status).toSorted(), [200, 404]);
    await until(async () => (await attachmentsOf(sender))[1]?.image !== undefined);
    const [first] = await attachmentsOf(sender);
    assert.deepEqual([first?.name, first?.kind, first?.size], ['a.txt', 'text', 5]);
    const tampered = text.url.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'));
    assert.equal((await put(tampered, 'x')).status, 404);
  });

  test('past the limits are left out with a note, and too large uploads are refused', async () => {
    const sender = await makeSender(server);
    const many = Array.from({ length: 12 }, (_, index) => ({ name: `${index}` }));
    const { body } = await announce(sender, [{ name: 'big', size: 100 * MIB }, ...many]);
    const uploads = body.data.uploads.attachments;
    assert.deepEqual([uploads.length, uploads[0].filename], [10, '0']);
    assert.match(
      String((await onlyReportOf(sender)).metadata.chauffeur_omitted),
      /left out: 3\. A report has up to 10/,
    );
    assert.deepEqual(statusOf(await put(uploads[0].url, Buffer.alloc(LIMITS.crashAttachmentBytes + 1))), [413, 4043]);
    for (const index of [0, 1]) assert.equal((await put(uploads[index].url, Buffer.alloc(16 * MIB))).status, 200);
    assert.deepEqual(statusOf(await put(uploads[2].url, 'x')), [413, 4043]);
    assert.deepEqual(statusOf(await put(uploads[3].url, '')), [400, 4001]);
  });

  test('with invalid or repeated names get others', async () => {
    const sender = await makeSender(server);
    const names = ['a/b', '..', 'x'.repeat(101), 'a\u202ec', 'a\u0000d', 'B', ''];
    assert.deepEqual(
      statusOf(
        await announce(
          sender,
          names.map((name) => ({ name })),
        ),
      ),
      [201, undefined],
    );
    const kept = (await attachmentsOf(sender)).map(({ name }) => name);
    assert.deepEqual(kept, ['b', 'file', 'x'.repeat(100), 'ac', 'ad', 'B (2)', 'file (2)']);
  });

  test('without names, or that are not a list, are refused', async () => {
    const sender = await makeSender(server);
    for (const attachments of [[{}], [{ name: 1 }], 'a'])
      assert.deepEqual(statusOf(await announce(sender, attachments)), [400, 4001], JSON.stringify(attachments));
  });
});

test('the other files of an Unreal archive are attachments', async () => {
  const sender = await makeSender(server);
  const files = [
    { name: 'CrashContext.runtime-xml', content: Buffer.from('<GameName>UE-Racer</GameName>') },
    { name: 'Config.ini', content: Buffer.from('[a]\nb=1\n') },
    ...Array.from({ length: 20 }, (_, index) => ({ name: `../${index}.sav`, content: Buffer.from([index]) })),
  ];
  const response = await fetch(
    `${server.api}/public/crashes/unreal?app_id=${sender.game.uid}&build_id=${sender.buildId}`,
    { method: 'POST', body: deflateSync(unrealArchive(files, { marked: true })) as Uint8Array<ArrayBuffer> },
  );
  assert.equal(response.status, 201);
  const names = (await attachmentsOf(sender)).map(({ name }) => name);
  assert.deepEqual([names.length, names[0], names[1]], [10, 'Config.ini', '0.sav']);
});

test('attachments past the daily limit of bytes are left out with a note', async () => {
  const sender = await makeSender(server);
  await sql`insert into game_quotas (game_id, crash_mb) values (${sender.game.uid}, 1)`.execute(server.ctx.db);
  const parts = [dump, file('a.bin', randomBytes(2 * MIB)), file('b.json', 'x')];
  assert.equal((await post(sender, multipartOf(parts))).status, 200);
  assert.deepEqual(
    (await attachmentsOf(sender)).map(({ name }) => name),
    ['b.json'],
  );
  assert.match(String((await onlyReportOf(sender)).metadata.chauffeur_omitted), /a\.bin/);
});

test('attachments are only for members, are in backups, survive the sweep, and are deleted with the report', async () => {
  const sender = await makeSender(server);
  assert.equal(
    (await post(sender, multipartOf([dump, file('a.png', await picture()), file('b.json', 'x')]))).status,
    200,
  );
  await until(async () => (await attachmentsOf(sender))[0]?.image !== undefined);
  const owner = await asOwner(sender);
  const { report_id: reportId } = await onlyReportOf(sender);
  await makePreviews(server.ctx, { gameId: sender.game.uid, reportId });
  const stored = await attachmentsOf(sender);
  const keys = stored.flatMap(({ key, image }) => [key, ...(image === undefined ? [] : [image.key])]);
  assert.equal(keys.length, 3);
  const references = await rows(
    server.ctx.db,
    sql<{ key: string; size: number }>`select key, size from (${reportBlobs}) as file`,
  );
  const inBackup = new Map(references.map(({ key, size }) => [key, Number(size)]));
  for (const { key, size } of stored) assert.equal(inBackup.get(key ?? ''), size);
  assert.ok(keys.every((key) => key !== null && inBackup.has(key)));
  await sweepCrashes(server.ctx);
  const stranger = await makePlayer(server);
  for (const path of ['/attachments/0/image', '/attachments/1']) {
    assert.equal((await request(`${owner.path}${path}`, { headers: stranger.headers })).status, 404);
    assert.equal((await request(`${owner.path}${path}`)).status, 401);
    assert.equal((await fetch(`${owner.path}${path}`, { headers: owner.headers })).status, 200);
  }
  assert.equal((await request(owner.path, { method: 'DELETE', headers: owner.headers })).status, 200);
  const left = new Set(await crashBlobs(server));
  assert.ok(keys.every((key) => key === null || !left.has(key)));
});
