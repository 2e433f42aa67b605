// Installs the server and the command in a Debian 12 without this repository, with the lines of docs/operate.md and of the
// page /cli, ships a game there and receives a crash.
import assert from 'node:assert/strict';
import { copyFile, cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { VERSION } from '@chauffeur/contract/version';
import { buildServerPackage } from '../../scripts/release/server-package.ts';
import { type Debian, NO_DEBIAN, readCommands, setUpDebian } from '../setup/debian.ts';
import { findFreePort } from '../setup/processes.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const DUMP = join(import.meta.dirname, '../../packages/server/test/fixtures/crashes/nosym_middle.dmp');
const OPERATE = join(import.meta.dirname, '../../docs/operate.md');

describe('an installation on Debian 12', () => {
  let debian: Debian | undefined;
  let port: number;
  before(async () => {
    debian = await setUpDebian();
    port = await findFreePort();
  });
  after(async () => {
    await debian?.sh('if [ -f /root/pid ]; then kill "$(cat /root/pid)"; fi').catch(() => undefined);
    await debian?.remove();
  });

  test('runs the server, ships a game and receives a crash with the documented lines', async (t) => {
    if (debian === undefined) return t.skip(NO_DEBIAN);
    const { root, sh } = debian;
    await buildServerPackage(join(root, `root/chauffeur-server-${VERSION}.tgz`));
    await cp(join(EXAMPLES, 'tiny-game'), join(root, 'root/game'), { recursive: true });
    await copyFile(DUMP, join(root, 'root/crash.dmp'));

    const [node] = /apt-get install npm .*(?=`)/.exec(await readFile(OPERATE, 'utf8')) ?? [];
    assert.ok(node !== undefined);
    await sh(`export DEBIAN_FRONTEND=noninteractive
      apt-get update -q
      apt-get install -qy --no-install-recommends curl ca-certificates
      ${node.replace('apt-get install', 'apt-get install -qy --no-install-recommends')}`);
    const commands = await readCommands('operate.md', 'writes release/chauffeur-server-');
    const [setUp, start] = commands.replaceAll('<version>', VERSION).split('\n');
    assert.ok(setUp !== undefined && start !== undefined);
    await sh(`cd /root && ${setUp}`);
    await sh(`cd /root
      CHAUFFEUR_PORT=${port} CHAUFFEUR_DATA=/var/lib/chauffeur ${start} >/root/server.log 2>&1 &
      echo $! >/root/pid`);
    await sh(`for try in $(seq 300); do
        if curl -fsS http://127.0.0.1:${port}/ready >/dev/null 2>&1; then exit 0; fi
        sleep 0.2
      done
      cat /root/server.log; exit 1`);

    const admin = `CHAUFFEUR_PORT=${port} CHAUFFEUR_DATA=/var/lib/chauffeur /opt/chauffeur/node_modules/.bin/chauffeur-server admin`;
    await sh(`echo 'a long password' | ${admin} user create --email you@example.com --password-stdin --verified`);
    await sh(`${admin} game create --owner you@example.com --name "My game" --visibility public`);
    const key = await sh(`${admin} key issue --game my-game`);
    await sh(`curl -fsSL http://127.0.0.1:${port}/cli/install.sh | sh`);
    const [, token] = /^access_token=(\S+)$/m.exec(key) ?? [];
    const [, secret] = /^secret_key=(\S+)$/m.exec(key) ?? [];
    const pushed = await sh(`cd /root
      export SERVICE_API_URL=http://127.0.0.1:${port}/api/v1 SERVICE_ACCESS_TOKEN=${token} SERVICE_SECRET_KEY=${secret}
      chauffeur push game --version 1.0.0 --os web --arch wasm32 --json`);
    const { build_id: buildId } = JSON.parse(pushed) as { build_id: string };
    const api = `http://127.0.0.1:${port}/api/v1`;
    const { data } = (await (await fetch(`${api}/public/games/my-game`)).json()) as {
      data: { game_uid: string; downloads: { version: string }[] };
    };
    assert.deepEqual(
      data.downloads.map(({ version }) => version),
      ['1.0.0'],
    );

    const reported = await sh(
      `curl -fsS ${api}/public/crashes -H 'X-App-Id: ${data.game_uid}' -H 'X-Build-Id: ${buildId}' -F upload_file_minidump=@/root/crash.dmp`,
    );
    assert.match(reported, /^[\da-f-]{36}$/);
    await sh('kill "$(cat /root/pid)"; while kill -0 "$(cat /root/pid)" 2>/dev/null; do sleep 0.1; done; rm /root/pid');
    assert.match(await sh('tail -n 1 /root/server.log'), /"msg":"stopped"/);
  });
});
