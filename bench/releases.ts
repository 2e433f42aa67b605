// Releases a game of 1 GB twice, with 1 % changed, and installs and updates it: all with the command, through nginx, from
// a server with S3. Prints bytes, seconds and the memory of the command. `--mb 200` for a smaller game.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NO_NGINX, startNginx } from '../e2e/setup/nginx.ts';
import { makeFolder, startService } from '../e2e/setup/processes.ts';
import { openStudioByCommands } from '../e2e/setup/studio.ts';
import { findFreePort } from '../packages/server/test/setup/free-port.ts';
import { COMMAND, environmentWith } from '../packages/server/test/setup/programs.ts';
import { S3_MISSING, startS3 } from '../packages/server/test/setup/s3.ts';
import { note, printFigure } from './figures.ts';
import { watchPeak } from './process-watch.ts';
import { changeGame, writeGame } from './release-game.ts';

const MB = 1_000_000;
const PLATFORM = ['--os', 'linux', '--arch', 'x86_64'];

const { values } = parseArgs({ options: { mb: { type: 'string', default: '1000' } } });

type Run = { readonly report: Record<string, unknown>; readonly seconds: number; readonly peak: number };

/** Runs the command with `--json`, and watches its memory. */
async function run(args: readonly string[], environment: Record<string, string>): Promise<Run> {
  const begun = performance.now();
  const child = spawn(process.execPath, [COMMAND, ...args, '--json'], {
    env: environmentWith(environment),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const watch = watchPeak(child.pid ?? 0);
  const [code] = (await once(child, 'close')) as [number | null];
  const peak = watch.end();
  if (code !== 0) throw new Error(`chauffeur ${args[0]} ended with ${code}: ${output}`);
  return { report: JSON.parse(output), seconds: (performance.now() - begun) / 1000, peak };
}

function say(name: string, { report, seconds, peak }: Run, bytes: readonly string[]): void {
  const counts = bytes.map((field) => `${(Number(report[field]) / MB).toFixed(2)} MB ${field.replace('_bytes', '')}`);
  note(`${name}: ${counts.join(', ')}, in ${seconds.toFixed(1)} s, ${(peak / MB).toFixed(0)} MB of memory`);
}

type Site = { readonly url: string; readonly service: Awaited<ReturnType<typeof startService>>; stop(): Promise<void> };

/** A server with S3 behind nginx, as docs/proxy.md says. */
async function startSite(folder: string): Promise<Site> {
  const s3 = await startS3({ within: folder });
  if (s3 === null) throw new Error(S3_MISSING);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const service = await startService(join(folder, 'data'), {
    ...s3.env,
    CHAUFFEUR_BLOBS: s3.url,
    CHAUFFEUR_PUBLIC_URL: url,
    CHAUFFEUR_TRUST_PROXY: '1',
    CHAUFFEUR_LIMIT_STORAGE_MB: '0',
  });
  const nginx = await startNginx(
    port,
    `server {
      listen 127.0.0.1:${port};
      location / {
        proxy_pass ${service.url};
        proxy_http_version 1.1;
        proxy_set_header Host $host:$server_port;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_request_buffering off;
        client_max_body_size 0;
        proxy_read_timeout 600s;
      }
    }`,
  );
  if (nginx === null) throw new Error(NO_NGINX);
  return {
    url,
    service,
    async stop() {
      await nginx.stop();
      await service.stop();
      await s3.stop();
    },
  };
}

async function main(): Promise<void> {
  const work = await makeFolder();
  const site = await startSite(work.path);
  try {
    const [source, installed] = [join(work.path, 'source'), join(work.path, 'installed')];
    const studio = await openStudioByCommands({ ...site.service, url: site.url, api: `${site.url}/api/v1` });
    const environment = { ...studio.environment, XDG_CONFIG_HOME: join(work.path, 'config') };
    await mkdir(source);
    await writeFile(join(source, 'play.sh'), '#!/bin/sh\n', { mode: 0o755 });
    note('writing the game');
    await writeGame(source, Number(values.mb) * MB);
    const push = (version: string) =>
      run(['push', source, '--version', version, '--channel', 'stable', ...PLATFORM], environment);
    const first = await push('1.0');
    say('first push', first, ['sent_bytes', 'reused_bytes']);
    const install = await run(['install', `${site.url}/g/${studio.slug}`, installed, ...PLATFORM], environment);
    say('installation', install, ['downloaded_bytes', 'reused_bytes']);
    const changed = await changeGame(source);
    note(`changed ${changed / MB} MB`);
    const second = await push('1.1');
    say('second push', second, ['sent_bytes', 'reused_bytes']);
    const update = await run(['update', installed], environment);
    say('update', update, ['downloaded_bytes', 'reused_bytes']);
    printFigure('sent per changed byte', Number(second.report.sent_bytes) / changed, { below: 2 });
    printFigure('downloaded per changed byte', Number(update.report.downloaded_bytes) / changed, { below: 2 });
    printFigure('update in', Number(update.report.seconds), { below: 5 }, { unit: ' s' });
    for (const [name, { peak }] of Object.entries({ install, update }))
      printFigure(`memory of ${name}`, peak / MB, { below: 150 }, { unit: ' MB', digits: 0 });
  } finally {
    await site.stop();
    await work.remove();
  }
}

await main();
