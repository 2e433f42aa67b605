// Servers, proxies and stores that fail or answer in unusual ways.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { makeCertificate } from '../../server/test/setup/certificate.ts';
import { download, type Part, WrongBytesError } from '../src/download.ts';
import { getByHttp } from '../src/get.ts';
import { Throttle } from '../src/throttle.ts';
import { ZipSource } from '../src/zip-source.ts';
import { type Hook, Origin } from './setup/origin.ts';

let origin: Origin;
let zip: Buffer;
before(async () => {
  origin = await new Origin().start();
  const release = origin.release({ 'a.pak': randomBytes(6_000_000) });
  zip = release.zip;
});
after(() => origin.stop());
beforeEach(() => {
  origin.ranges = [];
  origin.sentBytes = 0;
});

/** Downloads slices of the zip, and checks each. Returns how many were wrong at first. */
async function fetchAll(hook: Hook, { stallMs = 5000, slice = 100_000, step = 200_000 } = {}): Promise<number> {
  origin.hook = hook;
  let wrong = 0;
  const parts: Part[] = [];
  const used = new Set<number>();
  for (let offset = 0; offset + slice <= zip.length; offset += step)
    parts.push({
      offset,
      length: slice,
      use: async (bytes) => {
        const isRight = bytes.equals(zip.subarray(offset, offset + slice));
        if (!isRight) {
          wrong += 1;
          throw new WrongBytesError();
        }
        used.add(offset);
      },
    });
  const source = new ZipSource({
    url: `${origin.url}/api/v1/public/games/${origin.game}/files/${origin.releases[0]!.fileUid}/download`,
    size: zip.length,
    headers: { authorization: 'Bearer secret' },
    get: getByHttp,
    throttle: new Throttle(Number.POSITIVE_INFINITY),
    stallMs,
    onBytes: () => {},
  });
  const { signal } = new AbortController();
  await download(source, parts, { size: zip.length, signal, retries: { failures: 4, pace: 0.001 } });
  assert.equal(used.size, parts.length);
  return wrong;
}

const isZip = (url: string | undefined) => url?.endsWith('/download') === true || url?.startsWith('/cdn') === true;

test('small gaps are downloaded, large ones are not', async () => {
  await fetchAll(() => false, { slice: 100_000, step: 105_000 });
  assert.ok(origin.ranges.length <= 2, `${origin.ranges.length} requests`);
  origin.ranges = [];
  await fetchAll(() => false);
  assert.ok(origin.ranges.length > 20);
  assert.ok(origin.sentBytes < 2 * zip.length);
});

test('a server that ignores ranges sends the zip once', async () => {
  let sent = 0;
  await fetchAll((request, response) => {
    if (!isZip(request.url)) return false;
    sent += 1;
    response.writeHead(200, { 'content-length': zip.length }).end(zip);
    return true;
  });
  assert.ok(sent <= 6, `${sent} times`);
});

test('a proxy that compresses the download does no harm', async () => {
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const encodings = {
    gzip: (bytes: Buffer) => gzipSync(bytes, { level: 1 }),
    br: (bytes: Buffer) => brotliCompressSync(bytes, quick),
    deflate: (bytes: Buffer) => deflateSync(bytes, { level: 1 }),
    zstd: (bytes: Buffer) => zstdCompressSync(bytes),
  };
  for (const [name, encode] of Object.entries(encodings)) {
    const whole = encode(zip);
    for (const status of [200, 206])
      await fetchAll((request, response) => {
        if (!isZip(request.url)) return false;
        const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
        const range = { 'content-range': `bytes ${from}-${to}/${zip.length}` };
        response.writeHead(status, { 'content-encoding': name, ...(status === 206 && range) });
        response.end(status === 200 ? whole : encode(zip.subarray(Number(from), Number(to) + 1)));
        return true;
      });
  }
  await assert.rejects(
    fetchAll((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(zip).subarray(0, 1_000_000));
      return true;
    }),
    { code: 'network', message: /unexpected end of file|ended too early/ },
  );
});

test('requests that are ended at any moment break neither each other nor the memory of others', async (t) => {
  const body = randomBytes(300_000);
  const server = http.createServer((_, response) => response.end(body));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const pooled: Buffer[] = [];
  const fetchOne = async (stopAfter: number) => {
    const stop = new AbortController();
    const { body: chunks } = await getByHttp(`http://127.0.0.1:${port}/`, {}, stop.signal);
    const read: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of chunks) {
        // Small buffers share memory, which mustn't be freed with that of the connection.
        pooled.push(Buffer.from('pooled'));
        read.push(Buffer.from(chunk));
        length += chunk.length;
        if (length >= stopAfter) stop.abort(new Error('enough'));
      }
    } catch (error) {
      assert.equal((error as Error).message, 'enough');
    }
    assert.ok(Buffer.concat(read).equals(body.subarray(0, length)));
    assert.ok(length >= Math.min(stopAfter, body.length));
  };
  const work = async (worker: number) => {
    for (let n = 0; n < 60; n += 1) await fetchOne(((n + worker) % 5) * 75_000 + (n % 2));
  };
  await Promise.all([0, 1, 2, 3].map(work));
  assert.ok(pooled.every((buffer) => buffer.toString() === 'pooled'));
});

test('a web page instead of the download is named', async () => {
  const page = '<!doctype html><title>Sign in</title>';
  for (const headers of [{}, { 'content-length': page.length }, { 'content-encoding': 'gzip' }])
    await assert.rejects(
      fetchAll((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
        response.end('content-encoding' in headers ? gzipSync(page) : page);
        return true;
      }),
      { code: 'network', message: /web page/ },
    );
});

