// The requests that benchmarks send with load.ts, and a game with one build to send them to.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Load, LoadResult } from './load.ts';
import type { Service } from './service.ts';

const run = promisify(execFile);
/** The owner of the benchmark's game. */
export const EMAIL = 'bench@example.com';
export const PASSWORD = 'a password for the bench';
/** The platform of the benchmark's build. */
export const PLATFORM = { os: 'linux', arch: 'x86_64' } as const;
const WARM_SECONDS = 2;

/** The yardstick: a route of the same server that returns a constant. */
export const CONSTANT = 'GET /health HTTP/1.1\r\nHost: bench\r\n\r\n';

/** Each `@` becomes a digit of the number of the request, in the id of the device and in the milliseconds. */
export const DEVICE = 'device-@@@@@@@@@@@@';
/** The events of a player's session, which are sent when it ends. */
export const SESSION = JSON.stringify({
  events: [
    { event: 'session_start', device_uid: DEVICE },
    { event: 'boot_ok', device_uid: DEVICE, ms: 1830 },
    { event: 'first_input', device_uid: DEVICE, ms: 4200 },
    ...Array.from({ length: 96 }, (_, no) =>
      no % 4 === 0
        ? { event: 'level_end', device_uid: DEVICE, properties: { level: no, won: no % 8 === 0, score: no * 950 } }
        : { event: ['shot', 'jump', 'coin'][no % 3], device_uid: DEVICE },
    ),
    { event: 'session_end', device_uid: DEVICE, seconds: 1260 },
  ],
});
/** How many events are in it. */
export const SESSION_EVENTS = 100;

/** A crash report that announces a dump and a log. */
export const REPORT = JSON.stringify({
  has_dump: true,
  has_log: true,
  app_name: 'Racer',
  app_version: '1.4.2',
  engine_version: '4.3.1',
  os: 'linux',
  arch: 'x86_64',
  message: 'Segmentation fault in Player::move',
  user_message: 'It crashed when I drove into the tunnel.',
  anonymous: true,
  metadata: { gpu: 'GeForce RTX 3060', driver: '535.86', level: 'tunnel', fps: 58.2, players: 4 },
});

/** A crash report of an exception, whose stack is a text. Our clients send it with an idempotency key. */
export const STACK_REPORT = JSON.stringify({
  app_name: 'Racer',
  app_version: '1.4.2',
  os: 'linux',
  arch: 'x86_64',
  device_uid: 'fe3e1d4e96b84b0a8c1c94c1f7f3d2aa',
  message: 'ValueError: It crashed when I drove into the tunnel.',
  metadata: {
    gpu: 'GeForce RTX 3060',
    level: 'tunnel',
    players: 4,
    stack: [
      'Traceback (most recent call last):',
      ...Array.from({ length: 8 }, (_, no) => `  File "game/player.py", line ${10 + no}, in move${no}`),
      'ValueError: It crashed when I drove into the tunnel.',
    ].join('\n'),
  },
});

/**
 * The same report as Sentry's SDKs send it, in an envelope. The runs of `@` make an id of 32 digits, because an event with
 * the same id is the same report.
 */
export function envelopeOf({ release }: { readonly release: string }): string {
  const id = `${'0'.repeat(16)}@@@@@@@@@@@@@@@@`;
  const frame = (no: number) => ({
    function: `Player.move${no}`,
    filename: 'game/player.py',
    lineno: 10 + no,
    in_app: true,
  });
  const event = {
    event_id: id,
    platform: 'python',
    level: 'fatal',
    release,
    user: { id: 'fe3e1d4e96b84b0a8c1c94c1f7f3d2aa' },
    contexts: { os: { name: 'Linux' }, device: { arch: 'x86_64' }, gpu: { name: 'GeForce RTX 3060' } },
    tags: { level: 'tunnel', players: '4' },
    exception: {
      values: [
        {
          type: 'ValueError',
          value: 'It crashed when I drove into the tunnel.',
          mechanism: { type: 'generic', handled: false },
          stacktrace: { frames: Array.from({ length: 8 }, (_, no) => frame(no)) },
        },
      ],
    },
  };
  const payload = JSON.stringify(event);
  const head = [
    { event_id: id, sent_at: '2026-11-28T12:00:00Z' },
    { type: 'event', length: Buffer.byteLength(payload) },
  ];
  return `${head.map((line) => JSON.stringify(line)).join('\n')}\n${payload}\n`;
}

