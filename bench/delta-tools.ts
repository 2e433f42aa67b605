// Other tools that update a folder, each with the bytes that it transfers.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createReadStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Paths } from './delta-steps.ts';

export type Outcome = { readonly bytes: number; readonly seconds: number; readonly megabytes: number };

type Measured = { readonly output: string; readonly seconds: number; readonly megabytes: number };

/** Runs a program; null if it fails or takes too long. */
function run(seconds: number, program: string, args: readonly string[], cwd?: string): Measured | null {
  const start = performance.now();
  const options = ['--kill-after=1', String(seconds), '/usr/bin/time', '-f', '%M', program, ...args];
  const { status, stdout, stderr } = spawnSync('timeout', options, {
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, LC_ALL: 'C' },
  });
  const megabytes = (Number(/(\d+)\s*$/.exec(stderr)?.[1]) * 1024) / 1e6;
  return status === 0 ? { output: stdout, seconds: (performance.now() - start) / 1000, megabytes } : null;
}

/** One tar of each side, with nothing in it but names, modes and content. */
function tarOf(paths: Paths, side: 'old' | 'new'): string {
  const tar = join(paths.work, `${side}.tar`);
  const options = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  execFileSync('tar', ['-C', paths[side], ...options, '-cf', tar, '.']);
  return tar;
}

export type Tool = { readonly name: string; readonly run: (paths: Paths, seconds: number) => Promise<Outcome | null> };

const outcomeOf = (measured: Measured | null, bytes: () => number): Outcome | null =>
  measured === null ? null : { bytes: bytes(), seconds: measured.seconds, megabytes: measured.megabytes };

export const TOOLS: readonly Tool[] = [
  {
    name: 'xdelta3',
    async run(paths, seconds) {
      const [old, next, patch] = [tarOf(paths, 'old'), tarOf(paths, 'new'), join(paths.work, 'xdelta')];
      // The window is as large as the old content, as far as xdelta3 allows it.
      const window = String(Math.min(2 ** 30, Math.max(2 ** 26, 2 ** Math.ceil(Math.log2(statSync(old).size)))));
      const done = run(seconds, 'xdelta3', ['-9', '-f', '-B', window, '-e', '-s', old, next, patch]);
      return outcomeOf(done, () => statSync(patch).size);
    },
  },
  {
    name: 'zstd',
    async run(paths, seconds) {
      const [old, next, patch] = [tarOf(paths, 'old'), tarOf(paths, 'new'), join(paths.work, 'zstd')];
      const level = (name: string) =>
        run(seconds, 'zstd', ['-q', '-f', name, '--long=31', `--patch-from=${old}`, next, '-o', patch]);
      return outcomeOf(level('-19') ?? level('-9'), () => statSync(patch).size);
    },
  },
  {
    name: 'casync',
    async run(paths, seconds) {
      const store = join(paths.work, 'casync.castr');
      const make = (side: 'old' | 'new') =>
        run(seconds, 'casync', [
          'make',
          `--store=${store}`,
          '--chunk-size=65536',
          '--without=user-names',
          '--without=sec-time',
          '--without=usec-time',
          '--without=nsec-time',
          '--without=2sec-time',
          join(paths.work, `${side}.caidx`),
          paths[side],
        ]);
      rmSync(store, { recursive: true, force: true });
      make('old');
      const before = bytesIn(store);
      return outcomeOf(make('new'), () => bytesIn(store) - before + statSync(join(paths.work, 'new.caidx')).size);
    },
  },
  {
    name: 'zsync',
    async run(paths, seconds) {
      const [old, next] = [tarOf(paths, 'old'), tarOf(paths, 'new')];
      const control = join(paths.work, 'new.tar.zsync');
      run(seconds, 'zsyncmake', ['-u', 'new.tar', '-o', control, next]);
      const server = await serveFolder(paths.work);
      try {
        const done = await runWhileServing(
          seconds,
          'zsync',
          ['-q', '-i', old, '-o', join(paths.work, 'zsync.out'), `${server.url}/new.tar.zsync`],
          paths.work,
        );
        return outcomeOf(done, () => server.sentBytes());
      } finally {
        server.close();
      }
    },
  },
  {
    name: 'rsync',
    async run(paths, seconds) {
      const copy = join(paths.work, 'rsync');
      rmSync(copy, { recursive: true, force: true });
      mkdirSync(copy);
      execFileSync('cp', ['-a', `${paths.old}/.`, copy]);
      const options = ['-r', '-l', '-p', '-c', '-z', '--zl=9', '--no-whole-file', '--delete', '--fuzzy', '--stats'];
      const done = run(seconds, 'rsync', [...options, `${paths.new}/`, `${copy}/`]);
      const numbers = /Total bytes sent: ([\d,]+)\s+Total bytes received: ([\d,]+)/.exec(done?.output ?? '');
      return outcomeOf(done, () => [1, 2].reduce((sum, part) => sum + Number(numbers?.[part]?.replaceAll(',', '')), 0));
    },
  },
];

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Does what `run` does, while this process serves files. */
async function runWhileServing(
  seconds: number,
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<Measured | null> {
  const start = performance.now();
  const child = spawn('timeout', ['--kill-after=1', String(seconds), '/usr/bin/time', '-f', '%M', program, ...args], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (piece) => {
    errors += piece;
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on('close', resolve);
  const status = await promise;
  const megabytes = (Number(/(\d+)\s*$/.exec(errors)?.[1]) * 1024) / 1e6;
  return status === 0 ? { output: '', seconds: (performance.now() - start) / 1000, megabytes } : null;
}

/** Serves files with single ranges and with several in one request, as zsync asks for them. */
async function serveFolder(folder: string) {
  let sent = 0;
  const server = createServer((request, response) => {
    const path = join(folder, (request.url ?? '').replace(/^\/+/, ''));
    const { size } = statSync(path);
    const ranges = [...(request.headers.range ?? '').matchAll(/(\d+)-(\d*)/g)].map(
      ([, from, to]) => [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)] as const,
    );
    const stream = async () => {
      const send = async (from: number, to: number) => {
        for await (const piece of createReadStream(path, { start: from, end: to })) {
          sent += piece.length;
          response.write(piece);
        }
      };
      // zsync reads the names of headers only as they are usually written, and no chunked encoding.
      if (ranges.length === 0) {
        response.writeHead(200, { 'Content-Length': size });
        await send(0, size - 1);
      } else if (ranges.length === 1) {
        const [from, to] = ranges[0]!;
        response.writeHead(206, { 'Content-Length': to - from + 1, 'Content-Range': `bytes ${from}-${to}/${size}` });
        await send(from, to);
      } else {
        const headOf = ([from, to]: readonly [number, number]) =>
          `\r\n--part\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes ${from}-${to}/${size}\r\n\r\n`;
        const end = '\r\n--part--\r\n';
        const length = ranges.reduce((sum, range) => sum + headOf(range).length + range[1] - range[0] + 1, end.length);
        response.writeHead(206, {
          'Content-Length': length,
          'Content-Type': 'multipart/byteranges; boundary=part',
        });
        for (const range of ranges) {
          response.write(headOf(range));
          await send(...range);
        }
        response.write(end);
      }
      response.end();
    };
    stream().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, sentBytes: () => sent, close: () => server.close() };
}