test('a connection that ends early is continued', async () => {
  let count = 0;
  await fetchAll(
    (request, response) => {
      const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
      count += 1;
      if (count % 3 === 0) return false;
      const body = zip.subarray(Number(from), Number(to) + 1);
      response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${zip.length}`, 'content-length': body.length });
      response.write(body.subarray(0, Math.floor(body.length * 0.6)), () => response.destroy());
      return true;
    },
    { slice: 50_000, step: 50_000 },
  );
});

test('failures that may pass are tried again, and others are not', async () => {
  const failures = new Map<string, number>();
  await fetchAll((request, response) => {
    const { range = '' } = request.headers;
    const status = [500, 502, 429, null][failures.get(range) ?? 0] ?? null;
    failures.set(range, (failures.get(range) ?? 0) + 1);
    if (status === null || !isZip(request.url)) return false;
    response.writeHead(status).end();
    return true;
  });
  let count = 0;
  await assert.rejects(
    fetchAll((_, response) => {
      response.writeHead(503).end();
      return true;
    }),
    { code: 'network', message: /503/ },
  );
  count = 0;
  await assert.rejects(
    fetchAll((_, response) => {
      count += 1;
      response.writeHead(410).end();
      return true;
    }),
    { code: 'network', message: /410/ },
  );
  // One for each connection, and those of the attempt before that were on their way.
  assert.ok(count <= 8, `${count} requests`);
});

test('signed addresses that expire are asked for again, and get no login', async () => {
  let [given, uses] = [0, 0];
  await fetchAll((request, response) => {
    if (request.url?.startsWith('/cdn') === true) {
      assert.equal(request.headers.authorization, undefined);
      uses += 1;
      if (uses % 7 === 0) given += 1;
      if (!request.url.endsWith(`=${given}`)) {
        response.writeHead(403).end();
        return true;
      }
      origin.sendZip(request, response, origin.releases[0]!);
      return true;
    }
    assert.equal(request.headers.authorization, 'Bearer secret');
    response.writeHead(302, { location: `/cdn?valid=${given}` }).end();
    return true;
  });
  assert.ok(given > 2);
});

test('redirects without an end, to other protocols or to nowhere are failures', async () => {
  for (const location of ['/download', 'file:///etc/passwd', 'javascript:alert(1)', ''])
    await assert.rejects(
      fetchAll((_, response) => {
        response.writeHead(302, { location }).end();
        return true;
      }),
      { code: 'network' },
    );
});

test('a download over TLS works, and a certificate that is not trusted is refused at once', async (t) => {
  const { key, cert } = makeCertificate('localhost');
  let asked = 0;
  const store = https.createServer({ key, cert }, (request, response) => {
    asked += 1;
    const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
    response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${zip.length}` });
    response.end(zip.subarray(Number(from), Number(to) + 1));
  });
  await once(store.listen(0, 'localhost'), 'listening');
  t.after(() => store.close());
  let redirected = 0;
  const hook: Hook = (_, response) => {
    redirected += 1;
    const { port } = store.address() as AddressInfo;
    response.writeHead(302, { location: `https://localhost:${port}/zip` }).end();
    return true;
  };
  await assert.rejects(fetchAll(hook), { code: 'network', message: /self-signed/ });
  assert.ok(asked === 0 && redirected < 10, `${redirected} redirects`);
  https.globalAgent.options.ca = cert;
  t.after(() => void delete https.globalAgent.options.ca);
  assert.equal(await fetchAll(hook), 0);
  assert.ok(asked > 0);
});

test('another range, another size or no bytes at all are failures', async () => {
  const answers: Hook[] = [
    (_, response) => {
      response.writeHead(206, { 'content-range': `bytes 5-104/${zip.length}` }).end(zip.subarray(5, 105));
      return true;
    },
    (_, response) => {
      response.writeHead(206, { 'content-range': 'bytes 0-99/100' }).end(zip.subarray(0, 100));
      return true;
    },
    (_, response) => {
      response.writeHead(206, { 'content-type': 'multipart/byteranges; boundary=x' }).end('--x');
      return true;
    },
    (_, response) => {
      response.writeHead(200, { 'content-length': 10 }).end('0123456789');
      return true;
    },
    (_, response) => {
      response.writeHead(416, { 'content-range': `bytes */${zip.length}` }).end();
      return true;
    },
  ];
  for (const hook of answers) await assert.rejects(fetchAll(hook), { code: 'network' });
});

test('a connection on which nothing arrives is given up', async () => {
  let count = 0;
  await fetchAll(
    (_, response) => {
      count += 1;
      if (count > 4) return false;
      response.writeHead(206, { 'content-range': `bytes 0-99/${zip.length}`, 'content-length': 100 }).write('x');
      return true;
    },
    { stallMs: 500 },
  );
});

test('wrong bytes are asked for again, and never used', async () => {
  const spoilt = new Set<string>();
  const spoil: Hook = (request, response) => {
    const { range = '' } = request.headers;
    const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(range) ?? [];
    if (spoilt.has(range)) return false;
    spoilt.add(range);
    const body = Buffer.alloc(Number(to) - Number(from) + 1);
    response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${zip.length}` }).end(body);
    return true;
  };
  assert.ok((await fetchAll(spoil)) > 0);
  await assert.rejects(
    fetchAll((request, response) => {
      spoilt.clear();
      return spoil(request, response, origin);
    }),
    { code: 'untrusted' },
  );
});
