// Measures how many crash reports (JSON) the service takes in a second, each durable before its answer, against the rate at which
// the same Fastify answers a constant: its /health. `--runs 5 --seconds 3 --connections 512`.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { medianOf, note, print, printFigure } from './figures.ts';
import type { LoadResult } from './load.ts';
import { CONSTANT, openGame, postOf, send } from './requests.ts';
import { type Service, startService } from './service.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '512' },
  },
});

const volume = { connections: Number(values.connections), seconds: Number(values.seconds) };

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
  const post = postOf('/api/v1/public/crashes', await openGame(service), REPORT);
  const constants: LoadResult[] = [];
  const crashes: LoadResult[] = [];
  for (let no = 1; no <= Number(values.runs); no += 1) {
    constants.push(await send(service, { request: CONSTANT, status: 200 }, volume));
    crashes.push(await send(service, { request: post, status: 201 }, volume));
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
