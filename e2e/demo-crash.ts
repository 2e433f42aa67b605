// A demo of crash reporting on its own server: `npm run demo:crash`. Sends real dumps, uploads their symbols later, and
// prints the groups.
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { reportByApi, reportByCrashpad, reportByEngine, type Target } from './setup/crash-clients.ts';
import { makeFolder, runCommand, type ServiceProcess, startService } from './setup/processes.ts';
import { openStudioByCommands, type Studio } from './setup/studio.ts';

const FIXTURES = fileURLToPath(new URL('../packages/server/test/fixtures/crashes', import.meta.url));
/** Programs that crash on purpose. Their symbols have the debug ids in the dumps. */
const PROGRAMS = ['null_deref_inline', 'nosym_middle'] as const;
const PATIENCE_MS = 60_000;

type Group = { title: string; reason: string | null; count: number; builds: { version: string; count: number }[] };
type Crash = {
  crash_id: string;
  state: string;
  title: string;
  user_message: string;
  reason: string | null;
  crash_address: string | null;
  stack: { function: string | null; module: string | null; file: string | null; line: number | null; trust: string }[];
};

const print = (text: string) => process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const began = performance.now();
  const work = await makeFolder();
  let service: ServiceProcess | undefined;
  try {
    print('Starting a server with an embedded PostgreSQL in a new folder');
    service = await startService(join(work.path, 'data'));
    const studio = await openStudioByCommands(service);
    print(`  listening on ${service.url}\n`);
    const buildId = await registerBuild(studio, work.path);
    await crash({ api: service.api, gameUid: studio.gameUid, buildId });
    const read = <T>(path: string) => readAs<T>(`${service?.api}/games/${studio.gameUid}${path}`, studio.session);
    await untilAll(read, ({ state }) => state === 'processed' || state === 'failed');
    print('\nGroups without symbols');
    await printGroups(read);
    await sendSymbols(studio, buildId, work.path);
    await untilAll(
      read,
      ({ title }) => !title.includes('.so') && !PROGRAMS.some((program) => title.startsWith(program)),
    );
    print('\nGroups with symbols: earlier reports were processed again automatically');
    await printGroups(read);
    await printReport(read);
    print(`\nDone in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
  } finally {
    await service?.stop();
    await work.remove();
  }
}

async function registerBuild(studio: Studio, folder: string): Promise<string> {
  print('Registering a build with the chauffeur command');
  await run(studio, folder, ['genbuild', '--version', '1.2.0', '--title', 'Parking']);
  const { stdout } = await run(studio, folder, [
    'build',
    '--asset',
    'build.yml',
    '--os',
    'linux',
    '--arch',
    'x86_64',
    '--json',
  ]);
  return (JSON.parse(stdout) as { build_id: string }).build_id;
}

async function crash(target: Target): Promise<void> {
  const [first, second] = (await Promise.all(PROGRAMS.map((name) => readFile(join(FIXTURES, `${name}.dmp`))))).map(
    (bytes) => new Uint8Array(bytes),
  ) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
  print('\nA game reports a crash: JSON first, then a dump and a log');
  const report = { app_version: '1.2.0', os: 'linux', user_message: 'I turned left at the second pillar.' };
  const { id } = await reportByApi(target, report, { dump: first, log: 'level: garage\nfps: 59\n' });
  print(`  report ${id}`);
  print("An engine's crash reporter sends another crash as a single form");
  await reportByEngine(target, { app_version: '1.2.0', app_name: 'Parking' }, second);
  print('Crashpad sends the first crash again, gzipped, from another player');
  const reportId = await reportByCrashpad(target, { prod: 'Parking', ver: '1.2.0', guid: 'a-player' }, first);
  print(`  report ${reportId}`);
}

async function sendSymbols(studio: Studio, buildId: string, folder: string): Promise<void> {
  print('\nUploading the symbols with the chauffeur command');
  for (const program of PROGRAMS) {
    await mkdir(join(folder, 'symbols'), { recursive: true });
    await copyFile(join(FIXTURES, `${program}.sym`), join(folder, 'symbols', `${program}.sym`));
  }
  await run(studio, folder, ['symbols', '--build-id', buildId, 'symbols'], true);
}

async function run(studio: Studio, folder: string, args: string[], echo = false) {
  print(`  $ chauffeur ${args.join(' ')}`);
  const result = await runCommand(args, { environment: studio.environment, folder, echo });
  if (result.code !== 0) throw new Error(`chauffeur ${args[0]} exited with code ${result.code}`);
  return result;
}

async function readAs<T>(url: string, headers: Record<string, string>): Promise<T> {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { data: T }).data;
}

type Read = <T>(path: string) => Promise<T>;

/** Waits until `isDone` is true for all three reports. */
async function untilAll(read: Read, isDone: (crash: Crash) => boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (true) {
    const { crashes } = await read<{ crashes: Crash[] }>('/crashes');
    if (crashes.length === 3 && crashes.every(isDone)) return;
    if (Date.now() > deadline) throw new Error(`the reports are still ${crashes.map(({ state }) => state).join(', ')}`);
    await wait(100);
  }
}

async function printGroups(read: Read): Promise<void> {
  const { groups } = await read<{ groups: Group[] }>('/crash-groups');
  for (const { count, title, reason, builds } of groups) {
    const versions = builds.map((build) => `${build.count} of ${build.version}`).join(', ');
    print(`  ${String(count).padStart(3)} × ${title}   (${reason}; ${versions})`);
  }
}

async function printReport(read: Read): Promise<void> {
  const { crashes } = await read<{ crashes: Crash[] }>('/crashes');
  const described = crashes.find(({ user_message: message }) => message !== '');
  if (described === undefined) throw new Error("the player's message is missing");
  const {
    reason,
    crash_address: address,
    user_message: words,
    stack,
  } = await read<Crash>(`/crashes/${described.crash_id}`);
  print(`\nThe report with the player's message: "${words}"`);
  print(`  ${reason} at ${address}`);
  for (const { function: name, module, file, line, trust } of stack.slice(0, 8)) {
    print(`  ${name ?? module ?? '?'}${file === null ? '' : ` (${file}:${line})`}   ${trust}`);
  }
}

main().catch((error: Error) => {
  process.stderr.write(`demo failed: ${error.message}\n`);
  process.exitCode = 1;
});
