// Downloads of players: bytes with ranges and conditions, only what a channel offers them, and the provenance record.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { statusOf } from './setup/api-calls.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import {
  type BuildInput,
  formOf,
  sha256,
  shipAndScan,
  smallZip,
  untilScanned,
  upload,
  uploadFields,
} from './setup/uploads.ts';

describe('the public side of a game', () => {
  let server: TestServer;
  let game: TestGame;
  const zip = smallZip('spiel/größe.txt', Buffer.alloc(5000, 'x'));
  before(async () => {
    server = await startServer();
    game = await makeGame(server);
  });
  after(() => server.stop());

  const fileUrl = (fileUid: string, what = 'download', of = game) =>
    `${server.api}/public/games/${of.uid}/files/${fileUid}/${what}`;

  const publish = (input: BuildInput = {}, of = game) => shipAndScan(server, of, input, zip);

  async function codeOf(url: string, headers: Record<string, string> = {}) {
    return statusOf(await request(url, { headers }));
  }

  test('serves a download with its name, length and ETag, identical to the uploaded zip', async () => {
    const { fileUid } = await publish({ version: 'whole' });
    const response = await fetch(fileUrl(fileUid));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-length'), String(zip.length));
    assert.equal(response.headers.get('content-type'), 'application/zip');
    assert.equal(response.headers.get('accept-ranges'), 'bytes');
    const name = `${game.slug}-whole-linux-x86_64.zip`;
    assert.equal(response.headers.get('content-disposition'), `attachment; filename="${name}"`);
    assert.equal(response.headers.get('etag'), `"${sha256(zip)}"`);
    assert.equal(sha256(Buffer.from(await response.arrayBuffer())), sha256(zip));
    const head = await fetch(fileUrl(fileUid), { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(zip.length)]);
  });

  test('supports ranges and conditional requests', async () => {
    const { fileUid } = await publish({ version: 'ranges' });
    const get = (headers: Record<string, string>) => fetch(fileUrl(fileUid), { headers });
    const bytes = async (headers: Record<string, string>) => {
      const response = await get(headers);
      return [
        response.status,
        response.headers.get('content-range'),
        Buffer.from(await response.arrayBuffer()).toString('latin1'),
      ] as const;
    };
    const text = zip.toString('latin1');
    const total = zip.length;
    assert.deepEqual(await bytes({ range: 'bytes=10-19' }), [206, `bytes 10-19/${total}`, text.slice(10, 20)]);
    assert.deepEqual(await bytes({ range: 'bytes=-5' }), [
      206,
      `bytes ${total - 5}-${total - 1}/${total}`,
      text.slice(-5),
    ]);
    assert.deepEqual(await bytes({ range: `bytes=${total - 1}-` }), [
      206,
      `bytes ${total - 1}-${total - 1}/${total}`,
      text.slice(-1),
    ]);
    assert.deepEqual(await bytes({ range: `bytes=0-${total + 99}` }), [206, `bytes 0-${total - 1}/${total}`, text]);
    for (const range of ['bytes=5-1', 'bytes=0-1,4-5', 'chapters=1-2', 'bytes=-'])
      assert.equal((await get({ range })).status, 200, range);
    assert.equal((await get({ range: `bytes=${total}-` })).status, 416);
    const etag = `"${sha256(zip)}"`;
    assert.equal((await get({ 'if-none-match': etag })).status, 304);
    assert.equal((await get({ range: 'bytes=0-1', 'if-range': etag })).status, 206);
    assert.equal((await get({ range: 'bytes=0-1', 'if-range': '"other"' })).status, 200);
  });

  test('returns 4074 to players for a superseded file, which members can still download', async () => {
    const { buildId, fileUid } = await publish({ version: 'superseded' });
    const newer = smallZip('newer.txt');
    const second = await upload(server, game, formOf(uploadFields(buildId, newer), newer));
    await untilScanned(server, game, second.body.data.file_uid);
    assert.deepEqual(await codeOf(fileUrl(fileUid)), [403, 4074]);
    assert.deepEqual(await codeOf(fileUrl(fileUid, 'provenance')), [403, 4074]);
    assert.equal((await fetch(fileUrl(fileUid), { headers: game.keyHeaders })).status, 200);
    assert.equal((await fetch(fileUrl(fileUid), { headers: await signIn(server, game.owner) })).status, 200);
    assert.equal((await fetch(fileUrl(second.body.data.file_uid))).status, 200);
  });

  test('returns 4074 for a file on dev to players, and for one on beta to people who have not joined', async () => {
    const dev = await publish({ version: 'dev', channel: 'dev' });
    const beta = await publish({ version: 'beta', channel: 'beta' });
    const secret = await publish({ version: 'secret', channel: 'secret' });
    const player = await makePlayer(server);
    assert.deepEqual(await codeOf(fileUrl(dev.fileUid), player.headers), [403, 4074]);
    assert.deepEqual(await codeOf(fileUrl(beta.fileUid), player.headers), [403, 4074]);
    await request(`${server.api}/games/${game.slug}/beta`, { method: 'PUT', headers: player.headers });
    assert.equal((await fetch(fileUrl(beta.fileUid), { headers: player.headers })).status, 200);
    assert.equal((await fetch(fileUrl(secret.fileUid))).status, 200);
  });

  test('returns 4040 for unknown files and games, and for drafts', async () => {
    const draft = await makeGame(server, { visibility: 'draft' });
    const hidden = await makeGame(server, { visibility: 'invisible' });
    const inDraft = await publish({}, draft);
    const inHidden = await publish({}, hidden);
    assert.deepEqual(await codeOf(fileUrl(game.uid)), [404, 4040]);
    assert.deepEqual(await codeOf(fileUrl('nonsense')), [400, 4002]);
    assert.deepEqual(await codeOf(`${server.api}/public/games/no-such-game`), [404, 4040]);
    assert.deepEqual(await codeOf(`${server.api}/public/games/${draft.uid}`), [404, 4040]);
    assert.deepEqual(await codeOf(fileUrl(inDraft.fileUid, 'download', draft)), [404, 4040]);
    assert.deepEqual(await codeOf(fileUrl(inDraft.fileUid, 'download', game)), [404, 4040]);
    assert.equal((await fetch(fileUrl(inDraft.fileUid, 'download', draft), { headers: draft.keyHeaders })).status, 200);
    assert.deepEqual(await codeOf(fileUrl(inDraft.fileUid, 'download', draft), game.keyHeaders), [404, 4040]);
    assert.equal((await fetch(fileUrl(inHidden.fileUid, 'download', hidden))).status, 200);
  });

  test('shows in the provenance record who uploaded the file, the scan result and every entry', async () => {
    const { buildId, fileUid } = await publish({ version: 'origin' });
    const { body } = await request(fileUrl(fileUid, 'provenance'));
    const { scan, uploaded_at, ...record } = body.data;
    assert.deepEqual(record, {
      file_uid: fileUid,
      game_uid: game.uid,
      build_id: buildId,
      version: 'origin',
      os: 'linux',
      arch: 'x86_64',
      channel: 'stable',
      filename: 'game.zip',
      download_name: `${game.slug}-origin-linux-x86_64.zip`,
      size: zip.length,
      checksum: sha256(zip),
      origin: { type: 'deploy_key', key_ref: game.keyHeaders['x-access-token'].slice(0, 8) },
      reused: [],
      entries: [{ path: 'spiel/größe.txt', type: 'file', size: 5000, sha256: sha256(Buffer.alloc(5000, 'x')) }],
    });
    assert.ok(Date.parse(uploaded_at) > 0);
    assert.equal(scan.state, 'unscanned');
    assert.deepEqual(
      scan.history.map((event: { state: string }) => event.state),
      ['pending', 'scanning', 'unscanned'],
    );
  });

  test('shows the download, its badge and the changelog of the newest build on the page of the game', async () => {
    const own = await makeGame(server);
    const zipped = await publish({ version: '1.2', title: 'The one' }, own);
    const { body } = await request(`${server.api}/public/games/${own.slug}`);
    assert.equal(body.data.developer, 'Owner');
    const [offer] = body.data.downloads;
    assert.deepEqual([offer.version, offer.title, offer.file.file_uid], ['1.2', 'The one', zipped.fileUid]);
    assert.equal(offer.file.message, 'Not scanned: no virus scanner on this server');
    assert.equal((await fetch(offer.download_url)).status, 200);
    assert.equal((await fetch(offer.provenance_url)).status, 200);
  });

  test('shows on the page who uploaded the file, when it was scanned and the role of the caller', async () => {
    const own = await makeGame(server);
    await publish({ version: '1.0' }, own);
    await publish({ version: '2.0', channel: 'beta' }, own);
    await publish({ version: '3.0', channel: 'nightly' }, own);
    const player = await makePlayer(server);
    const read = async (headers: Record<string, string>, query = '') =>
      (await request(`${server.api}/public/games/${own.slug}${query}`, { headers })).body.data;
    const stranger = await read({});
    const [offer] = stranger.downloads;
    assert.deepEqual(offer.origin, { type: 'deploy_key', key_ref: own.keyHeaders['x-access-token'].slice(0, 8) });
    assert.ok(offer.scanned_at >= offer.file.uploaded_at);
    const { visibility, health, role, channels, beta } = stranger;
    assert.deepEqual([visibility, health, role, channels], ['public', 'unrated', null, ['stable']]);
    assert.deepEqual(beta, { offered: true, joined: false });
    assert.deepEqual((await read({}, '?channel=nightly')).channels, ['stable', 'nightly']);
    assert.deepEqual((await read({}, '?channel=beta')).channels, ['stable']);
    await request(`${server.api}/games/${own.slug}/beta`, { method: 'PUT', headers: player.headers });
    const joined = await read(player.headers);
    assert.deepEqual([joined.channels, joined.beta.joined, joined.role], [['stable', 'beta'], true, null]);
    const owner = await read(await signIn(server, own.owner));
    assert.deepEqual([owner.channels, owner.role], [['stable', 'beta', 'nightly'], 'owner']);
  });
});

