// Correct requests for every route that accepts a body: the contract's operations, and the few routes outside it.
import { randomUUID } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { type BodyBounds, bodyBoundsOf } from '@chauffeur/contract/body-bounds';
import { KIB, MIB } from '@chauffeur/contract/limits';
import type { Operation } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { createEngineEvents, createEvents } from '@chauffeur/contract/operations/events';
import type { TSchema } from 'typebox';
import { newId } from '../../packages/server/src/kernel/secrets/ids.ts';
import { unsubscribeToken } from '../../packages/server/src/notify/alerts/alert-rules.ts';
import { blockToken } from '../../packages/server/src/people/emails/emails.ts';
import { endLinks } from '../../packages/server/src/shop/bugs/reporters.ts';
import { endAddress } from '../../packages/server/src/shop/follows/follows.ts';
import { bundleOf } from '../../packages/server/test/setup/bundles.ts';
import { readDumpFixture } from '../../packages/server/test/setup/crash-dumps.ts';
import { makeDsn, type TestDsn } from '../../packages/server/test/setup/dsns.ts';
import { picture } from '../../packages/server/test/setup/images.ts';
import { fieldPart, filePart, multipartOf } from '../../packages/server/test/setup/raw.ts';
import { sampleBody } from '../../packages/server/test/setup/sample-body.ts';
import { callAsSentryCli, chunkForm, sha1, tokenOf } from '../../packages/server/test/setup/sentry-cli.ts';
import { request } from '../../packages/server/test/setup/server.ts';
import { symText } from '../../packages/server/test/setup/symbols.ts';
import { unrealArchive } from '../../packages/server/test/setup/unreal.ts';
import { register, sha256, smallZip, uploadFields } from '../../packages/server/test/setup/uploads.ts';
import { readVideoFixture } from '../../packages/server/test/setup/videos.ts';
import type { Target } from './abuse-target.ts';

export type Correct = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export type Route = {
  /** The id of the operation, or the path of a route outside the contract. */
  readonly name: string;
  readonly method: string;
  /** Creates a request, and everything that a successful request uses up. */
  readonly prepare: () => Promise<Correct>;
  /** The statuses of success if every request from `prepare` must succeed; undefined if it can be rejected. */
  readonly succeeds?: readonly number[];
  /** Set if the body is JSON, so that its values can be replaced: what it may contain, and how much of it. */
  readonly json?: { readonly schema: TSchema | undefined; readonly bounds: BodyBounds } | undefined;
};

const CHUNK = symText({ file: 'chunked.so' });

/** One for each game, since a game may have only some. */
const dsns = new WeakMap<Target['game'], Promise<TestDsn>>();

/** Returns every route whose requests can have a body. */
export function routesOf(target: Target): Route[] {
  return [
    ...OPERATIONS.filter(({ method }) => method !== 'GET').map((operation) => routeOf(target, operation)),
    ...crashForms(target),
    ...routesOutside(target),
  ];
}

function routeOf(target: Target, operation: Operation): Route {
  const { id: name, method, bodyKind = 'json', body: schema, statuses: succeeds } = operation;
  const prepare = makersOf(target)[name];
  const json = bodyKind === 'json' ? { schema, bounds: bodyBoundsOf(operation) } : undefined;
  if (prepare !== undefined) return { name, method, prepare, succeeds, json };
  // Every streaming route must be described below.
  if (json === undefined) throw new Error(`${name}: describe a correct request in abuse-requests.ts`);
  return { name, method, json, prepare: async () => jsonRequest(target, operation) };
}

/**
 * The makers of each operation. Streaming operations, and the operations that games use all the time, must succeed
 * after every attack.
 */
