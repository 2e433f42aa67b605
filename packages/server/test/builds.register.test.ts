// Registering builds on the real server: permissions, exact limits and refusals.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { postJson } from './setup/uploads.ts';

const MIB = 1024 * 1024;
const EMOJI = '🎮';

let server: TestServer;
let game: TestGame;
let versions = 0;

before(async () => {
  server = await startServer({ role: 'api' });
  game = await makeGame(server);
});
after(() => server.stop());

/** A valid registration, each time with another version. */
function registration(fields: Record<string, unknown> = {}): Record<string, unknown> {
  versions += 1;
  return { version: `0.${versions}`, os: 'linux', arch: 'x86_64', ...fields };
}

async function accepts(fields: Record<string, unknown>) {
  const response = await postJson(server, game, registration(fields));
  assert.deepEqual(
    [response.status, response.body.success],
    [201, true],
    `${labelOf(fields)} ${JSON.stringify(response.body)}`,
  );
  return response.body.data;
}

/** `message` must match the error message. */
async function refuses(fields: Record<string, unknown>, message: RegExp) {
  const response = await postJson(server, game, registration(fields));
  assert.deepEqual([response.status, response.body.error?.code], [400, 4026], labelOf(fields));
  assert.match(response.body.error?.message ?? '', message);
}

function labelOf(fields: Record<string, unknown>): string {
  return JSON.stringify(fields).slice(0, 80);
}

function post(headers: Record<string, string>, body: BodyInit = JSON.stringify(registration())) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
  return request(`${server.api}/tool/upload/build`, init);
}

describe('the caller of a registration', () => {
  async function codeOf(headers: Record<string, string>) {
    const { status, body } = await post(headers);
    assert.equal(status, 401);
    return body.error?.code;
  }
  const secret = () => ({ 'x-secret-key': game.keyHeaders['x-secret-key'] });
  const token = () => ({ 'x-access-token': game.keyHeaders['x-access-token'] });

  test('must send an access token, otherwise 4020', async () => {
    assert.equal(await codeOf({}), 4020);
    assert.equal(await codeOf(secret()), 4020);
    assert.equal(await codeOf({ ...secret(), 'x-access-token': ' ' }), 4020);
  });

  test('must send a secret key, otherwise 4021', async () => {
    assert.equal(await codeOf(token()), 4021);
    assert.equal(await codeOf({ ...token(), 'x-secret-key': '' }), 4021);
  });

  test('must send a token that was issued, otherwise 4022', async () => {
    assert.equal(await codeOf({ ...secret(), 'x-access-token': 'unknown' }), 4022);
    const twice = `${token()['x-access-token']}, ${token()['x-access-token']}`;
    assert.equal(await codeOf({ ...secret(), 'x-access-token': twice }), 4022);
    assert.equal(await codeOf({ ...secret(), 'x-access-token': 'x'.repeat(8000) }), 4022);
  });

  test('must not use a revoked key, otherwise 4023', async () => {
    const other = await makeGame(server);
    const session = await signIn(server, other.owner);
    await request(`${server.api}/games/${other.uid}/deploy-keys`, { method: 'POST', headers: session });
    assert.equal(await codeOf(other.keyHeaders), 4023);
  });

  test('must send the matching secret, otherwise 4024', async () => {
    const other = await makeGame(server);
    assert.equal(await codeOf({ ...token(), 'x-secret-key': 'wrong' }), 4024);
    assert.equal(await codeOf({ ...token(), 'x-secret-key': other.keyHeaders['x-secret-key'] }), 4024);
  });

  test('must not send only a cookie or bearer token, otherwise 4025', async () => {
    const session = await signIn(server, game.owner);
    assert.equal(await codeOf(session), 4025);
    assert.equal(await codeOf({ authorization: 'Bearer abc' }), 4025);
    assert.equal((await post({ ...game.keyHeaders, ...session })).status, 201);
  });
});

