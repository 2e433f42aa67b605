// Kills the service at the worst moments and starts it again on the same folder: nothing that was answered is lost.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { zipOfSize } from '../packages/server/test/setup/uploads.ts';
import { serveStudio } from './setup/served.ts';
import { until } from './setup/until.ts';
import {
  downloadSum,
  openSession,
  sendChunk,
  sendHalfChunk,
  sha256,
  untilOffered,
  untilUnderWay,
} from './setup/uploads.ts';

const MIB = 1024 * 1024;

describe('a service that is killed', () => {
  const served = serveStudio({ ownPostgres: true });

  test('between two chunks, the session goes on from the last whole chunk', async () => {
    const zip = zipOfSize(3 * MIB);
    const session = await openSession(served, 'between', zip);
    assert.equal((await sendChunk(served, session, zip, 0, MIB)).status, 202);
    await served.service.kill();
    await served.restart();
    const skipped = await sendChunk(served, session, zip, 2 * MIB, zip.length);
    assert.deepEqual([skipped.body.error?.code, skipped.body.data.current_size], [4044, MIB]);
    assert.equal((await sendChunk(served, session, zip, MIB, zip.length)).status, 201);
    assert.equal(await downloadSum(await untilOffered(served, 'between')), sha256(zip));
  });

  test('in the middle of a chunk, the next try is not blocked and the half does not count', async () => {
    const zip = zipOfSize(4 * MIB);
    const session = await openSession(served, 'middle', zip);
    await sendChunk(served, session, zip, 0, MIB);
    await sendHalfChunk(served, session, zip, MIB, 3 * MIB);
    await served.service.kill();
    await served.restart();
    const second = await sendChunk(served, session, zip, MIB, 2 * MIB);
    assert.deepEqual([second.status, second.body.data.current_size], [202, 2 * MIB]);
    assert.equal((await sendChunk(served, session, zip, 2 * MIB, zip.length)).status, 201);
    assert.equal(await downloadSum(await untilOffered(served, 'middle')), sha256(zip));
  });

  test('right after an upload was answered, the file is there and its scan ends after the restart', async () => {
    const zip = zipOfSize(MIB);
    const session = await openSession(served, 'answered', zip);
    const last = await sendChunk(served, session, zip, 0, zip.length);
    await served.service.kill();
    assert.equal(last.status, 201);
    await served.restart();
    assert.equal(await downloadSum(await untilOffered(served, 'answered')), sha256(zip));
  });

  test('a stop in order waits for the upload under way and then ends the database', async () => {
    const zip = zipOfSize(2 * MIB);
    const session = await openSession(served, 'stopping', zip);
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

  test('a stop in order waits for the download under way, and not for what its connection may ask next', async () => {
    const zip = zipOfSize(16 * MIB);
    const session = await openSession(served, 'download', zip);
    assert.equal((await sendChunk(served, session, zip, 0, zip.length)).status, 201);
    const download = await fetch(await untilOffered(served, 'download'));
    const stopped = served.service.stop();
    await untilRefused(served.service.url);
    assert.equal(sha256(new Uint8Array(await download.arrayBuffer())), sha256(zip));
    assert.equal(await stopped, 0);
  });
});

/** Waits until nothing new is taken: the stop has begun. */
async function untilRefused(url: string): Promise<void> {
  await until(() =>
    fetch(`${url}/health`).then(
      (response) => response.status === 503,
      () => true,
    ),
  );
}
