// Malformed requests to every route of better-auth, whether it is open here or not.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sendRaw } from './setup/raw.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

type Route = { path: string; method: 'GET' | 'POST'; fields: string[] };

/** Reads better-auth's own route table, with the field names from each schema. */
function listRoutes(): Route[] {
  const endpoints = Object.values(server.app.auth.api) as unknown as {
    path?: string;
    options: { method: string | string[]; body?: unknown; query?: unknown };
  }[];
  return endpoints.flatMap(({ path, options }) =>
    path === undefined
      ? []
      : [options.method].flat().map((method) => ({
          path: path.replace(/:(\w+)/g, 'x'),
          method: method === 'GET' ? ('GET' as const) : ('POST' as const),
          fields: [...fieldsOf(options.body), ...fieldsOf(options.query)],
        })),
  );
}

/** The field names of a zod schema, including those of its parts. */
function fieldsOf(schema: unknown): string[] {
  const { shape, def } = (schema ?? {}) as { shape?: object; def?: Record<string, unknown> };
  const parts = [def?.left, def?.right, def?.innerType, def?.in, ...((def?.options as unknown[]) ?? [])];
  return [...Object.keys(shape ?? {}), ...parts.filter((part) => part !== undefined).flatMap(fieldsOf)];
}

/** Fields of routes whose schema names no fields. */
const COMMON = ['name', 'image', 'email', 'password', 'token', 'callbackURL', 'code', 'oauth_query'];

/** RFC 6749, section 5.2, prescribes another format for the errors of these routes. */
const OAUTH_FORM = /^\/oauth2\/(token|revoke|register|introspect)$/;

async function assertRefusal(response: Response, path: string, sent: string): Promise<void> {
  const label = `${path} ${sent.slice(0, 80)}: ${response.status}`;
  assert.ok(response.status < 500, label);
  if (response.status < 400) return;
  const body = (await response.json()) as { success?: unknown; error?: { code?: unknown; message?: unknown } };
  assert.equal(body.success, false, label);
  if (OAUTH_FORM.test(path)) {
    assert.equal(typeof body.error, 'string', label);
    return;
  }
  assert.deepEqual([typeof body.error?.code, typeof body.error?.message], ['number', 'string'], label);
}

const VALUES: readonly unknown[] = [
  'a\u0000b',
  '\ud800',
  'x'.repeat(60_000),
  '',
  7,
  true,
  null,
  [],
  ['x'],
  {},
  { $ne: null },
  { toString: 'x' },
];

/** A request body that is otherwise valid, as far as field names allow. */
function rightValue(field: string): unknown {
  if (/email/i.test(field)) return 'somebody@example.com';
  if (/password/i.test(field)) return 'correct horse battery';
  if (/url|uri|redirect/i.test(field)) return '/dev';
  if (/accept|remember|revoke/i.test(field)) return true;
  return 'x';
}

describe('an account route', () => {
  let headers: Record<string, string>;
  // A new session for each test, because some requests sign out.
  beforeEach(async () => {
    headers = { ...(await makePlayer(server)).headers, origin: server.url };
  });

  const send = (path: string, body: string | Uint8Array, type: string | null) =>
    fetch(`${server.url}/api/auth${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, ...(type !== null && { 'content-type': type }) },
      body: body as BodyInit,
    });

  test('refuses bodies that are not JSON objects, in the error envelope', async () => {
    const bodies: readonly [string | Uint8Array, string | null][] = [
      ['{', 'application/json'],
      ['{"email":', 'application/json'],
      ['nonsense', 'application/json; charset=utf-8'],
      ['[]', 'application/json'],
      ['null', 'application/json'],
      ['7', 'application/json'],
      ['"text"', 'application/json'],
      ['[{"email":"a@example.com"}]', 'application/json'],
      [`${'['.repeat(20_000)}`, 'application/json'],
      [`{"name":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'application/json'],
      [Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d), 'application/json'],
      ['a=%00&email=%00', 'application/x-www-form-urlencoded'],
      ['a=%zz&=&&email', 'application/x-www-form-urlencoded'],
      ['--B\r\n\r\nx', 'multipart/form-data; boundary=B'],
      ['x', 'multipart/form-data'],
      ['x', 'application/x-www-form-urlencoded-multipart/form-data'],
      ['<x/>', 'text/xml'],
      ['x', 'application/octet-stream'],
      ['x', 'nonsense'],
      ['{}', 'application/problem+json'],
      [new Uint8Array(3), null],
    ];
    for (const { path } of listRoutes().filter(({ method }) => method === 'POST')) {
      await Promise.all(
        bodies.map(async ([body, type]) => assertRefusal(await send(path, body, type), path, `${type} ${body}`)),
      );
    }
  });

  test('refuses text that PostgreSQL cannot store, and values of the wrong type, in every field', async () => {
    for (const { path, fields } of listRoutes().filter(({ method }) => method === 'POST')) {
      const names = [...new Set([...fields, ...COMMON])];
      const right = Object.fromEntries(names.map((name) => [name, rightValue(name)]));
      const all = VALUES.map((value) => Object.fromEntries(names.map((name) => [name, value])));
      const single = fields.flatMap((name) =>
        ['a\u0000b', '\ud800', 7, {}, null].map((value) => ({ ...right, [name]: value })),
      );
      // Fields are tried one by one only on routes that are open.
      const isOpen = (await send(path, '{}', 'application/json')).status !== 404;
      const tries = [...all, ...(isOpen ? single : [])].map(async (body) => {
        const text = JSON.stringify(body);
        await assertRefusal(await send(path, text, 'application/json'), path, text);
        if (!path.startsWith('/oauth2/')) return;
        const form = new URLSearchParams(
          Object.entries(body).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
        ).toString();
        await assertRefusal(await send(path, form, 'application/x-www-form-urlencoded'), path, form);
      });
      await Promise.all(tries);
    }
  });

  test('refuses text that PostgreSQL cannot store in its URL', async () => {
    const ask = (path: string) => fetch(`${server.url}/api/auth${path}`, { headers, redirect: 'manual' });
    for (const { path, fields } of listRoutes()) {
      const names = [...new Set([...fields, ...COMMON])];
      const queries = ['%00', 'a%00b', '%ED%A0%80', '%zz', '', 'x'.repeat(300)].flatMap((value) => {
        const query = names.map((name) => `${name}=${value}`).join('&');
        return [`?${query}`, `?${query}&${query}`];
      });
      await Promise.all(
        [...queries, '/%00', '%00', '/%zz', '/%ff', '/x%00?callbackURL=/reset'].map(async (odd) =>
          assertRefusal(await ask(`${path}${odd}`), `GET ${path}`, odd),
        ),
      );
    }
  });
});

