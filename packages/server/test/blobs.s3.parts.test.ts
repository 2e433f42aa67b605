// A blob on S3 whose source fails while a part is being sent: a proxy between the store and a real S3 server delays
// parts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { after, afterEach, before, describe, test } from 'node:test';
import { parseBlobSettings } from '../src/kernel/blobs/open.ts';
import { openS3Store } from '../src/kernel/blobs/s3.ts';
import type { BlobStore, S3Settings } from '../src/kernel/blobs/store.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { S3_MISSING, type S3Server, startS3 } from './setup/s3.ts';

const PART = Buffer.alloc(16 * 1024 * 1024);
const FAILED = new Error('the client disconnected');

/** What reached S3, in order of the responses. */
type Log = ('part' | 'aborted')[];
type Proxy = { address: string; log: Log; held: Promise<void>; release(): void; stop(): Promise<void> };

/** Forwards everything to `target` but holds back parts of uploads until they are released. */
async function startProxy(target: URL): Promise<Proxy> {
  const [holding, releasing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const log: Log = [];
  const server: Server = createServer(async (incoming, outgoing) => {
    const isPart = incoming.method === 'PUT' && incoming.url?.includes('partNumber=');
    if (isPart) {
      holding.resolve();
      await releasing.promise;
    }
    // A client that has disconnected gets no response; what it sent before was forwarded.
    await passOn(incoming, outgoing, target).catch(() => undefined);
    if (isPart) log.push('part');
    if (incoming.method === 'DELETE' && incoming.url?.includes('uploadId=')) log.push('aborted');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    held: holding.promise,
    release: releasing.resolve,
    async stop() {
      releasing.resolve();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Forwards a request with its Host header, which the signature covers. */
async function passOn(incoming: IncomingMessage, outgoing: ServerResponse, target: URL): Promise<void> {
  const { method, url: path, headers } = incoming;
  const onward = request({ host: target.hostname, port: target.port, method, path, headers });
  const responded = once(onward, 'response') as Promise<[IncomingMessage]>;
  const [[response]] = await Promise.all([responded, pipeline(incoming, onward)]);
  outgoing.writeHead(response.statusCode ?? 502, response.headers);
  await pipeline(response, outgoing);
}

describe('a part in transit when the source of a blob fails', () => {
  let s3: S3Server | null;
  let proxy: Proxy | null = null;
  let store: BlobStore | null = null;
  before(async () => {
    s3 = await startS3();
    if (s3 !== null) Object.assign(process.env, s3.env);
  });
  afterEach(async () => {
    await store?.close();
    await proxy?.stop();
  });
  after(() => s3?.stop());

  type Begun = { store: BlobStore; proxy: Proxy; ended: Promise<unknown> };

  /** Starts a blob whose source yields one whole part and then fails; resolves when the part reaches the proxy. */
  async function beginAndFail({ url }: S3Server, options?: { lastPartMs: number }): Promise<Begun> {
    const settings = new URL(url);
    const between = await startProxy(new URL(settings.searchParams.get('endpoint') ?? ''));
    settings.searchParams.set('endpoint', between.address);
    const behind = openS3Store(parseBlobSettings(settings.href, '') as S3Settings, options);
    [proxy, store] = [between, behind];
    const source = async function* () {
      yield PART;
      yield Buffer.alloc(1);
      await between.held;
      throw FAILED;
    };
    const ended = behind.append(await behind.begin(`crashes/${newId()}/dump`), source()).catch((error) => error);
    await between.held;
    return { store: behind, proxy: between, ended };
  }

  test('is awaited before the upload is aborted', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const { store, proxy, ended } = await beginAndFail(s3);
    // Enough time for a request that must not be sent.
    for (let no = 0; no < 5; no += 1) assert.equal(await store.stat('crashes/nothing/dump'), null);
    assert.deepEqual(proxy.log, []);
    proxy.release();
    assert.equal(await ended, FAILED);
    assert.deepEqual(proxy.log, ['part', 'aborted']);
    assert.deepEqual(await Array.fromAsync(store.list('crashes/')), []);
  });

  test('is aborted if it takes too long', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const { proxy, ended } = await beginAndFail(s3, { lastPartMs: 1 });
    assert.equal(await ended, FAILED);
    assert.deepEqual(proxy.log, ['aborted']);
  });
});