describe('a download under way', () => {
  const MINUTE = 60_000;
  let offset = 0;
  let server: TestServer;
  let game: TestGame;
  before(async () => {
    server = await startServer({
      clock: { now: () => new Date(Date.now() + offset) },
      env: { CHAUFFEUR_LIMIT_UPLOADS: '0', CHAUFFEUR_LIMIT_SIGN_INS: '0' },
    });
  });
  after(() => server.stop());
  beforeEach(async () => {
    // The times of scans come from the database, which has the real time.
    offset = 0;
    game = await makeGame(server);
  });

  const zip = smallZip('one.bin', Buffer.alloc(5000, '1'));
  const next = smallZip('two.bin', Buffer.alloc(5000, '2'));
  const publish = (version: string, bytes = next, channel = 'stable') =>
    shipAndScan(server, game, { version, channel }, bytes);
  const downloadOf = (fileUid: string, headers: Record<string, string> = {}) =>
    fetch(`${server.api}/public/games/${game.uid}/files/${fileUid}/download`, { headers });
  const tag = `"${sha256(zip)}"`;
  const resume = { range: 'bytes=4000-', 'if-range': tag };

  /** The statuses of a new download, and of continued ones: with If-Range from any byte, and without from a later one. */
  async function statusesOf(fileUid: string): Promise<number[]> {
    const requests = [{}, resume, { range: 'bytes=0-', 'if-range': tag }, { range: 'bytes=4000-' }];
    return Promise.all(requests.map(async (headers) => (await downloadOf(fileUid, headers)).status));
  }
  const UNDER_WAY = [403, 206, 206, 206];
  const ENDED = [403, 403, 403, 403];

  test('goes on for an hour after the next build goes live', async () => {
    const { fileUid } = await publish('1.0', zip);
    assert.deepEqual(await statusesOf(fileUid), [200, 206, 206, 206]);
    await publish('2.0');
    assert.deepEqual(await statusesOf(fileUid), UNDER_WAY);
    const rest = await downloadOf(fileUid, resume);
    assert.deepEqual(Buffer.from(await rest.arrayBuffer()), zip.subarray(4000));
    for (const headers of [{ range: 'bytes=0-' }, { range: 'bytes=-10' }, { range: 'bytes=4000-', 'if-range': '"x"' }])
      assert.equal((await downloadOf(fileUid, headers)).status, 403, JSON.stringify(headers));
    offset += 59 * MINUTE;
    assert.deepEqual(await statusesOf(fileUid), UNDER_WAY);
    offset += 2 * MINUTE;
    assert.deepEqual(await statusesOf(fileUid), ENDED);
  });

  test('goes on for an hour after a newer file of the same build, and after a rollback', async () => {
    const { fileUid: older } = await publish('1.0', smallZip());
    const { buildId, fileUid } = await publish('2.0', zip);
    const second = await upload(server, game, formOf(uploadFields(buildId, next), next));
    await untilScanned(server, game, second.body.data.file_uid);
    assert.deepEqual(await statusesOf(fileUid), UNDER_WAY);
    const rolledBack = await request(`${server.api}/tool/channels/stable/rollback`, {
      method: 'POST',
      headers: { ...game.keyHeaders, 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(rolledBack.status, 200, JSON.stringify(rolledBack.body));
    assert.equal((await downloadOf(older)).status, 200);
    assert.deepEqual(await statusesOf(fileUid), UNDER_WAY);
    offset += 61 * MINUTE;
    assert.deepEqual(await statusesOf(fileUid), ENDED);
  });

  test('ends with the build, and was never possible on a channel that the player cannot reach', async () => {
    const { fileUid: hidden } = await publish('0.9', zip, 'dev');
    await publish('0.10', next, 'dev');
    assert.deepEqual(await statusesOf(hidden), ENDED);
    const { buildId, fileUid } = await publish('1.0', zip);
    await publish('2.0');
    assert.deepEqual(await statusesOf(fileUid), UNDER_WAY);
    const headers = await signIn(server, game.owner);
    const deleted = await request(`${server.api}/games/${game.uid}/builds/${buildId}`, { method: 'DELETE', headers });
    assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
    assert.deepEqual(await statusesOf(fileUid), [404, 404, 404, 404]);
  });
});