describe('a closed route', () => {
  const CLOSED = 'oauth2/create-client';
  const AUTHORIZE = 'oauth2/authorize?client_id=x&response_type=code';

  /** Spellings of a path that routers, URL parsers and proxies interpret differently. */
  const spellingsOf = (route: string) => [
    ...[`x/%2e%2e/${route}`, `x/%2E%2E/${route}`, `x/.%2e/${route}`, `%2e/${route}`, `x/../${route}`, `./${route}`],
    ...[`x/%252e%252e/${route}`, `x%2f..%2f${route}`, `x/..%2f${route}`, `x%2f%2e%2e/${route}`],
    ...[`x\\..\\${route}`, `x/..;/${route}`, `;/${route}`, `/${route}`, `x//../${route}`, `sign-out/%2e%2e/${route}`],
    ...[`reset-password/x/%2e%2e/%2e%2e/${route}`, route.replace('oauth2', 'OAuth2'), route.replace('o', '%6f')],
    ...[route.replace('/', '%2f'), route.replace('/', '\\'), route.replace('/', '//'), route.replace(/(\?|$)/, '/$1')],
    ...[route.replace(/(\?|$)/, ';x=1$1'), route.replace(/(\?|$)/, '%20$1'), route.replace(/(\?|$)/, '%23$1')],
  ];

  const targets = (route: string) => [
    ...spellingsOf(route).flatMap((spelling) => [
      `/api/auth/${spelling}`,
      `http://other.example/api/auth/${spelling}`,
      `${server.url}/api/auth/${spelling}`,
    ]),
    ...[`/api/%61uth/${route}`, `/api/auth%2f${route}`, `/api//auth/${route}`, `//api/auth/${route}`],
    ...[`//other.example/api/auth/${route}`, `http://[/api/auth/${route}`, `/api/auth/../auth/x/%2e%2e/${route}`],
  ];

  async function reach(method: string, path: string) {
    const { headers } = await player;
    const body = method === 'POST' ? Buffer.from('{}') : undefined;
    return sendRaw(server, {
      method,
      path,
      headers: [
        ['Cookie', headers.cookie],
        ['Origin', server.url],
        ...(body === undefined
          ? []
          : ([
              ['Content-Type', 'application/json'],
              ['Content-Length', '2'],
            ] as const)),
      ],
      ...(body !== undefined && { body }),
    });
  }

  let player: ReturnType<typeof makePlayer>;
  before(() => {
    player = makePlayer(server);
  });

  test('cannot be reached by any spelling of its path', async () => {
    for (const path of [`/api/auth/${CLOSED}`, ...targets(CLOSED)]) {
      const response = await reach('POST', path);
      assert.ok(response !== null && [400, 404].includes(response.status), `${path}: ${response?.status}`);
      assert.equal(response.body?.success, false, path);
    }
  });

  test('stays closed for every closed route of better-auth', async () => {
    const open = new Set(
      `/get-session /list-sessions /verify-email /jwks /reset-password/x /sign-up/email /sign-in/email /sign-out
      /send-verification-email /request-password-reset /reset-password /update-user /change-email /change-password /delete-user
      /revoke-session /revoke-sessions /revoke-other-sessions
      /two-factor/enable /two-factor/disable /two-factor/verify-totp /two-factor/verify-backup-code
      /two-factor/generate-backup-codes /sign-in/social /callback/sso
      /passkey/generate-register-options /passkey/generate-authenticate-options /passkey/list-user-passkeys
      /passkey/verify-registration /passkey/verify-authentication /passkey/update-passkey /passkey/delete-passkey
      /oauth2/authorize /oauth2/consent /oauth2/introspect /oauth2/register /oauth2/revoke /oauth2/token`.split(/\s+/),
    );
    for (const { path, method } of listRoutes()) {
      if (open.has(path)) continue;
      assert.equal((await reach(method, `/api/auth${path}`))?.status, 404, path);
    }
  });

  test('no spelling of an open route skips the fields that the server fills in for it', async () => {
    for (const path of targets(AUTHORIZE)) {
      const response = await reach('GET', path);
      assert.ok(response !== null && [400, 404].includes(response.status), `${path}: ${response?.status}`);
    }
  });
});
