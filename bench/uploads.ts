// Measures how fast the server receives a zip, whole and in chunks, compared with a bare Node server that pipes a PUT into a
// file and hashes it, and how much its memory grows. `--gb 5` for the largest zip, `--runs 5`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { GIB, LIMITS, MIB } from '@chauffeur/contract/limits';
import { medianOf, note, print, printFigure } from './figures.ts';
import { peakDuring, processorSecondsOf, residentOf } from './process-watch.ts';
import { makeRandomZip, type Zip } from './random-zip.ts';
import { closeSender, send } from './sender.ts';
import { end, type Service, startService } from './service.ts';

const WAYS = ['raw PUT', 'single', 'chunked'] as const;
type Way = (typeof WAYS)[number];

type Receiver = {
  upload: Record<Way, (zip: Zip) => Promise<void>>;
  /** Lets the service end what it does with a file afterwards, and frees the disk for the next upload. */
  tidy(): Promise<void>;
};

async function startPutServer(folder: string): Promise<{ url: string; child: ChildProcess }> {
  const program = fileURLToPath(new URL('./put-server.ts', import.meta.url));
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout!, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${String(port).trim()}`, child };
}

/** A game with a deploy key and a build to upload to. */
async function prepareBuild(
  service: Service,
): Promise<{ keys: Record<string, string>; fields: Record<string, string> }> {
  const email = 'bench@example.com';
  service.admin(['user', 'create', '--email', email, '--password-stdin', '--verified'], 'a password for the bench\n');
  const { game_uid: game = '' } = service.admin(['game', 'create', '--owner', email, '--name', 'Bench']);
  const { access_token = '', secret_key = '' } = service.admin(['key', 'issue', '--game', game]);
  const keys = { 'x-access-token': access_token, 'x-secret-key': secret_key };
  const platform = { os: 'linux', arch: 'x86_64', channel: 'stable' };
  const { build_id } = await call<{ build_id: string }>(`${service.url}/api/v1/tool/upload/build`, {
    method: 'POST',
    headers: { ...keys, 'content-type': 'application/json' },
    body: JSON.stringify({ version: '1.0.0', ...platform }),
  });
  return { keys, fields: { build_id, ...platform } };
}

/** The data of an answer in the service's envelope. */
async function call<T>(url: string, init: RequestInit): Promise<T> {
  const response = await fetch(url, init);
  const { success, data, error } = (await response.json()) as { success: boolean; data: T; error: unknown };
  if (!success) throw new Error(`${url} answered ${JSON.stringify(error)}`);
  return data;
}

async function prepareReceivers(service: Service, put: { url: string }, folder: string): Promise<Receiver> {
  const { keys, fields } = await prepareBuild(service);
  const tool = `${service.url}/api/v1/tool`;
  const post = { method: 'POST', url: `${tool}/upload/files` } as const;
  let pending: string | undefined;

  function takeAnswer(answer: unknown, zip: Zip): void {
    const { file_uid, checksum, size } = (answer as { data: { file_uid: string; checksum: string; size: number } })
      .data;
    if (checksum !== zip.sha256 || size !== zip.size) throw new Error('the service received something else');
    pending = file_uid;
  }

  return {
    upload: {
      async 'raw PUT'({ path, size, sha256 }) {
        const answer = await send({ method: 'PUT', url: `${put.url}/raw.zip`, headers: {}, path, start: 0, end: size });
        if ((answer as { checksum: string }).checksum !== sha256)
          throw new Error('the yardstick received something else');
      },
      async single(zip) {
        const form = { fields: { ...fields, checksum: zip.sha256 }, filename: 'game.zip' };
        takeAnswer(await send({ ...post, headers: keys, path: zip.path, start: 0, end: zip.size, form }), zip);
      },
      async chunked(zip) {
        const all = { ...fields, checksum: zip.sha256, filename: 'game.zip', total_size: String(zip.size) };
        const body = new URLSearchParams(all);
        const { session_id } = await call<{ session_id: string }>(`${tool}/upload/sessions`, {
          method: 'POST',
          headers: keys,
          body,
        });
        const form = { fields: {}, filename: 'game.zip' };
        for (let start = 0; start < zip.size; start += LIMITS.chunkBytes) {
          const end = Math.min(start + LIMITS.chunkBytes, zip.size);
          const headers = {
            ...keys,
            'x-upload-session-id': session_id,
            'content-range': `bytes ${start}-${end - 1}/${zip.size}`,
          };
          const answer = await send({ ...post, headers, path: zip.path, start, end, form });
          if (end === zip.size) takeAnswer(answer, zip);
        }
      },
    },
    async tidy() {
      if (pending !== undefined) await untilScanned(`${tool}/files/${pending}`, keys);
      pending = undefined;
      await rm(join(folder, 'raw.zip'), { force: true });
      await rm(join(folder, 'data/blobs/files'), { recursive: true, force: true });
      // Wait for pending writes of one upload, which would slow down the next.
      execFileSync('sync');
    },
  };
}

async function untilScanned(url: string, headers: Record<string, string>): Promise<void> {
  for (;;) {
    const { status } = await call<{ status: string }>(url, { headers });
    if (status !== 'pending' && status !== 'scanning') return;
    await wait(50);
  }
}

type Measured = { seconds: Record<Way, number[]>; growth: number };

/** One round to warm up, then `runs` whose seconds count. The memory of every upload counts, most of all of the first. */
async function measure(
  service: Service,
  putPid: number,
  receiver: Receiver,
  zip: Zip,
  runs: number,
): Promise<Measured> {
  const measured: Measured = { seconds: { 'raw PUT': [], single: [], chunked: [] }, growth: 0 };
  for (let run = 0; run <= runs; run++) {
    for (const way of WAYS) {
      const { seconds, processor, growth } = await timeOne(service, putPid, way, () => receiver.upload[way](zip));
      await receiver.tidy();
      const name = run === 0 ? 'warm-up' : `run ${run}`;
      note(
        `${name}: ${way} ${speed(zip, seconds)} MB/s, ${processor.toFixed(2)} s of processor, memory grown by ${mib(growth)} MiB`,
      );
      if (way !== 'raw PUT') measured.growth = Math.max(measured.growth, growth);
      if (run > 0) measured.seconds[way].push(seconds);
    }
  }
  return measured;
}

/** Seconds that an upload takes, those of processor time in its receiver, and by how many bytes the receiver grows meanwhile. */
async function timeOne(service: Service, putPid: number, way: Way, upload: () => Promise<void>) {
  const pid = way === 'raw PUT' ? putPid : service.pid;
  const [begun, processorBefore] = [performance.now(), processorSecondsOf(pid)];
  const before = residentOf(pid);
  const growth = (await peakDuring(pid, upload)) - before;
  return { seconds: (performance.now() - begun) / 1000, processor: processorSecondsOf(pid) - processorBefore, growth };
}

function speed({ size }: Zip, seconds: number): string {
  return (size / seconds / 1e6).toFixed(0);
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(0);
}

function report(zip: Zip, { seconds, growth }: Measured): void {
  const [raw, single, chunked] = WAYS.map((way) => medianOf(seconds[way])) as [number, number, number];
  const speeds = `raw PUT ${speed(zip, raw)} MB/s, single ${speed(zip, single)} MB/s, chunked ${speed(zip, chunked)} MB/s`;
  print(`${(zip.size / GIB).toFixed(2)} GiB: ${speeds} (medians of ${seconds.single.length})`);
  printFigure('single / raw PUT', raw / single, { least: 0.8 });
  printFigure('chunked / single', single / chunked, { least: 0.8 });
  printFigure('memory grown by one upload, at most', growth / MIB, { below: 64 }, { unit: ' MiB', digits: 0 });
}

const { values } = parseArgs({
  options: { gb: { type: 'string', default: '1' }, runs: { type: 'string', default: '5' } },
});
const folder = await mkdtemp(join(tmpdir(), 'chauffeur-bench-'));
// As root, PostgreSQL runs under another account, which must be able to enter.
await chmod(folder, 0o755);
const put = await startPutServer(folder);
try {
  const zip = await makeRandomZip(folder, Number(values.gb) * GIB);
  const service = await startService(join(folder, 'data'));
  try {
    const receiver = await prepareReceivers(service, put, folder);
    report(zip, await measure(service, put.child.pid ?? 0, receiver, zip, Number(values.runs)));
  } finally {
    await service.stop();
  }
} finally {
  closeSender();
  await end(put.child);
  await rm(folder, { recursive: true, force: true });
}
