// nginx keeps downloads as a CDN does, configured as docs/cdn.md says: the service sends each byte once.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findFreePort } from '../../packages/server/test/setup/free-port.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { sha256, shipAndScan, zipOfSize } from '../../packages/server/test/setup/uploads.ts';
import { type Nginx, NO_NGINX, startNginx } from '../setup/nginx.ts';
import { makeFolder, type ServiceProcess, startService } from '../setup/processes.ts';
import { openStudio, readOffers } from '../setup/studio.ts';

const GUIDE = join(import.meta.dirname, '../../docs/cdn.md');
const ZIP_BYTES = 20_000_000;

describe('a CDN in front of downloads', () => {
  const zip = zipOfSize(ZIP_BYTES);
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let nginx: Nginx | null;
  let service: ServiceProcess;
  let downloadUrl: string;
  before(async () => {
    work = await makeFolder();
    const [port, cdnPort] = [await findFreePort(), await findFreePort()];
    nginx = await startNginx(cdnPort, await readExample(port, cdnPort));
    if (nginx === null) return;
    service = await startService(join(work.path, 'data'), {
      CHAUFFEUR_PORT: String(port),
      CHAUFFEUR_DOWNLOAD_URL: `http://127.0.0.1:${cdnPort}`,
    });
    const studio = await openStudio(service);
    await shipAndScan(service, studio, { version: '1.0.0', os: 'linux', arch: 'x86_64' }, zip);
    downloadUrl = (await readOffers(service, studio.slug))[0]!.download_url;
  });
  after(async () => {
    await nginx?.stop();
    await service?.stop();
    await work?.remove();
  });

  /** The number of requests of the CDN so far, from the log of the service. */
  async function countRequests(): Promise<number> {
    const count = (operation: string) => service.output().split(`"operation":"${operation}"`).length - 1;
    const before = count('store.shelf');
    await fetch(`${service.api}/public/shelves/new`);
    // Its line is written after those of earlier requests.
    await until(async () => count('store.shelf') > before);
    return count('store.downloadByLink');
  }

  test('gets each part once from the service, and then sends it to all players', async (t) => {
    if (nginx === null) return t.skip(NO_NGINX);
    const first = await fetch(downloadUrl);
    assert.notEqual(new URL(first.url).origin, service.url);
    assert.equal(sha256(new Uint8Array(await first.arrayBuffer())), sha256(zip));
    // One for each 8 MiB.
    assert.equal(await countRequests(), 3);
    const downloads = await Promise.all(Array.from({ length: 8 }, () => fetch(downloadUrl)));
    for (const download of downloads) assert.equal(sha256(new Uint8Array(await download.arrayBuffer())), sha256(zip));
    assert.equal(await countRequests(), 3);
  });

  test('sends a range of what it has, so that an interrupted download continues', async (t) => {
    if (nginx === null) return t.skip(NO_NGINX);
    const from = ZIP_BYTES - 12_000_000;
    const rest = await fetch(downloadUrl, { headers: { range: `bytes=${from}-` } });
    assert.equal(rest.status, 206);
    assert.equal(rest.headers.get('content-range'), `bytes ${from}-${zip.length - 1}/${zip.length}`);
    assert.deepEqual(Buffer.from(await rest.arrayBuffer()), zip.subarray(from));
  });

  test('serves nothing else of the service', async (t) => {
    if (nginx === null) return t.skip(NO_NGINX);
    const { origin } = new URL((await fetch(downloadUrl, { method: 'HEAD' })).url);
    for (const path of ['/', '/metrics', '/api/v1/public/shelves/new'])
      assert.equal((await fetch(origin + path)).status, 404, path);
  });
});

/** The example of the guide, with these ports. */
async function readExample(port: number, cdnPort: number): Promise<string> {
  const [, example = ''] = /```\n(proxy_cache_path[\s\S]*?)\n```/.exec(await readFile(GUIDE, 'utf8')) ?? [];
  const replaced = example
    .replace('/var/cache/nginx/downloads', 'downloads')
    .replace('listen 80;', `listen 127.0.0.1:${cdnPort};`)
    .replace('127.0.0.1:4000', `127.0.0.1:${port}`);
  assert.notEqual(replaced, example);
  return replaced;
}
