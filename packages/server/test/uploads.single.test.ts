// Uploading a zip in one request, on the real server: the response, the stored file, and every refusal of its fields
// and its zip, which leaves nothing.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import { newId } from '../src/kernel/secrets/ids.ts';
import { assertNothingLeft, leftoversOf } from './setup/leftovers.ts';
import { beginRequest, fieldPart, filePart, multipartOf, sendRaw } from './setup/raw.ts';
import { assertRefused } from './setup/refusal.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import {
  type FormFields,
  formOf,
  openSession,
  register,
  sha256,
  smallZip,
  upload,
  uploadFields,
  zipOfSize,
} from './setup/uploads.ts';
import { buildZip, type ZipPiece } from './setup/zips.ts';

const PATH = '/api/v1/tool/upload/files';
const zip = smallZip();
let server: TestServer;

before(async () => {
  // No worker, so a file stays in its initial state. No limits, because each refusal counts as a use.
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_UPLOADS: '0' } });
});
after(() => server.stop());

describe('an accepted upload', () => {
  let game: TestGame;
  let buildId: string;
  before(async () => {
    game = await makeGame(server);
    buildId = await register(server, game);
  });

  async function accepted(form: FormData) {
    const response = await upload(server, game, form);
    assert.equal(response.status, 201, JSON.stringify(response.body));
    return response.body.data;
  }

  test('returns 201 with the file and without a session_id', async () => {
    const { file_uid, ...data } = await accepted(formOf(uploadFields(buildId, zip), zip));
    assert.match(file_uid, /^[0-9a-f-]{36}$/);
    assert.deepEqual(data, {
      build_id: buildId,
      filename: 'game.zip',
      checksum: sha256(zip),
      size: zip.length,
      status: 'pending',
      message: 'Queued for virus scan',
      os: 'linux',
      arch: 'x86_64',
      channel: 'stable',
    });
    const { blobs } = await leftoversOf(server, game);
    assert.deepEqual(blobs, [`${file_uid}.zip`]);
  });

  test('can name its build by build, build_type and version; the title is not compared', async () => {
    const { build_id: _, ...place } = uploadFields(buildId, zip);
    const identity = { build: 'Any title', build_type: 'game', version: '1.0.0' };
    assert.equal((await accepted(formOf({ ...place, ...identity }, zip))).build_id, buildId);
  });

  test('can have its parts in any order', async () => {
    const fields = uploadFields(buildId, zip);
    await accepted(formOf(fields, zip, { fileFirst: true }));
    const parts = Object.entries(fields).map(([name, value]) => fieldPart(name, value));
    parts.splice(2, 0, filePart(zip));
    const headers = Object.entries({ ...game.keyHeaders, 'Content-Type': 'multipart/form-data; boundary=B' });
    const body = multipartOf(parts);
    const length = ['Content-Length', String(body.length)] as const;
    const response = await sendRaw(server, { method: 'POST', path: PATH, headers: [...headers, length], body });
    assert.equal(response?.status, 201, JSON.stringify(response));
  });

  test('can have an uppercase checksum with the prefix sha256:', async () => {
    const checksum = sha256(zip).toUpperCase();
    for (const written of [checksum, `sha256:${checksum}`, `SHA256:${checksum}`]) {
      const data = await accepted(formOf({ ...uploadFields(buildId, zip), checksum: written }, zip));
      assert.equal(data.checksum, sha256(zip));
    }
  });

  test('can use aliases of OS and architecture, unknown fields and a name in any script', async () => {
    const fields = { ...uploadFields(buildId, zip), arch: 'amd64', comment: 'hello' };
    const data = await accepted(formOf(fields, zip, { filename: 'Mein Spiel – größer 🎮.ZIP' }));
    assert.equal(data.filename, 'Mein Spiel – größer 🎮.ZIP');
    assert.equal(data.arch, 'x86_64');
  });
});