describe('a registration', () => {
  test('returns 201 with the identity and the defaults', async () => {
    const { build_id, ...data } = await accepts({ version: '1.0' });
    assert.match(build_id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(data, {
      app_id: game.uid,
      version: '1.0',
      build_type: 'game',
      os: 'linux',
      arch: 'x86_64',
      channel: 'stable',
      title: '1.0',
      created: true,
    });
  });

  test('has a version of one line, without the spaces and line breaks around it', async () => {
    const { build_id, version, title } = await accepts({ version: ' 7.1-rc 1\r\n' });
    assert.deepEqual([version, title], ['7.1-rc 1', '7.1-rc 1']);
    const again = await postJson(server, game, { version: '7.1-rc 1\n', os: 'linux', arch: 'x86_64' });
    assert.deepEqual([again.status, again.body.data.build_id], [200, build_id]);
    const listed = await request(`${server.api}/tool/builds?version=%207.1-rc%201%0a`, { headers: game.keyHeaders });
    assert.deepEqual(
      listed.body.data.builds.map((build: { build_id: string }) => build.build_id),
      [build_id],
    );
    for (const wrong of ['1\n2', ' \n', '1\t2', '1\u202e2', '1\u20282', '1\u0085'])
      await refuses({ version: wrong }, /^version: not valid\. Expected: Version: one line/);
  });

  test('accepts aliases of OS and architecture', async () => {
    for (const os of ['win', 'win32', 'win64']) assert.equal((await accepts({ os })).os, 'windows');
    for (const os of ['darwin', 'osx', 'mac']) assert.equal((await accepts({ os })).os, 'macos');
    for (const arch of ['amd64', 'x64']) assert.equal((await accepts({ arch })).arch, 'x86_64');
    assert.equal((await accepts({ arch: 'aarch64' })).arch, 'arm64');
  });

  test('accepts every specified OS and architecture and no other', async () => {
    for (const os of ['windows', 'macos', 'linux', 'android', 'ios', 'web']) await accepts({ os });
    const arches = ['x86_64', 'x86', 'arm64', 'arm32', 'arm', 'universal', 'wasm32', 'wasm'];
    for (const arch of arches) await accepts({ arch });
    for (const os of ['Linux', 'amiga', '', 7, null, undefined]) await refuses({ os }, /^os: /);
    for (const arch of ['X86_64', 'sparc', '', [], undefined]) await refuses({ arch }, /^arch: /);
  });

  test('limits each text in code points', async () => {
    for (const letter of ['v', EMOJI]) {
      await accepts({ version: letter.repeat(32) });
      await refuses({ version: letter.repeat(33) }, /^version: longer than 32/);
      await accepts({ title: letter.repeat(255) });
      await refuses({ title: letter.repeat(256) }, /^title: longer than 255/);
      await accepts({ description: letter.repeat(10_000) });
      await refuses({ description: letter.repeat(10_001) }, /^description: longer than 10000/);
    }
    await refuses({ version: '' }, /^version: empty/);
    await refuses({ version: undefined }, /^version: missing/);
    await refuses({ version: 1.5 }, /^version: must be of type string/);
    assert.equal((await accepts({ version: 'untitled', title: '' })).title, 'untitled');
  });

  test('counts a letter with combining marks by its code points', async () => {
    await accepts({ version: 'e\u0301'.repeat(16) });
    await refuses({ version: 'e\u0301'.repeat(17) }, /^version: longer than 32/);
  });

  test('limits the changelog and names the invalid item', async () => {
    const items = (count: number) => Array.from({ length: count }, (_, index) => ({ title: `Change ${index}` }));
    await accepts({ changelog_items: [] });
    await accepts({ changelog_items: items(100) });
    await refuses({ changelog_items: items(101) }, /^changelog_items: more than 100 items/);
    await accepts({ changelog_items: [{ title: 't'.repeat(255), description: 'd'.repeat(10_000) }] });
    await refuses(
      { changelog_items: [...items(3), { title: 't'.repeat(256) }] },
      /^changelog_items\[3\]\.title: longer/,
    );
    await refuses(
      { changelog_items: [{ title: 't', description: 'd'.repeat(10_001) }] },
      /^changelog_items\[0\]\.desc/,
    );
    await refuses({ changelog_items: [{ description: 'no title' }] }, /^changelog_items\[0\]\.title: missing/);
    await refuses({ changelog_items: [null] }, /^changelog_items\[0\]: must be of type object/);
    await refuses({ changelog_items: {} }, /^changelog_items: must be of type array/);
  });

  test('accepts channels of lowercase letters, digits, - and _ that start with a letter or digit', async () => {
    for (const channel of ['a', '0', 'beta', 'a-b_c', 'x'.repeat(32)]) {
      assert.equal((await accepts({ channel })).channel, channel);
    }
    const wrong = ['', 'A', '-a', '_a', 'x'.repeat(33), 'a b', 'a.b', 'a\n', 'ä', 'a/b', 5, null];
    for (const channel of wrong) await refuses({ channel }, /^channel: /);
  });

  test('accepts any lowercase slug as build_type', async () => {
    for (const build_type of ['demo', 'server-2', 'b'.repeat(32)]) {
      assert.equal((await accepts({ build_type })).build_type, build_type);
    }
    for (const build_type of ['', 'Demo', 'b'.repeat(33), 'a b']) await refuses({ build_type }, /^build_type: /);
  });

  test('accepts an engine_version of two or three numbers with an optional pre-release', async () => {
    for (const engine_version of ['4.3', '4.3.1', '4.3.0-beta.2', '5.0-rc1']) await accepts({ engine_version });
    const wrong = ['', '4', '4.', '4.3.', 'v4.3', '4.3.1.2', '4.3-', '4.3\n', '4.3 beta', 4.3, null];
    for (const engine_version of wrong) await refuses({ engine_version }, /^engine_version: /);
  });

  test('ignores unknown fields', async () => {
    await accepts({ build_id: 'mine', constructor: 1, toString: null });
  });
});

describe('registering the same identity again', () => {
  test('returns 200 with the same build and replaces the title, description and changelog', async () => {
    const identity = registration({ version: 'again', channel: 'replaced' });
    const changelog_items = [{ title: 'First', description: 'one' }];
    const first = await postJson(server, game, { ...identity, title: 'One', description: 'old', changelog_items });
    const again = await postJson(server, game, { ...identity, title: 'Two', changelog_items: [{ title: 'Second' }] });
    assert.deepEqual([first.status, again.status], [201, 200]);
    assert.deepEqual(again.body.data, { ...first.body.data, title: 'Two', created: false });
    const list = await request(`${server.api}/tool/builds?channel=replaced`, { headers: game.keyHeaders });
    const [build, ...others] = list.body.data.builds;
    assert.deepEqual(others, []);
    assert.deepEqual([build.build_id, build.title, build.description], [first.body.data.build_id, 'Two', '']);
    assert.deepEqual(build.changelog_items, [{ title: 'Second', description: '' }]);
    assert.ok(build.updated_at > build.created_at);
  });

  test('works through an alias', async () => {
    const first = await accepts({ version: 'alias', os: 'windows', arch: 'x86_64' });
    const again = await postJson(server, game, { version: 'alias', os: 'win64', arch: 'amd64' });
    assert.deepEqual([again.status, again.body.data.build_id], [200, first.build_id]);
  });

  test('many times concurrently creates one build', async () => {
    const same = registration();
    const responses = await Promise.all(Array.from({ length: 10 }, () => postJson(server, game, same)));
    assert.equal(new Set(responses.map(({ body }) => body.data.build_id)).size, 1);
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [...Array(9).fill(200), 201]);
  });

  test('for another game creates another build', async () => {
    const same = registration();
    const other = await makeGame(server);
    const [mine, theirs] = await Promise.all([postJson(server, game, same), postJson(server, other, same)]);
    assert.deepEqual([mine.status, theirs.status], [201, 201]);
    assert.notEqual(mine.body.data.build_id, theirs.body.data.build_id);
  });
});

