// Installs the server and the command in a Debian 12 without this repository, with the lines of the documentation, and
// runs them through a life: a game is shipped, a crash arrives, the installation is backed up, updated from the
// previous release while it is used, taken back, and restored.
import assert from 'node:assert/strict';
import { copyFile, cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { VERSION } from '@chauffeur/contract/version';
import { askAs } from '../../packages/server/test/setup/api-calls.ts';
import { findFreePort } from '../../packages/server/test/setup/free-port.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { buildServerPackage } from '../../scripts/release/server-package.ts';
import { type Debian, NO_DEBIAN, readCommands, setUpDebian } from '../setup/debian.ts';
import { type Acknowledged, startLoad } from '../setup/load.ts';
import { buildPreviousRelease, NO_HISTORY } from '../setup/previous-release.ts';
import { startBrowserSession } from '../setup/studio.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const DUMP = join(import.meta.dirname, '../../packages/server/test/fixtures/crashes/nosym_middle.dmp');
const UNIT = join(import.meta.dirname, '../../ops/systemd/chauffeur.service');
const INSTALL = join(import.meta.dirname, '../../docs/install.md');

const PASSWORD = 'a long password';
const INSTALLED = '/opt/chauffeur/node_modules/.bin';
const NEXT = '/opt/chauffeur-next/node_modules/.bin';

/** Rounds of each client of the load while the processes don't change. */
const ROUNDS = 10;

describe('an installation on Debian 12', () => {
  let debian: Debian | undefined;
  before(async () => {
    debian = await setUpDebian();
  });
  after(async () => {
    await debian?.sh('for file in /root/*.pid; do [ ! -f "$file" ] || kill "$(cat "$file")" || true; done');
    await debian?.sh('[ ! -x /usr/bin/pg_ctlcluster ] || pg_ctlcluster 15 games stop --force').catch(() => undefined);
    await debian?.remove();
  });

  test('is used, backed up, updated without a stop, taken back and restored with the documented lines', async (t) => {
    if (debian === undefined) return t.skip(NO_DEBIAN);
    const { root, sh } = debian;
    const previous = await buildPreviousRelease();
    if (previous === undefined) t.diagnostic(`${NO_HISTORY}: the update is from the current sources to themselves`);
    const current = `chauffeur-server-${VERSION}.tgz`;
    await buildServerPackage(join(root, 'root', current));
    const old = previous === undefined ? current : `previous-${previous.version}.tgz`;
    if (previous !== undefined) await copyFile(previous.tarball, join(root, 'root', old));
    await cp(join(EXAMPLES, 'tiny-game'), join(root, 'root/game'), { recursive: true });
    await copyFile(DUMP, join(root, 'root/crash.dmp'));
    const server = installationOf(debian, await findFreePort());

    await installPrograms(sh);
    await server.createDatabase();
    const [install, start] = await linesOf('install.md', 'Copy it to the server, and install it there');
    await sh(`cd /root && ${install.replace('chauffeur-server-<version>.tgz', old)}`);
    const first = await server.start('first', start);

    const game = await shipGame(debian, first, server);
    const load = startLoad({ ...game, dump: new Uint8Array(await readFile(DUMP)) }, `${first}/api/v1`);
    await load.rounds(ROUNDS);

    const [backup] = await linesOf('backups.md', '## Back up');
    const atBackup = { ...load.acknowledged, builds: new Map(load.acknowledged.builds) };
    await sh(`mkdir -p /mnt/backups && ${server.settings} PATH=${INSTALLED}:$PATH && ${backup}`);
    await load.rounds(ROUNDS);

    const [installNext, check] = await linesOf('update.md', '## Before you update');
    await sh(`cd /root && ${installNext.replace('<version>', VERSION)}`);
    const checked = await sh(`${server.settings} ${check}`);
    assert.match(
      checked,
      new RegExp(`^Checked .*\\nThe database is at \\d{4}_.* Version ${VERSION.replaceAll('.', '\\.')} `),
    );
    const [migrate] = await linesOf('update.md', '## Update without a stop');
    await sh(`${server.settings} ${migrate}`);
    await load.rounds(ROUNDS);
    const second = await server.start('second', `${NEXT}/chauffeur-server start`);
    await load.use([`${first}/api/v1`, `${second}/api/v1`]);
    await load.rounds(ROUNDS);
    await load.use([`${second}/api/v1`]);
    await server.stop('first');
    await load.rounds(ROUNDS);

    // Back to the previous release, on the database of the new one.
    const third = await server.start('third', start);
    await load.use([`${third}/api/v1`]);
    await server.stop('second');
    await load.rounds(ROUNDS);
    await load.stop();
    await requireAll(third, game, load.acknowledged, { isExact: true });
    const [verify] = await linesOf('backups.md', '## Verify the stored files');
    await server.stop('third');

    // The backup is restored into the embedded PostgreSQL.
    const restored = server.at('/var/lib/restored');
    const [restore] = await linesOf('backups.md', '## Restore');
    await sh(`${restored.settings} PATH=${NEXT}:$PATH && ${restore}`);
    const last = await restored.start('last', `${NEXT}/chauffeur-server start`);
    await requireAll(last, game, atBackup, { isExact: false });
    assert.match(await sh(`${restored.settings} PATH=${NEXT}:$PATH && ${verify}`), /problems=0/);
    await restored.stop('last');
  });

  test('gets an account and a unit for the service with the documented lines, and loses them again', async (t) => {
    if (debian === undefined) return t.skip(NO_DEBIAN);
    const { root, sh } = debian;
    await copyFile(UNIT, join(root, 'root/chauffeur.service'));
    // The package of systemd creates the folder.
    await sh(`mkdir -p /etc/systemd/system\ncd /root\n${await readCommands('service.md', 'With systemd')}`);
    const modes = await sh('stat --format="%a %U" /etc/chauffeur/env /etc/systemd/system/chauffeur.service');
    assert.equal(modes, '600 root\n644 root\n');
    assert.match(await sh('getent passwd chauffeur'), /:\/var\/lib\/chauffeur:/);
    const uninstall = await readCommands('install.md', '## Uninstall the server');
    await sh(uninstall.replace(/^systemctl .*$/m, ''));
    const left = 'cat /etc/passwd /etc/group; ls /etc /etc/systemd/system';
    assert.doesNotMatch(await sh(left), /chauffeur/);
  });
});

type Game = { readonly gameUid: string; readonly slug: string; readonly buildId: string };

/** The server in the Debian: its settings, and its processes by name. */
function installationOf({ sh }: Debian, databasePort: number) {
  /** Without the URL of a database, it uses the embedded one. */
  const at = (folder: string, database?: string) => {
    const settings = [
      'export',
      ...(database === undefined ? [] : [`DATABASE_URL='${database}'`]),
      `CHAUFFEUR_DATA=${folder}`,
      ...['UPLOADS', 'CRASHES', 'CRASH_UPLOADS', 'PUBLIC', 'READS'].map((name) => `CHAUFFEUR_LIMIT_${name}=0`),
      '&&',
    ].join(' ');
    return {
      settings,
      /** Starts a process and returns its URL when it is ready. */
      async start(name: string, command: string): Promise<string> {
        const port = await findFreePort();
        await sh(`${settings} export CHAUFFEUR_PORT=${port}
          ${command} >/root/${name}.log 2>&1 &
          echo $! >/root/${name}.pid`);
        const url = `http://127.0.0.1:${port}`;
        const isReady = async () => {
          const response = await fetch(`${url}/ready`).catch(() => undefined);
          return response?.ok;
        };
        await until(isReady).catch(async () => assert.fail(await sh(`cat /root/${name}.log`)));
        return url;
      },
      async stop(name: string): Promise<void> {
        await sh(`pid=$(cat /root/${name}.pid); kill "$pid"
          while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done; rm /root/${name}.pid`);
        assert.match(await sh(`tail -n 1 /root/${name}.log`), /"msg":"stopped"/);
      },
    };
  };
  return {
    ...at('/var/lib/chauffeur', `postgresql://chauffeur:secret@127.0.0.1:${databasePort}/chauffeur`),
    at,
    async createDatabase(): Promise<void> {
      await sh(`pg_createcluster --port ${databasePort} --start 15 games
        runuser -u postgres -- psql --port ${databasePort} --command "create role chauffeur login password 'secret'"
        runuser -u postgres -- createdb --port ${databasePort} --owner chauffeur chauffeur`);
    },
  };
}

/** PostgreSQL, and the Node and npm that the documentation names. */
async function installPrograms(sh: Debian['sh']): Promise<void> {
  const [node] = /apt-get install npm .*(?=`)/.exec(await readFile(INSTALL, 'utf8')) ?? [];
  assert.ok(node !== undefined);
  // Debian would create and start a cluster at the usual port, which this machine may use.
  await sh(`export DEBIAN_FRONTEND=noninteractive
    mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
    apt-get update -q
    apt-get install -qy --no-install-recommends -o Dpkg::Options::=--force-confold curl ca-certificates postgresql
    ${node.replace('apt-get install', 'apt-get install -qy --no-install-recommends')}`);
}

/** The lines of the first block of commands after a text of a page. */
async function linesOf(page: string, after: string): Promise<[string, string]> {
  const [first, second = ''] = (await readCommands(page, after)).split('\n').map((line) => line.trim());
  assert.ok(first !== undefined);
  return [first, second];
}

/** Creates an account and a game, installs the command, ships a build with it, and sends a crash report. */
async function shipGame({ sh }: Debian, url: string, { settings }: { settings: string }) {
  const admin = `${settings} ${INSTALLED}/chauffeur-server admin`;
  await sh(`echo '${PASSWORD}' | (${admin} user create --email you@example.com --password-stdin --verified)`);
  await sh(`${admin} game create --owner you@example.com --name "My game" --visibility public`);
  const key = await sh(`${admin} key issue --game my-game`);
  await sh(`curl -fsSL ${url}/cli/install.sh | sh`);
  const environment = {
    SERVICE_API_URL: `${url}/api/v1`,
    SERVICE_ACCESS_TOKEN: /^access_token=(\S+)$/m.exec(key)?.[1] ?? '',
    SERVICE_SECRET_KEY: /^secret_key=(\S+)$/m.exec(key)?.[1] ?? '',
  };
  const keyHeaders = {
    'x-access-token': environment.SERVICE_ACCESS_TOKEN,
    'x-secret-key': environment.SERVICE_SECRET_KEY,
  };
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const pushed = await sh(`cd /root && export ${variables.join(' ')}
    chauffeur push game --version 1.0.0 --os web --arch wasm32 --json`);
  const { build_id: buildId } = JSON.parse(pushed) as { build_id: string };
  const { data } = (await (await fetch(`${url}/api/v1/public/games/my-game`)).json()) as {
    data: { game_uid: string; downloads: { version: string }[] };
  };
  assert.deepEqual(
    data.downloads.map(({ version }) => version),
    ['1.0.0'],
  );
  const reported = await sh(
    `curl -fsS ${url}/api/v1/public/crashes -H 'X-App-Id: ${data.game_uid}' -H 'X-Build-Id: ${buildId}' -F upload_file_minidump=@/root/crash.dmp`,
  );
  assert.match(reported, /^[\da-f-]{36}$/);
  return { gameUid: data.game_uid, slug: 'my-game', buildId, keyHeaders };
}

/** Checks that everything that was acknowledged is there; `isExact`, and nothing twice. */
async function requireAll(url: string, game: Game, acknowledged: Acknowledged, { isExact }: { isExact: boolean }) {
  const service = { url, api: `${url}/api/v1` };
  const ask = askAs(service, await startBrowserSession(service, { email: 'you@example.com', password: PASSWORD }));
  const path = `/games/${game.gameUid}`;
  const requireCount = (count: number, expected: number) =>
    isExact ? assert.equal(count, expected) : assert.ok(count >= expected, `${count} of ${expected}`);

  const { names } = await ask<{ names: { name: string; count: number }[] }>('GET', `${path}/events/names`);
  requireCount(names.find(({ name }) => name === 'boot_ok')?.count ?? 0, acknowledged.events);

  // The first report came before the load.
  const expected = acknowledged.crashes + 1;
  const countCrashes = async () => {
    const { groups } = await ask<{ groups: { count: number }[] }>('GET', `${path}/crash-groups`);
    return groups.reduce((sum, { count }) => sum + count, 0);
  };
  await until(async () => (await countCrashes()) >= expected);
  requireCount(await countCrashes(), expected);

  const found = new Map<string, string | undefined>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const page: BuildPage = await ask('GET', `${path}/builds${query}`);
    for (const { version, file } of page.builds) found.set(version, file?.checksum);
    cursor = page.next_cursor;
  }
  for (const [version, checksum] of acknowledged.builds) assert.equal(found.get(version), checksum);
  if (isExact) assert.equal(found.size, acknowledged.builds.size + 1);
}

type BuildPage = { builds: { version: string; file: { checksum: string } | null }[]; next_cursor: string | null };
