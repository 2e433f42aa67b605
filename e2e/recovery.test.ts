// Kills the service at the worst moments and starts it again on the same folder: nothing that was answered is lost.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { smallZip } from '../packages/server/test/setup/uploads.ts';
import { makeFolder, type Service, startService } from './setup/processes.ts';
import { openStudio, readOffers, type Studio } from './setup/studio.ts';

const MIB = 1024 * 1024;

describe('a service that is killed', () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let service: Service;
  let studio: Studio;
  before(async () => {
    work = await makeFolder();
    service = await startService(join(work.path, 'data'));
    studio = await openStudio(service);
  });
  after(async () => {
    await service?.stop();
    await work?.remove();
  });

  async function restart(): Promise<void> {
    service = await startService(join(work.path, 'data'));
  }

  function headers(): Record<string, string> {
    return {
      'x-access-token': studio.environment.SERVICE_ACCESS_TOKEN ?? '',
      'x-secret-key': studio.environment.SERVICE_SECRET_KEY ?? '',
    };
  }

  async function post(path: string, body: BodyInit, more: Record<string, string> = {}) {
    const response = await fetch(`${service.api}${path}`, { method: 'POST', headers: { ...headers(), ...more }, body });
    return {
      status: response.status,
      body: (await response.json()) as { data: Record<string, string | number>; error?: { code: number } },
    };
  }

  async function openSession(version: string, zip: Buffer): Promise<string> {
    const registered = await post('/tool/upload/build', JSON.stringify({ version, os: 'linux', arch: 'x86_64' }), {
      'content-type': 'application/json',
    });
    const fields = {
      build_id: String(registered.body.data.build_id),
      os: 'linux',
      arch: 'x86_64',
      channel: 'stable',
      filename: 'game.zip',
      total_size: String(zip.length),
      checksum: createHash('sha256').update(zip).digest('hex'),
    };
    const opened = await post('/tool/upload/sessions', new URLSearchParams(fields));
    assert.equal(opened.status, 201);
    return String(opened.body.data.session_id);
  }

  function chunk(session: string, zip: Buffer, start: number, end: number) {
    const form = new FormData();
    form.append('file', new Blob([zip.subarray(start, end) as Uint8Array<ArrayBuffer>]), 'chunk');
    return post('/tool/upload/files', form, {
      'x-upload-session-id': session,
      'content-range': `bytes ${start}-${end - 1}/${zip.length}`,
    });
  }

  /** Sends the head of a chunk and half of its bytes. */
  async function sendHalf(session: string, zip: Buffer, start: number, end: number): Promise<void> {
    const { hostname, port } = new URL(service.url);
    const part = '--B\r\nContent-Disposition: form-data; name="file"; filename="chunk"\r\n\r\n';
    const all = {
      ...headers(),
      host: 'chauffeur',
      'x-upload-session-id': session,
      'content-range': `bytes ${start}-${end - 1}/${zip.length}`,
      'content-type': 'multipart/form-data; boundary=B',
      'content-length': String(part.length + (end - start) + 9),
    };
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    await once(socket, 'connect');
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /api/v1/tool/upload/files HTTP/1.1\r\n${head.join('')}\r\n${part}`);
    await new Promise((resolve) => socket.write(zip.subarray(start, start + (end - start) / 2), resolve));
  }

  async function untilOffered(version: string): Promise<string> {
    const deadline = Date.now() + 30_000;
    while (Date.now() < deadline) {
      const offer = (await readOffers(service, studio.slug)).find((found) => found.version === version);
      if (offer !== undefined) return offer.download_url;
    }
    throw new Error(`${version} was not offered within half a minute:\n${service.output()}`);
  }

  async function downloadSum(url: string): Promise<string> {
    const bytes = await (await fetch(url)).arrayBuffer();
    return createHash('sha256').update(new Uint8Array(bytes)).digest('hex');
  }

  test('between two chunks, the session goes on from the last whole chunk', async () => {
    const zip = smallZip('data.bin', randomBytes(3 * MIB));
    const session = await openSession('between', zip);
    assert.equal((await chunk(session, zip, 0, MIB)).status, 202);
    await service.kill();
    await restart();
    const skipped = await chunk(session, zip, 2 * MIB, zip.length);
    assert.deepEqual([skipped.body.error?.code, skipped.body.data.current_size], [4044, MIB]);
    assert.equal((await chunk(session, zip, MIB, zip.length)).status, 201);
    assert.equal(await downloadSum(await untilOffered('between')), createHash('sha256').update(zip).digest('hex'));
  });

  test('in the middle of a chunk, the next try is not blocked and the half does not count', async () => {
    const zip = smallZip('data.bin', randomBytes(4 * MIB));
    const session = await openSession('middle', zip);
    await chunk(session, zip, 0, MIB);
    await sendHalf(session, zip, MIB, 3 * MIB);
    await service.kill();
    await restart();
    const second = await chunk(session, zip, MIB, 2 * MIB);
    assert.deepEqual([second.status, second.body.data.current_size], [202, 2 * MIB]);
    assert.equal((await chunk(session, zip, 2 * MIB, zip.length)).status, 201);
    assert.equal(await downloadSum(await untilOffered('middle')), createHash('sha256').update(zip).digest('hex'));
  });

  test('right after an upload was answered, the file is there and its scan ends after the restart', async () => {
    const zip = smallZip('data.bin', randomBytes(MIB));
    const session = await openSession('answered', zip);
    const last = await chunk(session, zip, 0, zip.length);
    await service.kill();
    assert.equal(last.status, 201);
    await restart();
    assert.equal(await downloadSum(await untilOffered('answered')), createHash('sha256').update(zip).digest('hex'));
  });

  test('a stop in order waits for the upload under way and then ends the database', async () => {
    const zip = smallZip('data.bin', randomBytes(2 * MIB));
    const session = await openSession('stopping', zip);
    const { hostname, port } = new URL(service.url);
    const part = '--B\r\nContent-Disposition: form-data; name="file"; filename="chunk"\r\n\r\n';
    const all = {
      ...headers(),
      host: 'chauffeur',
      'x-upload-session-id': session,
      'content-range': `bytes 0-${zip.length - 1}/${zip.length}`,
      'content-type': 'multipart/form-data; boundary=B',
      'content-length': String(part.length + zip.length + 9),
    };
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `POST /api/v1/tool/upload/files HTTP/1.1\r\n${Object.entries(all)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n${part}`,
    );
    await new Promise((resolve) => socket.write(zip.subarray(0, MIB), resolve));
    await untilUnderWay(service.url);
    const stopped = service.stop();
    await untilRefused(service.url);
    socket.write(zip.subarray(MIB));
    socket.write('\r\n--B--\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1.1 201/);
    assert.equal(await stopped, 0);
    await restart();
    await untilOffered('stopping');
  });
});

/** Waits until the service counts an upload under way. */
async function untilUnderWay(url: string): Promise<void> {
  while (!/chauffeur_uploads_under_way 1/.test(await (await fetch(`${url}/metrics`)).text()));
}

/** Waits until nothing new is taken: the stop has begun. */
async function untilRefused(url: string): Promise<void> {
  for (;;) {
    const refused = await fetch(`${url}/health`).then(
      (response) => response.status === 503,
      () => true,
    );
    if (refused) return;
  }
}
