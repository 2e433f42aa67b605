// The Spark job of examples/analytics on a cluster of two workers, which reads the event files from S3: its launch
// health is the service's own, and its retention and funnel are those of the events that were sent.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { removeDevicesNow } from '../../packages/server/src/analytics/events/files/remove-devices.job.ts';
import { writeEventFiles } from '../../packages/server/src/analytics/events/files/write-files.job.ts';
import { DAY, HOUR } from '../../packages/server/src/kernel/clock.ts';
import { addBuild, callAs, makeSharedGame, type SharedGame } from '../../packages/server/test/setup/crash-reports.ts';
import { assertAccepted, send } from '../../packages/server/test/setup/events.ts';
import { S3_MISSING, type S3Server, startS3 } from '../../packages/server/test/setup/s3.ts';
import { startServer, type TestServer } from '../../packages/server/test/setup/server.ts';

const SPARK_MISSING = 'skipped: spark-submit or its jars for S3 not found (examples/analytics/README.md)';
const EXAMPLE = join(import.meta.dirname, '../../examples/analytics');

/** The hours are in the past, because hours of the future are never closed. */
const START = Date.parse('2024-03-01T00:00:00Z');
const DAYS = 45;
const DEVICES = 120;
const STEPS = ['boot_ok', 'first_input', 'session_end'];
const RUN = { signal: new AbortController().signal };

type Sent = { device: string; event: string; at: number };

let now = new Date(START);
let s3: S3Server | null;
let server: TestServer | undefined;

before(async () => {
  s3 = await startS3();
  if (s3 === null) return;
  // The thread that writes the files reads them, too.
  Object.assign(process.env, s3.env);
  const env = { CHAUFFEUR_BLOBS: s3.url, CHAUFFEUR_LIMIT_PUBLIC: '0' };
  server = await startServer({ role: 'api', clock: { now: () => now }, env });
});
after(async () => {
  await server?.stop();
  await s3?.stop();
});

/** The folder of Spark's programs, and that of the jars for S3, which is next to it. */
type Spark = { folder: string; jars: string };

function findSpark(): Spark | null {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => ({ folder, jars: join(folder, '..', 's3-jars') }))
    .find(({ folder, jars }) => existsSync(join(folder, 'spark-submit')) && existsSync(jars));
  if (found === undefined && process.env.CI === 'true') throw new Error(SPARK_MISSING);
  return found ?? null;
}

