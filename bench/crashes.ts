// Measures how many crash reports (JSON) the service takes in a second, each durable before its answer, against the rate at which
// the same Fastify answers a constant: its /health. `--runs 5 --seconds 3 --connections 512`.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { medianOf, note, print, printFigure } from './figures.ts';
import type { Load, LoadResult } from './load.ts';
import { type Service, startService } from './service.ts';

const run = promisify(execFile);
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '512' },
  },
});

/** What a game says of a crash whose dump and log it would send. */
const REPORT = JSON.stringify({
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

const folder = await mkdtemp(join(tmpdir(), 'chauffeur-bench-'));
// As root, PostgreSQL runs under another account, which must be able to enter.
await chmod(folder, 0o755);
try {
  const service = await startService(join(folder, 'data'));
  try {
    await compare(service);
  } finally {
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function compare(service: Service): Promise<void> {
  const { host, port } = addressOf(service.url);
  const get = `GET /health HTTP/1.1\r\nHost: bench\r\n\r\n`;
  const post = await crashRequestOf(service);
  const constants: LoadResult[] = [];
  const crashes: LoadResult[] = [];
  for (let no = 1; no <= Number(values.runs); no += 1) {
    constants.push(await send({ host, port, request: get, status: 200 }));
    crashes.push(await send({ host, port, request: post, status: 201 }));
    note(`run ${no}: constant ${describe(constants.at(-1)!)}; crash reports ${describe(crashes.at(-1)!)}`);
  }
  const rateOf = (results: readonly LoadResult[]) => medianOf(results.map(({ rate }) => rate));
  print(
    `constant ${rateOf(constants).toFixed(0)}/s, crash reports ${rateOf(crashes).toFixed(0)}/s (medians of ${values.runs})`,
  );
  print(
    `crash reports: p95 ${medianOf(crashes.map(({ p95Ms }) => p95Ms)).toFixed(0)} ms at ${values.connections} connections`,
  );
  printFigure('crash reports / constant', rateOf(crashes) / rateOf(constants), { least: 0.4 });
}

function describe({ rate, p50Ms, p95Ms }: LoadResult): string {
  return `${rate.toFixed(0)}/s (p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms)`;
}

async function send(load: Pick<Load, 'host' | 'port' | 'request' | 'status'>): Promise<LoadResult> {
  const program = fileURLToPath(new URL('./load.ts', import.meta.url));
  const full: Load = {
    ...load,
    connections: Number(values.connections),
    warmSeconds: 2,
    seconds: Number(values.seconds),
  };
  const { stdout } = await run(process.execPath, [program, JSON.stringify(full)]);
  return JSON.parse(stdout);
}

/** The request that reports a crash of a build that was registered for it. */
async function crashRequestOf(service: Service): Promise<string> {
  const email = 'bench@example.com';
  service.admin(['user', 'create', '--email', email, '--password-stdin', '--verified'], 'a password for the bench\n');
  const { game_uid: game = '' } = service.admin(['game', 'create', '--owner', email, '--name', 'Bench']);
  const { access_token = '', secret_key = '' } = service.admin(['key', 'issue', '--game', game]);
  const response = await fetch(`${service.url}/api/v1/tool/upload/build`, {
    method: 'POST',
    headers: { 'x-access-token': access_token, 'x-secret-key': secret_key, 'content-type': 'application/json' },
    body: JSON.stringify({ version: '1.4.2', os: 'linux', arch: 'x86_64' }),
  });
  const { data } = (await response.json()) as { data: { build_id: string } };
  const head = [
    'POST /api/v1/public/crashes HTTP/1.1',
    'Host: bench',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(REPORT)}`,
    `X-App-Id: ${game}`,
    `X-Build-Id: ${data.build_id}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${REPORT}`;
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