describe('an invalid registration body is refused with 4026', () => {
  const json = (fields: string) => `{"version":"1","os":"linux","arch":"x86",${fields}}`;
  const bodies: [name: string, body: BodyInit, message: RegExp][] = [
    ['empty', '', /^version: missing/],
    ['an array', '[]', /^body: must be of type object/],
    ['null', 'null', /^version: missing/],
    ['a number', '7', /^body: must be of type object/],
    ['cut off', '{"version":', /^body: not well-formed JSON/],
    ['with a trailing comma', '{"version":"1",}', /^body: not well-formed JSON/],
    [
      'nested deeply in an unknown field',
      json(`"x":${'['.repeat(200_000)}${']'.repeat(200_000)}`),
      /^body: more than \d+ values/,
    ],
    ['a million brackets', '['.repeat(1_000_000), /^body: more than \d+ values/],
    ['with a NUL in a value', json('"title":"a\\u0000b"'), /^title: contains a NUL/],
    ['with a NUL in a name', json('"a\\u0000b":1'), /NUL/],
    ['with a lone surrogate', json('"description":"\\ud800"'), /^description: is not well-formed Unicode/],
    ['with bytes that are not UTF-8', Buffer.from(json('"title":"\xff"'), 'latin1'), /^body: not well-formed UTF-8/],
    ['in UTF-16', Buffer.from(`\ufeff${json('"title":"t"')}`, 'utf16le'), /^body: not well-formed UTF-8/],
    ['larger than 8 MiB', json(`"x":"${'y'.repeat(8 * MIB)}"`), /^body: larger than 8\.0 MiB/],
  ];
  for (const [name, body, message] of bodies) {
    test(name, async () => {
      const response = await post(game.keyHeaders, body);
      assert.deepEqual([response.status, response.body.error?.code], [400, 4026]);
      assert.match(response.body.error?.message ?? '', message);
    });
  }

  test('if its content type is not JSON', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=B',
      'nonsense',
      '',
    ];
    for (const type of types) {
      const response = await post({ ...game.keyHeaders, 'content-type': type }, 'version=1&os=linux&arch=x86');
      assert.deepEqual([response.status, response.body.error?.code], [400, 4026], type);
      assert.match(response.body.error?.message ?? '', /Content-Type/, type);
    }
  });

  test('unless it only has a byte order mark, which a reader may ignore (RFC 8259, 8.1), or a charset', async () => {
    assert.equal((await post(game.keyHeaders, `\ufeff${JSON.stringify(registration())}`)).status, 201);
    const headers = { ...game.keyHeaders, 'content-type': 'Application/JSON; charset=utf-8' };
    assert.equal((await post(headers)).status, 201);
  });
});
