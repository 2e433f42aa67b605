// Kills the server at the worst moments and restarts it with the same folder: no accepted upload is lost.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../packages/server/test/setup/until.ts';
import { sendChunk, sha256, startSession, zipOfSize } from '../../packages/server/test/setup/uploads.ts';
import { serveStudio } from '../setup/served.ts';
import { downloadSum, sendHalfChunk, untilOffered, untilUnderWay } from '../setup/uploads.ts';

const MIB = 1024 * 1024;

describe('a killed server', () => {
  const served = serveStudio({ ownPostgres: true });

  test('continues a session after the last complete chunk if it was killed between two chunks', async () => {
    const zip = zipOfSize(3 * MIB);
    const session = await startSession(served.service, served.studio, zip, {}, { version: 'between' });
    assert.equal((await sendChunk(served.service, served.studio, session, zip, 0, MIB)).status, 202);
    await served.service.kill();
    await served.restart();
    const skipped = await sendChunk(served.service, served.studio, session, zip, 2 * MIB, zip.length);
    assert.deepEqual([skipped.body.error?.code, skipped.body.data.current_size], [4044, MIB]);
    assert.equal((await sendChunk(served.service, served.studio, session, zip, MIB, zip.length)).status, 201);
    assert.equal(await downloadSum(await untilOffered(served, 'between')), sha256(zip));
  });

  test('accepts a chunk again, without its first half, if it was killed in the middle of it', async () => {
    const zip = zipOfSize(4 * MIB);
    const session = await startSession(served.service, served.studio, zip, {}, { version: 'middle' });
    await sendChunk(served.service, served.studio, session, zip, 0, MIB);
    await sendHalfChunk(served, session, zip, MIB, 3 * MIB);
    await served.service.kill();
    await served.restart();
    const second = await sendChunk(served.service, served.studio, session, zip, MIB, 2 * MIB);
    assert.deepEqual([second.status, second.body.data.current_size], [202, 2 * MIB]);
    assert.equal((await sendChunk(served.service, served.studio, session, zip, 2 * MIB, zip.length)).status, 201);
    assert.equal(await downloadSum(await untilOffered(served, 'middle')), sha256(zip));
  });

  test('has the file, and finishes its scan, if it was killed right after it accepted an upload', async () => {
    const zip = zipOfSize(MIB);
    const session = await startSession(served.service, served.studio, zip, {}, { version: 'accepted' });
    const last = await sendChunk(served.service, served.studio, session, zip, 0, zip.length);
    await served.service.kill();
    assert.equal(last.status, 201);
    await served.restart();
    assert.equal(await downloadSum(await untilOffered(served, 'accepted')), sha256(zip));
  });

  test('waits for the current upload in an orderly shutdown, then stops the database', async () => {
    const zip = zipOfSize(2 * MIB);
    const session = await startSession(served.service, served.studio, zip, {}, { version: 'stopping' });
    const sendRest = await sendHalfChunk(served, session, zip, 0, zip.length);
    await untilUnderWay(served);
    const stopped = served.service.stop();
    await untilRefused(served.service.url);
    assert.equal((await sendRest()).status, 201);
    assert.equal(await stopped, 0);
    assert.equal(await served.database(), undefined);
    await served.restart();
    await untilOffered(served, 'stopping');
  });

  test('waits for the current download in an orderly shutdown, but not for more requests on its connection', async () => {
    const zip = zipOfSize(16 * MIB);
    const session = await startSession(served.service, served.studio, zip, {}, { version: 'download' });
    assert.equal((await sendChunk(served.service, served.studio, session, zip, 0, zip.length)).status, 201);
    const download = await fetch(await untilOffered(served, 'download'));
    const stopped = served.service.stop();
    await untilRefused(served.service.url);
    assert.equal(sha256(new Uint8Array(await download.arrayBuffer())), sha256(zip));
    assert.equal(await stopped, 0);
  });
});

/** Waits until the server accepts no new requests, because its shutdown has started. */
async function untilRefused(url: string): Promise<void> {
  await until(() =>
    fetch(`${url}/health`).then(
      (response) => response.status === 503,
      () => true,
    ),
  );
}