describe('a refused upload leaves nothing', () => {
  let game: TestGame;
  let buildId: string;
  before(async () => {
    game = await makeGame(server);
    buildId = await register(server, game);
  });

  type Refusal = [code: 4037 | 4038 | 4039 | 4041 | 4046, message: RegExp];

  /** Sends the form with its fields before and after the file, which the server handles differently. */
  async function refuses(fields: FormFields, [code, message]: Refusal, bytes = zip, filename = 'game.zip') {
    for (const fileFirst of [false, true]) {
      const form = formOf({ ...uploadFields(buildId, bytes), ...fields }, bytes, { filename, fileFirst });
      await assertRefused(server, game, await upload(server, game, form), code, message);
    }
  }

  test('without a build: 4038', async () => {
    const identity = { build_id: undefined, build: 'Title', build_type: 'game', version: '1.0.0' };
    await refuses({ build_id: undefined }, [4038, /build/]);
    await refuses({ build_id: '' }, [4038, /build/]);
    for (const name of ['build', 'build_type', 'version'])
      await refuses({ ...identity, [name]: undefined }, [4038, /build/]);
    await refuses({ ...identity, version: '' }, [4038, /build/]);
  });

  test('for a build that the game does not have: 4039', async () => {
    const other = await makeGame(server);
    for (const id of [newId(), 'nonsense', `${buildId}0`, await register(server, other)]) {
      await refuses({ build_id: id }, [4039, /^build_id: .* build/]);
    }
    const identity = { build_id: undefined, build: 'Title', build_type: 'game', version: '1.0.0' };
    await refuses({ ...identity, version: '1.0.1' }, [4039, /Register it first/]);
    await refuses({ ...identity, build_type: 'demo' }, [4039, /Register it first/]);
    await refuses({ ...identity, os: 'windows' }, [4039, /Register it first/]);
    await refuses({ ...identity, version: '1\u0000' }, [4041, /^version: contains a NUL/]);
    await assertNothingLeft(server, other);
  });

  for (const name of ['os', 'arch', 'channel', 'checksum']) {
    test(`with ${name} missing, empty or wrong: 4041`, async () => {
      await refuses({ [name]: undefined }, [4041, new RegExp(`^${name}: missing`)]);
      for (const value of ['', 'No Such', `${name}\u0000`])
        await refuses({ [name]: value }, [4041, new RegExp(`^${name}: `)]);
    });
  }

  test('with a checksum that is not a SHA-256: 4041', async () => {
    const right = sha256(zip);
    for (const checksum of [
      right.slice(1),
      `${right}0`,
      `md5:${right}`,
      `sha256:sha256:${right}`,
      `${right.slice(1)}g`,
    ]) {
      await refuses({ checksum }, [4041, /^checksum: not valid/]);
    }
  });

  const badZips: [string, ZipPiece, RegExp][] = [
    ['a device', { name: 'null', mode: 0o020666 }, /“null” is a device/],
    ['a pipe', { name: 'pipe', mode: 0o010644 }, /“pipe” is a device, pipe/],
    ['a setuid program', { name: 'sudo', data: 'x', mode: 0o104755 }, /“sudo” .*setuid/],
    [
      'a path that is both a file and a folder',
      { name: 'game.txt/x', data: 'x' },
      /“game\.txt” is a file and a folder/,
    ],
    ['a line break in a name', { name: 'a\r\nb', data: 'x' }, /“a\?\?b” has a line break/],
    ['a name with reversed text', { name: 'gpj.\u202Eexe', data: 'x' }, /“gpj\.\?exe” has /],
  ];
  for (const [what, piece, message] of badZips)
    test(`with a zip that contains ${what}: 4041`, async () => {
      await refuses({}, [4041, message], buildZip([{ name: 'game.txt', data: 'hello' }, piece]));
    });

  test('with bytes before the first entry of its zip: 4041', async () => {
    const script = buildZip([{ name: 'game.txt', data: 'hello', before: Buffer.from('#!/bin/sh\nexit\n') }]);
    await refuses({}, [4041, /bytes before its first entry/], script);
  });

  test('with names that Windows cannot create or distinguish: 4041, but only for a Windows build', async () => {
    const studio = await makeGame(server);
    const windows = await register(server, studio, { version: 'names', os: 'windows' });
    const linux = await register(server, studio, { version: 'names', os: 'linux' });
    const zips = ['CON', 'data/aux.txt', 'ab:c', 'end.', 'end ', 'GAME.TXT'].map((name) =>
      buildZip([
        { name: 'game.txt', data: 'hello' },
        { name, data: 'x' },
      ]),
    );
    for (const bytes of zips) {
      const form = formOf({ ...uploadFields(windows, bytes), os: 'windows' }, bytes);
      await assertRefused(server, studio, await upload(server, studio, form), 4041, /Windows/);
    }
    for (const bytes of zips)
      assert.equal((await upload(server, studio, formOf(uploadFields(linux, bytes), bytes))).status, 201);
  });

  test('for another platform or channel than the build was registered for: 4041', async () => {
    await refuses({ os: 'windows' }, [4041, /^os: the build is registered for linux/]);
    await refuses({ arch: 'arm64' }, [4041, /^arch: the build is registered for x86_64/]);
    await refuses({ channel: 'beta' }, [4041, /^channel: the build is registered for stable/]);
  });

  test('with a file that is not named .zip or has an impossible name', async () => {
    for (const name of ['game.tar.gz', 'zip', 'game.zip.exe'])
      await refuses({}, [4041, /^filename: not a \.zip/], zip, name);
    await refuses({}, [4037, /^filename: longer than 255/], zip, `${'x'.repeat(252)}.zip`);
    await refuses({}, [4037, /^filename: contains characters/], zip, 'a\tb.zip');
  });

  test('with a checksum that does not match: 4046', async () => {
    await refuses({ checksum: 'a'.repeat(64) }, [4046, /^checksum: /]);
    await refuses({ checksum: sha256(zip) }, [4046, /^checksum: /], Buffer.concat([zip, Buffer.from('x')]));
  });

  const file: ZipPiece = { name: 'game.txt', data: 'hello' };
  const zips: [name: string, bytes: Buffer, message: RegExp][] = [
    ['is not a zip', Buffer.from('MZ, and certainly not a zip'), /zip/],
    ['is empty', Buffer.alloc(0), /zip/],
    ['is cut off', zip.subarray(0, zip.length - 10), /zip/],
    ['is missing its beginning', zip.subarray(20), /zip/],
    ['contains nothing', buildZip([]), /contains no files/],
    ['leads out of its folder', buildZip([{ ...file, name: '../game.txt' }]), /\.\./],
    ['leads out of its folder in the middle', buildZip([{ ...file, name: 'a/../../b' }]), /\.\./],
    ['has an absolute path', buildZip([{ ...file, name: '/etc/passwd' }]), /absolute/],
    ['has a drive letter', buildZip([{ ...file, name: 'C:/game.txt' }]), /absolute/],
    ['has two entries with the same name', buildZip([file, file]), /two entries named/],
    ['announces 60 GB', buildZip(Array.from({ length: 20 }, (_, no) => bomb(`${no}`))), /unpacks to over 50 GB/],
    ['announces over 200:1', buildZip([{ ...bomb('a'), size: 1_000_000 }]), /unpacks to over 200 times/],
  ];
  for (const [name, bytes, message] of zips) {
    test(`whose zip ${name}: 4041`, () => refuses({}, [4041, message], bytes));
  }

  test('over 5 GB: 4043 before the bytes are sent, based on Content-Length or total_size', async () => {
    const length = ['Content-Length', String(LIMITS.fileBytes + 9 * 1024 * 1024)] as const;
    const headers = Object.entries({ ...game.keyHeaders, 'Content-Type': 'multipart/form-data; boundary=B' });
    const response = await sendRaw(server, { method: 'POST', path: PATH, headers: [...headers, length] });
    await assertRefused(server, game, response, 4043, /larger than 5 GB/);
    const fields = { filename: 'game.zip', ...uploadFields(buildId, zip) };
    const session = await openSession(server, game, { ...fields, total_size: String(LIMITS.fileBytes + 1) });
    await assertRefused(server, game, session, 4043, /larger than 5 GB/);
    const largest = await makeGame(server);
    const largestFields = { build_id: await register(server, largest), total_size: String(LIMITS.fileBytes) };
    assert.equal((await openSession(server, largest, { ...fields, ...largestFields })).status, 201);
  });

  test('while the owner has not verified their email: 4096', async () => {
    const unverified = await makeGame(server, { verified: false });
    const fields = uploadFields(await register(server, unverified), zip);
    await assertRefused(server, unverified, await upload(server, unverified, formOf(fields, zip)), 4096, /verified/);
    const session = await openSession(server, unverified, { filename: 'a.zip', total_size: '9', ...fields });
    await assertRefused(server, unverified, session, 4096, /verified/);
  });

  test('when the database refuses the record: 4048, and the same upload succeeds later', async () => {
    const raise = `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger refuse before insert on files for each row execute function refuse()`;
    await sql.raw(raise).execute(server.ctx.db);
    const form = () => formOf(uploadFields(buildId, zip), zip);
    try {
      await assertRefused(server, game, await upload(server, game, form()), 4048, /could not be saved/);
    } finally {
      await sql`drop function refuse cascade`.execute(server.ctx.db);
    }
    const other = await makeGame(server);
    const fields = uploadFields(await register(server, other), zip);
    assert.equal((await upload(server, other, formOf(fields, zip))).status, 201);
  });

  test('when its connection breaks', async () => {
    const large = zipOfSize(4 * 1024 * 1024);
    const fields = Object.entries(uploadFields(buildId, large)).map(([name, value]) => fieldPart(name, value));
    const body = multipartOf([...fields, filePart(large)]);
    const socket = await beginRequest(server, {
      method: 'POST',
      path: PATH,
      headers: [
        ...Object.entries(game.keyHeaders),
        ['Content-Type', 'multipart/form-data; boundary=B'],
        ['Content-Length', String(body.length)],
      ],
      body: body.subarray(0, body.length / 2),
    });
    await until(async () => (await leftoversOf(server, game)).blobs.length === 1);
    socket.destroy();
    await until(async () => (await leftoversOf(server, game)).blobs.length === 0);
    await assertNothingLeft(server, game);
  });
});

/** An entry that announces 3 GB. */
function bomb(name: string): ZipPiece {
  return { name, data: 'tiny', method: 8, size: 3 * 1024 ** 3 };
}