/** Numbers from 0 to 1, the same in every run. */
function makeRandom(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Lets devices play on all days, each build some days longer than the one before. Returns what was counted. */
async function play(on: TestServer, game: SharedGame, builds: readonly string[]): Promise<Sent[]> {
  const random = makeRandom();
  const sent: Sent[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    for (const [index, buildId] of builds.entries()) {
      if (day > 20 + index * 12) continue;
      const events: { event: string; device_uid?: string; seconds?: number }[] = [{ event: 'without_device' }];
      for (let no = 0; no < DEVICES; no += 1) {
        // Half of the devices come back, with a chance that falls with the days.
        const isHere = no % 40 === day % 40 || (no % 2 === 0 && random() < 1 / (1 + day / 4));
        if (!isHere) continue;
        const device_uid = `device-${no}`;
        if (random() < 0.2) events.push({ event: 'crash', device_uid });
        if (random() < 0.8) events.push({ event: 'boot_ok', device_uid });
        if (random() < 0.5) events.push({ event: 'first_input', device_uid });
        if (random() < 0.2) events.push({ event: 'crash', device_uid });
        if (random() < 0.4) events.push({ event: 'session_end', device_uid, seconds: 60 });
        events.push({ event: 'level', device_uid });
      }
      now = new Date(START + day * DAY + index * HOUR + Math.floor(random() * HOUR));
      for (let from = 0; from < events.length; from += 50) {
        const part = events.slice(from, from + 50);
        assertAccepted(
          await send({ server: on, game: { uid: game.uid } as never, buildId }, { events: part }),
          part.length,
        );
        for (const { event, device_uid } of part)
          if (device_uid !== undefined) sent.push({ device: device_uid, event, at: now.getTime() });
        now = new Date(now.getTime() + 1);
      }
    }
  }
  return sent;
}

function retentionOf(sent: readonly Sent[], today: number): object[] {
  const days = new Map<string, Set<number>>();
  for (const { device, at } of sent)
    days.set(device, (days.get(device) ?? new Set<number>()).add(Math.floor((at - START) / DAY)));
  return [1, 7, 30].map((age) => {
    const known = [...days.values()].filter((seen) => Math.min(...seen) + age < today);
    return {
      day: age,
      devices: known.length,
      returned: known.filter((seen) => seen.has(Math.min(...seen) + age)).length,
    };
  });
}

function funnelOf(sent: readonly Sent[]): object[] {
  const next = new Map<string, number>();
  const counts = STEPS.map(() => 0);
  for (const { device, event } of sent) {
    const step = next.get(device) ?? 0;
    if (event !== STEPS[step]) continue;
    counts[step]! += 1;
    next.set(device, step + 1);
  }
  return STEPS.map((event, step) => ({ event, devices: counts[step] }));
}

async function runJob({ folder: bin, jars: jarFolder }: Spark, files: string): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-spark-'));
  const jars = (await readdir(jarFolder)).map((name) => join(jarFolder, name));
  const endpoint = new URL(s3!.url).searchParams.get('endpoint')!;
  const today = now.toISOString().slice(0, 10);
  const output = join(folder, 'result.json');
  try {
    await promisify(execFile)(
      'spark-submit',
      [
        ...['--master', 'local-cluster[2,1,1024]', '--jars', jars.join()],
        ...['--conf', 'spark.ui.enabled=false', '--conf', 'spark.sql.shuffle.partitions=4'],
        ...['--conf', 'spark.driver.host=127.0.0.1', '--conf', 'spark.driver.bindAddress=127.0.0.1'],
        ...[
          '--conf',
          `spark.hadoop.fs.s3a.endpoint=${endpoint}`,
          '--conf',
          'spark.hadoop.fs.s3a.path.style.access=true',
        ],
        ...['--conf', 'spark.hadoop.fs.s3a.endpoint.region=us-east-1'],
        ...[join(EXAMPLE, 'report.py'), files, '--today', today, '--funnel', STEPS.join(), '--output', output],
      ],
      {
        cwd: folder,
        env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, SPARK_LOCAL_IP: '127.0.0.1', ...s3!.env },
        timeout: 500_000,
        maxBuffer: 1e8,
      },
    );
    return JSON.parse(await readFile(output, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('the Spark job finds the launch health of the service, and the retention and funnel of what was sent', {
  timeout: 600_000,
}, async (t) => {
  if (s3 === null || server === undefined) return t.skip(S3_MISSING);
  const spark = findSpark();
  if (spark === null) return t.skip(SPARK_MISSING);
  const game = await makeSharedGame(server);
  const builds: string[] = [];
  for (const version of ['1.0', '1.1', '1.2']) builds.push(await addBuild(server, game, { version }));
  await callAs(server, game.owner, `/games/${game.uid}/event-files`, { method: 'PUT', body: { enabled: true } });
  const sent = await play(server, game, builds);
  now = new Date(START + DAYS * DAY + HOUR);
  await writeEventFiles(server.ctx, {}, RUN);
  await callAs(server, game.owner, `/games/${game.uid}/devices/device-2`, { method: 'DELETE' });
  await removeDevicesNow(server.ctx, { gameId: game.uid }, RUN);

  const result = await runJob(spark, `s3a://${new URL(s3.url).host}/events/game_id=${game.uid}`);
  const { body } = await callAs(server, game.owner, `/games/${game.uid}/health`);
  const ofService = body.data.builds.map(({ build_id, devices, booted, crashed_on_boot }: Record<string, unknown>) => ({
    build_id,
    devices,
    booted,
    crashed_on_boot,
  }));
  const byBuild = (a: { build_id: string }, b: { build_id: string }) => (a.build_id < b.build_id ? -1 : 1);
  assert.ok(ofService.length >= 2 && ofService.every((build: { devices: number }) => build.devices > 0));
  assert.deepEqual(result.launch_health, ofService.sort(byBuild));
  const remaining = sent.filter(({ device }) => device !== 'device-2');
  assert.deepEqual(result.retention, retentionOf(remaining, DAYS));
  assert.deepEqual(result.funnel, funnelOf(remaining));
});