function makersOf(target: Target): Record<string, () => Promise<Correct>> {
  const { server, game, ownGame, session } = target;
  const at = (operationId: string, params = {}) => pathOf(operationNamed(operationId), params);
  const formRequest = (path: string, headers: Record<string, string>, body: Buffer): Correct => ({
    path,
    headers: { ...headers, 'content-type': 'multipart/form-data; boundary=B' },
    body,
  });
  const zip = smallZip();
  const newBuild = () => register(server, game, { version: randomUUID().slice(0, 30) });
  const senderOf = (buildId: string) => ({ 'x-app-id': game.uid, 'x-build-id': buildId });
  const fieldParts = (fields: object) => Object.entries(fields).map(([name, value]) => fieldPart(name, value));
  const image = async () => multipartOf([fieldPart('kind', 'cover'), filePart(await picture(), { filename: 'a.jpg' })]);

  const video = async (path: string, headers: Record<string, string>) => {
    // A game has only a few videos.
    const { body } = await request(`${server.api}${path}`, { headers });
    for (const { uid } of body.data.videos) await request(`${server.api}${path}/${uid}`, { method: 'DELETE', headers });
    return multipartOf([filePart(await readVideoFixture('vp9.mp4'), { filename: 'a.mp4' })]);
  };

  return {
    'uploads.file': async () => {
      const fields = uploadFields(await newBuild(), zip);
      return formRequest(at('uploads.file'), game.keyHeaders, multipartOf([...fieldParts(fields), filePart(zip)]));
    },
    'uploads.openSession': async () => {
      const fields = { filename: 'game.zip', total_size: String(zip.length), ...uploadFields(await newBuild(), zip) };
      return {
        path: at('uploads.openSession'),
        headers: { ...game.keyHeaders, 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from(new URLSearchParams(fields).toString()),
      };
    },
    'uploads.plan': async () => ({
      path: `${at('uploads.plan')}?build_id=${await newBuild()}`,
      headers: { ...game.keyHeaders, 'content-type': 'application/octet-stream' },
      body: bundleOf({ 'game.bin': Buffer.from('hello, player') }).packedRecipe,
    }),
    'symbols.upload': async () => {
      const symbols = symText({ file: `${randomUUID()}.so` });
      const fields = { build_id: await newBuild(), checksum: sha256(symbols) };
      const file = filePart(symbols, { filename: 'game.sym' });
      return formRequest(at('symbols.upload'), game.keyHeaders, multipartOf([...fieldParts(fields), file]));
    },
    'media.add': async () => formRequest(at('media.add'), game.keyHeaders, await image()),
    'media.addToGame': async () => formRequest(at('media.addToGame', { uid: ownGame.uid }), session, await image()),
    'videos.add': async () =>
      formRequest(at('videos.add'), game.keyHeaders, await video('/tool/videos', game.keyHeaders)),
    'videos.addToGame': async () =>
      formRequest(
        at('videos.addToGame', { uid: ownGame.uid }),
        session,
        await video(`/games/${ownGame.uid}/videos`, session),
      ),
    'crashes.create': async () => ({
      path: at('crashes.create'),
      headers: { ...senderOf(await newBuild()), 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ message: 'boom', os: 'linux', metadata: { level: 3 } })),
    }),
    'crashes.createUnreal': async () => {
      const files = [{ name: 'UEMinidump.dmp', content: readDumpFixture('nosym_middle') }];
      return {
        path: `${at('crashes.createUnreal')}?app_id=${game.uid}&build_id=${await newBuild()}`,
        headers: { 'content-type': 'application/octet-stream' },
        body: deflateSync(unrealArchive(files, { marked: true })),
      };
    },
    'bugs.uploadScreenshot': async () => {
      const filed = await request(`${server.api}/games/${ownGame.uid}/bugs`, {
        method: 'POST',
        headers: { ...session, 'content-type': 'application/json' },
        body: JSON.stringify({ message: 'The owl is blue', screenshots: 1 }),
      });
      const { pathname } = new URL(filed.body.data.uploads.screenshots[0].url);
      return { path: pathname, headers: { 'content-type': 'image/jpeg' }, body: await picture() };
    },
    'crashes.upload': async () => {
      const { body } = await request(`${server.api}/public/crashes`, {
        method: 'POST',
        headers: { ...senderOf(await newBuild()), 'content-type': 'application/json' },
        body: JSON.stringify({ has_dump: true }),
      });
      return {
        path: new URL(body.data.uploads.dump.url).pathname,
        headers: { 'content-type': 'application/octet-stream' },
        body: readDumpFixture('nosym_middle'),
      };
    },
    'setup.testAddress': async () => ({
      path: `${at('setup.testAddress')}?nonce=1`,
      headers: { ...session, 'content-type': 'application/octet-stream' },
      body: Buffer.alloc(10_000, 1),
    }),
    'follows.end': async () => ({
      path: `${at('follows.end')}${new URL(endAddress(server.ctx, newId())).search}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('List-Unsubscribe=One-Click'),
    }),
    'bugs.endReplies': async () => ({
      path: `${at('bugs.endReplies')}${new URL(endLinks(server.ctx, ownGame.uid, 'player@example.com').end).search}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('List-Unsubscribe=One-Click'),
    }),
    'accounts.blockMails': async () => ({
      path: `${at('accounts.blockMails')}?token=${blockToken(server.ctx, 'player')}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('List-Unsubscribe=One-Click'),
    }),
    'alerts.unsubscribe': async () => ({
      path: `${at('alerts.unsubscribe')}?token=${unsubscribeToken(server.ctx, ownGame.uid, ownGame.owner.id)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('List-Unsubscribe=One-Click'),
    }),
    'events.create': async () => ({
      path: at('events.create'),
      headers: { ...senderOf(await newBuild()), 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ events: [{ event: 'boot_ok', device_uid: 'device-1', ms: 900 }] })),
    }),
  };
}

