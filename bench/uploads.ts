// Measures how fast the server receives a zip, whole and in chunks, and how much its memory grows. The yardstick is a
// plain Node server that pipes a PUT into a file and hashes it. `--gb 5` for the largest zip, `--runs 5`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { GIB, LIMITS, MIB } from '@chauffeur/contract/limits';
import { medianOf, note, print, printFigure } from './figures.ts';
import { cpuSecondsOf, peakDuring, residentOf } from './process-watch.ts';
import { makeRandomZip, type Zip } from './random-zip.ts';
import { callApi, openGame, PLATFORM } from './requests.ts';
import { closeSender, send } from './sender.ts';
import { createFolder, end, type Service, startService } from './service.ts';

const METHODS = ['raw PUT', 'single', 'chunked'] as const;
type Method = (typeof METHODS)[number];

type Receiver = {
  upload: Record<Method, (zip: Zip) => Promise<void>>;
  /** Waits until the service has processed the file, and frees the disk for the next upload. */
  cleanUp(): Promise<void>;
};

async function startPutServer(folder: string): Promise<{ url: string; child: ChildProcess }> {
  const program = fileURLToPath(new URL('./put-server.ts', import.meta.url));
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout!, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${String(port).trim()}`, child };
}

async function prepareReceivers(service: Service, put: { url: string }, folder: string): Promise<Receiver> {
  const { build, keys } = await openGame(service);
  const fields = { build_id: build, ...PLATFORM, channel: 'stable' };
  const tool = `${service.url}/api/v1/tool`;
  const post = { method: 'POST', url: `${tool}/upload/files` } as const;
  let pending: string | undefined;

  function checkResponse(response: unknown, zip: Zip): void {
    const { file_uid, checksum, size } = (response as { data: { file_uid: string; checksum: string; size: number } })
      .data;
    if (checksum !== zip.sha256 || size !== zip.size) throw new Error('the service received different bytes');
    pending = file_uid;
  }

  return {
    upload: {
      async 'raw PUT'({ path, size, sha256 }) {
        const response = await send({
          method: 'PUT',
          url: `${put.url}/raw.zip`,
          headers: {},
          path,
          start: 0,
          end: size,
        });
        if ((response as { checksum: string }).checksum !== sha256)
          throw new Error('the yardstick received different bytes');
      },
      async single(zip) {
        const form = { fields: { ...fields, checksum: zip.sha256 }, filename: 'game.zip' };
        checkResponse(await send({ ...post, headers: keys, path: zip.path, start: 0, end: zip.size, form }), zip);
      },
      async chunked(zip) {
        const all = { ...fields, checksum: zip.sha256, filename: 'game.zip', total_size: String(zip.size) };
        const body = new URLSearchParams(all);
        const { session_id } = await callApi<{ session_id: string }>(`${tool}/upload/sessions`, {
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
          const response = await send({ ...post, headers, path: zip.path, start, end, form });
          if (end === zip.size) checkResponse(response, zip);
        }
      },
    },
    async cleanUp() {
      if (pending !== undefined) await untilScanned(`${tool}/files/${pending}`, keys);
      pending = undefined;
      await rm(join(folder, 'raw.zip'), { force: true });
      await rm(join(folder, 'data/blobs/files'), { recursive: true, force: true });
      // Pending writes of one upload would slow down the next.
      execFileSync('sync');
    },
  };
}

async function untilScanned(url: string, headers: Record<string, string>): Promise<void> {
  for (;;) {
    const { status } = await callApi<{ status: string }>(url, { headers });
    if (status !== 'pending' && status !== 'scanning') return;
    await wait(50);
  }
}

type Measured = { seconds: Record<Method, number[]>; growth: number };

/** Measures the time of `runs` rounds after a warm-up round, and the memory of all uploads, including the warm-up. */
async function measure(
  service: Service,
  putPid: number,
  receiver: Receiver,
  zip: Zip,
  runs: number,
): Promise<Measured> {
  const measured: Measured = { seconds: { 'raw PUT': [], single: [], chunked: [] }, growth: 0 };
  for (let run = 0; run <= runs; run++) {
    for (const method of METHODS) {
      const { seconds, cpu, growth } = await timeOne(service, putPid, method, () => receiver.upload[method](zip));
      await receiver.cleanUp();
      const name = run === 0 ? 'warm-up' : `run ${run}`;
      note(
        `${name}: ${method} ${speed(zip, seconds)} MB/s, ${cpu.toFixed(2)} s of CPU time, memory grown by ${mib(growth)} MiB`,
      );
      if (method !== 'raw PUT') measured.growth = Math.max(measured.growth, growth);
      if (run > 0) measured.seconds[method].push(seconds);
    }
  }
  return measured;
}

/** Returns the seconds that an upload takes, and the CPU time and memory growth of its receiver. */
async function timeOne(service: Service, putPid: number, method: Method, upload: () => Promise<void>) {
  const pid = method === 'raw PUT' ? putPid : service.pid;
  const [begun, cpuBefore] = [performance.now(), cpuSecondsOf(pid)];
  const before = residentOf(pid);
  const growth = (await peakDuring(pid, upload)) - before;
  return { seconds: (performance.now() - begun) / 1000, cpu: cpuSecondsOf(pid) - cpuBefore, growth };
}

function speed({ size }: Zip, seconds: number): string {
  return (size / seconds / 1e6).toFixed(0);
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(0);
}

function report(zip: Zip, { seconds, growth }: Measured): void {
  const [raw, single, chunked] = METHODS.map((method) => medianOf(seconds[method])) as [number, number, number];
  const speeds = `raw PUT ${speed(zip, raw)} MB/s, single ${speed(zip, single)} MB/s, chunked ${speed(zip, chunked)} MB/s`;
  print(`${(zip.size / GIB).toFixed(2)} GiB: ${speeds} (medians of ${seconds.single.length})`);
  printFigure('single / raw PUT', raw / single, { min: 0.8 });
  printFigure('chunked / single', single / chunked, { min: 0.8 });
  printFigure('maximum memory growth of an upload', growth / MIB, { below: 64 }, { unit: ' MiB', digits: 0 });
}

const { values } = parseArgs({
  options: { gb: { type: 'string', default: '1' }, runs: { type: 'string', default: '5' } },
});
const folder = await createFolder();
const put = await startPutServer(folder);
try {
  const zip = await makeRandomZip(folder, Math.round(Number(values.gb) * GIB));
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