/** A request of an SDK with this envelope. */
export function postEnvelopeOf(dsn: string, envelope: string): string {
  const { username, pathname } = new URL(dsn);
  const head = [
    `POST /api${pathname}/envelope/ HTTP/1.1`,
    'Host: bench',
    'Content-Type: application/x-sentry-envelope',
    `Content-Length: ${Buffer.byteLength(envelope)}`,
    `X-Sentry-Auth: Sentry sentry_version=7, sentry_client=bench/1.0, sentry_key=${username}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${envelope}`;
}

export type Get = (path: string) => Promise<unknown>;
export type GameIds = { readonly game: string; readonly build: string };
/** `keys` are the headers with its deploy key. */
export type OpenedGame = GameIds & { readonly keys: Readonly<Record<string, string>> };

/** Creates an account, and a game of it with a deploy key and a registered build. */
export async function openGame(service: Service): Promise<OpenedGame> {
  service.admin(['user', 'create', '--email', EMAIL, '--password-stdin', '--verified'], `${PASSWORD}\n`);
  return addGame(service);
}

/** Creates another game of the account. */
export async function addGame(service: Service): Promise<OpenedGame> {
  const { game_uid: game = '' } = service.admin(['game', 'create', '--owner', EMAIL, '--name', 'Bench']);
  const { access_token = '', secret_key = '' } = service.admin(['key', 'issue', '--game', game]);
  const keys = { 'x-access-token': access_token, 'x-secret-key': secret_key };
  const { build_id: build } = await callApi<{ build_id: string }>(`${service.url}/api/v1/tool/upload/build`, {
    method: 'POST',
    headers: { ...keys, 'content-type': 'application/json' },
    body: JSON.stringify({ version: '1.4.2', ...PLATFORM }),
  });
  return { game, build, keys };
}

/** Returns the data in the envelope of the response. Throws if the request fails. */
export async function callApi<T>(url: string, init: RequestInit): Promise<T> {
  const response = await fetch(url, init);
  const { success, data, error } = (await response.json()) as { success: boolean; data: T; error: unknown };
  if (!success) throw new Error(`${url} returned ${JSON.stringify(error)}`);
  return data;
}

/** Signs in as the game's owner. Returns a function that reads the data at an API path. */
export async function signIn({ url }: Service): Promise<Get> {
  const response = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return (path) => callApi(`${url}/api/v1${path}`, { headers: { cookie } });
}

/** The header with which a request is taken once, however often it is sent. Each `@` becomes a digit of its number. */
export const IDEMPOTENCY = 'Idempotency-Key: bench-@@@@@@@@@@@@@@@@';

/** A request of a game client with this JSON body. */
export function postOf(path: string, { game, build }: GameIds, body: string, ...headers: readonly string[]): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: bench',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-App-Id: ${game}`,
    `X-Build-Id: ${build}`,
    ...headers,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends the request repeatedly, from a separate process. */
export async function send(
  { url }: Service,
  request: Pick<Load, 'request' | 'status' | 'firstNo' | 'numbers'>,
  {
    connections,
    seconds,
    warmSeconds = WARM_SECONDS,
  }: Pick<Load, 'connections' | 'seconds'> & { warmSeconds?: number },
): Promise<LoadResult> {
  const { hostname: host, port } = new URL(url);
  const load: Load = { ...request, host, port: Number(port), connections, seconds, warmSeconds };
  const program = fileURLToPath(new URL('./load.ts', import.meta.url));
  const { stdout } = await run(process.execPath, [program, JSON.stringify(load)]);
  return JSON.parse(stdout);
}