/** Crash reports as a single form, from engines and Breakpad. */
function crashForms(target: Target): Route[] {
  const { server, game } = target;
  const dump = readDumpFixture('nosym_middle');
  const forms = {
    engine: [
      { headers: 'Content-Disposition: form-data; name="metadata"\r\nContent-Type: application/json', content: '{}' },
      filePart(dump, { name: 'dump', filename: 'crash.dmp' }),
    ],
    breakpad: [fieldPart('prod', 'Game'), filePart(dump, { name: 'upload_file_minidump', filename: 'crash.dmp' })],
  };
  return Object.entries(forms).map(([kind, parts]) => ({
    name: `crashes.create (${kind} form)`,
    method: 'POST',
    succeeds: [200, 201],
    prepare: async () => ({
      path: '/api/v1/public/crashes',
      headers: {
        'x-app-id': game.uid,
        'x-build-id': await register(server, game),
        'content-type': 'multipart/form-data; boundary=B',
      },
      body: multipartOf(parts),
    }),
  }));
}

/** Routes that are defined elsewhere: by engines, OAuth, MCP and the accounts library. */
function routesOutside({ server, game, ownGame, agent }: Target): Route[] {
  const json = (
    name: string,
    body: object,
    headers: Record<string, string> = {},
    bounds: BodyBounds = { bytes: 64 * KIB, values: 1000 },
  ): Route => ({
    name,
    method: 'POST',
    json: { schema: undefined, bounds },
    prepare: async () => ({
      path: name,
      headers: { 'content-type': 'application/json', ...headers },
      body: Buffer.from(JSON.stringify(body)),
    }),
  });
  const form = (name: string, fields: Record<string, string>): Route => ({
    name,
    method: 'POST',
    prepare: async () => ({
      path: name,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(new URLSearchParams(fields).toString()),
    }),
  });
  const { email, password } = ownGame.owner;
  const dsnOf = () => dsns.getOrInsertComputed(game, () => makeDsn(server, game));
  const sentry = (name: string, pathOfKey: (key: string) => string, type: string, makeBody: () => Buffer): Route => ({
    name: `/api/{project}/${name}`,
    method: 'POST',
    succeeds: [200],
    prepare: async () => {
      const { key, projectNo } = await dsnOf();
      return { path: `/api/${projectNo}/${pathOfKey(key)}`, headers: { 'content-type': type }, body: makeBody() };
    },
  });
  const release = { version: 'owls@1.0.0', projects: [game.slug] };
  const cli = (method: string, name: string, body: object, succeeds: readonly number[]): Route => ({
    name: `/api/0/${name}`,
    method,
    succeeds,
    json: { schema: undefined, bounds: { bytes: 4 * MIB, values: 100_000 } },
    prepare: async () => {
      await callAsSentryCli(server, tokenOf(game), 'POST', '/organizations/x/releases/', release);
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${tokenOf(game)}` };
      return { path: `/api/0/${name}`, headers, body: Buffer.from(JSON.stringify(body)) };
    },
  });
  const sentryEvent = () => ({
    event_id: randomUUID(),
    level: 'fatal',
    exception: [
      { type: 'Error', value: 'boom', stacktrace: { frames: [{ function: 'f', filename: 'a.js', lineno: 1 }] } },
    ],
  });
  return [
    sentry(
      'envelope/',
      (key) => `envelope/?sentry_key=${key}`,
      'text/plain',
      () => {
        const session = { sid: randomUUID(), did: randomUUID(), status: 'crashed', attrs: { release: 'owls@1.0.0' } };
        const items = ['{}', '{"type":"event"}', JSON.stringify(sentryEvent())];
        items.push('{"type":"session"}', JSON.stringify(session));
        return Buffer.from([...items, '{"type":"attachment","length":3,"filename":"a.txt"}', 'abc', ''].join('\n'));
      },
    ),
    sentry(
      'store/',
      (key) => `store/?sentry_key=${key}`,
      'application/json',
      () => Buffer.from(JSON.stringify(sentryEvent())),
    ),
    sentry(
      'minidump/',
      (key) => `minidump/?sentry_key=${key}`,
      'multipart/form-data; boundary=B',
      () =>
        multipartOf([
          fieldPart('sentry', JSON.stringify(sentryEvent())),
          filePart(readDumpFixture('nosym_middle'), { name: 'upload_file_minidump', filename: `${randomUUID()}.dmp` }),
        ]),
    ),
    sentry(
      'unreal/{key}/',
      (key) => `unreal/${key}/`,
      'application/octet-stream',
      () =>
        deflateSync(
          unrealArchive([{ name: 'UEMinidump.dmp', content: readDumpFixture('nosym_middle') }], { marked: true }),
        ),
    ),
    {
      name: '/tunnel',
      method: 'POST',
      succeeds: [200],
      prepare: async () => {
        const lines = [JSON.stringify({ dsn: (await dsnOf()).dsn }), '{"type":"event"}', JSON.stringify(sentryEvent())];
        return { path: '/tunnel', headers: { 'content-type': 'text/plain' }, body: Buffer.from(lines.join('\n')) };
      },
    },
    cli('POST', 'organizations/x/releases/', release, [201, 208]),
    cli('PUT', 'organizations/x/releases/owls@1.0.0/', { dateReleased: '2026-11-28T10:00:00Z' }, [200]),
    cli('POST', 'organizations/x/releases/owls@1.0.0/deploys/', { environment: 'production' }, [201]),
    cli(
      'POST',
      `projects/x/${game.slug}/files/difs/assemble/`,
      { [sha1(CHUNK)]: { name: 'a.sym', chunks: [] } },
      [200],
    ),
    {
      name: '/api/0/organizations/x/chunk-upload/',
      method: 'POST',
      succeeds: [200],
      prepare: async () => ({
        path: '/api/0/organizations/x/chunk-upload/',
        headers: { authorization: `Bearer ${tokenOf(game)}`, 'content-type': 'multipart/form-data; boundary=B' },
        body: chunkForm([CHUNK, Buffer.from(randomUUID())]),
      }),
    },
    {
      name: '/v1/events',
      method: 'POST',
      json: { schema: createEvents.body, bounds: bodyBoundsOf(createEngineEvents) },
      succeeds: [202],
      prepare: async () => ({
        path: '/v1/events',
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(
          JSON.stringify({
            events: [{ app_id: game.uid, build_id: await register(server, game), event: 'session_start' }],
          }),
        ),
      }),
    },
    { ...json('/api/auth/sign-in/email', { email, password }, { origin: server.url }), succeeds: [200] },
    json('/api/auth/sign-up/email', { email: 'new@example.com', password, name: 'New' }, { origin: server.url }),
    json('/api/auth/oauth2/register', { client_name: 'Owl', redirect_uris: ['http://127.0.0.1:9/callback'] }),
    json('/api/auth/oauth2/token', { grant_type: 'authorization_code', code: 'x', client_id: 'y' }),
    form(`/g/${ownGame.uid}/follow`, { email: 'reader@example.com' }),
    form(`/g/${ownGame.uid}/report-page`, { reason: 'other', message: 'It is empty.' }),
    form('/follow/x', {}),
    form('/unfollow/x', {}),
    json('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, MCP_HEADERS, MCP_BOUNDS),
    ...MCP_CALLS.map((call) => ({
      ...json('/mcp', call, { ...MCP_HEADERS, authorization: `Bearer ${agent.key}` }, MCP_BOUNDS),
      succeeds: [200],
    })),
  ];
}

const MCP_HEADERS = { accept: 'application/json, text/event-stream' };
const MCP_BOUNDS: BodyBounds = { bytes: MIB, values: 2000 };
const MCP_CALLS = [
  { name: 'merge_crash_groups', arguments: { uid: 'x', group_ids: [] } },
  { name: 'comment_on_crash_group', arguments: { uid: 'x', group_id: 'x', text: '' } },
].map((params) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));

function operationNamed(id: string): Operation {
  const operation = OPERATIONS.find((candidate) => candidate.id === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
}

function pathOf({ path }: Operation, params: Readonly<Record<string, string>>): string {
  return `/api/v1${path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? randomUUID())}`;
}

/** Creates a request that matches the schema. What it refers to may not exist. */
function jsonRequest({ game, ownGame, session }: Target, operation: Operation): Correct {
  const isGame = operation.access === 'deploy_key';
  return {
    path: pathOf(operation, { uid: isGame ? game.uid : ownGame.uid }),
    headers: { 'content-type': 'application/json', ...(isGame ? game.keyHeaders : session) },
    body: Buffer.from(JSON.stringify(sampleBody(operation) ?? {})),
  };
}
