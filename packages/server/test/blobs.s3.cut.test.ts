// Reading a blob on S3 whose connection is closed in the middle: a proxy in front of a real S3 server cuts responses.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { S3Error } from '../src/kernel/blobs/failures.ts';
import { parseBlobSettings } from '../src/kernel/blobs/open.ts';
import { openS3Store } from '../src/kernel/blobs/s3.ts';
import type { BlobStore, S3Settings } from '../src/kernel/blobs/store.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { inspectZip } from '../src/ship/scans/scans.ts';
import { S3_MISSING, type S3Server, startS3 } from './setup/s3.ts';
import { smallZip } from './setup/uploads.ts';

describe('a response of S3 that is cut', () => {
  let s3: S3Server | null;
  let store: BlobStore;
  /** How many bytes of the body of a response to GET arrive. */
  let bytesLeft = Number.POSITIVE_INFINITY;

  const proxy = createServer(async (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: s3?.port, method, path, headers });
    incoming.pipe(onward);
    const [response] = (await once(onward, 'response')) as [IncomingMessage];
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    const body = await buffer(response);
    if (method !== 'GET' || body.length <= bytesLeft) return void outgoing.end(body);
    outgoing.flushHeaders();
    outgoing.write(body.subarray(0, bytesLeft), () => outgoing.destroy());
  });

  before(async () => {
    s3 = await startS3();
    if (s3 === null) return;
    Object.assign(process.env, s3.env);
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const settings = new URL(s3.url);
    settings.searchParams.set('endpoint', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    store = openS3Store(parseBlobSettings(settings.href, '') as S3Settings);
  });
  after(async () => {
    await store?.close();
    proxy.closeAllConnections();
    proxy.close();
    await s3?.stop();
  });

  async function put(bytes: Buffer): Promise<string> {
    bytesLeft = Number.POSITIVE_INFINITY;
    const key = `files/${newId()}/a.zip`;
    await store.put(
      key,
      (async function* () {
        yield bytes;
      })(),
    );
    return key;
  }

  const isCut = (error: unknown) => {
    assert.ok(error instanceof S3Error, String(error));
    assert.match(error.message, /^GetObject of .*ECONNRESET/);
    return true;
  };

  test('is reported as a failure of S3, wherever it is cut', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const bytes = Buffer.alloc(300_000, 'x');
    const key = await put(bytes);
    for (bytesLeft of [1, 1000, 65_536, 299_999]) {
      await assert.rejects(
        store.readWhole(key, (size) => Buffer.alloc(size)),
        isCut,
      );
      await assert.rejects(buffer(await store.read(key)), isCut);
    }
    bytesLeft = bytes.length;
    assert.ok((await buffer(await store.read(key))).equals(bytes));
  });

  test('in a thread is reported in the same way', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const key = await put(smallZip('game.txt'));
    bytesLeft = 10;
    await assert.rejects(inspectZip(store.settings, key, 'linux'), isCut);
  });
});
