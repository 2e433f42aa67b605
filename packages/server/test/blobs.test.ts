// Tests of the blob store interface, on real files and on a real S3 server.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { readWhole } from '../src/kernel/blobs/filesystem.ts';
import { openBlobStore, parseBlobSettings } from '../src/kernel/blobs/open.ts';
import { readUnpacked } from '../src/kernel/blobs/packed.ts';
import {
  BlobMissingError,
  type BlobSettings,
  type BlobStore,
  type BlobUpload,
  type ByteSource,
  PackedTooLargeError,
} from '../src/kernel/blobs/store.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { S3_MISSING, startS3 } from './setup/s3.ts';

const MIB = 1024 * 1024;

const s3 = await startS3();
const folder = await mkdtemp(join(tmpdir(), 'chauffeur-blobs-'));
if (s3 !== null) Object.assign(process.env, s3.env);
after(async () => {
  await rm(folder, { recursive: true });
  await s3?.stop();
});

const STORES = [
  { name: 'files', settings: parseBlobSettings(undefined, folder), skip: false },
  { name: 'S3', settings: parseBlobSettings(s3?.url ?? 's3://none', folder), skip: s3 === null && S3_MISSING },
] as const;

/** Yields the bytes in buffers of `size`, as a network delivers them. */
async function* inBuffers(bytes: Buffer, size = 64 * 1024): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Yields the bytes and then throws. */
async function* brokenAfter(bytes: Buffer): AsyncGenerator<Buffer> {
  yield* inBuffers(bytes);
  throw new Error('the client is gone');
}

/** The state as it is read from the database. */
function throughJson(upload: BlobUpload): BlobUpload {
  return JSON.parse(JSON.stringify(upload)) as BlobUpload;
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function put(store: BlobStore, key: string, bytes: Buffer): Promise<BlobUpload> {
  const upload = await store.append(await store.begin(key), inBuffers(bytes));
  await store.complete(upload);
  return upload;
}

async function assertHolds(store: BlobStore, key: string, expected: Buffer): Promise<void> {
  assert.deepEqual(await store.stat(key), { size: expected.length });
  const content = await buffer(await store.read(key));
  assert.equal(content.length, expected.length);
  assert.equal(hash(content), hash(expected));
}

async function keysBelow(store: BlobStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys.sort();
}

for (const { name, settings, skip } of STORES) {
  describe(`a blob store on ${name}`, { skip }, () => {
    const store = openBlobStore(settings);
    const newKey = () => `files/${newId()}/${newId()}.zip`;
    after(() => store.close());

    test('passes its check', () => assert.doesNotReject(store.check()));

    test('reads what one append wrote', async () => {
      const [key, bytes] = [newKey(), randomBytes(3 * MIB + 17)];
      await put(store, key, bytes);
      await assertHolds(store, key, bytes);
    });

    test('puts a whole blob of any size', async () => {
      for (const size of [0, 1, 64 * 1024, 5 * MIB, 18 * MIB + 3]) {
        const [key, bytes] = [newKey(), randomBytes(size)];
        assert.equal(await store.put(key, inBuffers(bytes)), size);
        await assertHolds(store, key, bytes);
      }
    });

    test('puts a whole blob from memory, over what is left of another attempt', async () => {
      for (const size of [0, 1, 64 * 1024, 6 * MIB]) {
        const [key, bytes] = [newKey(), randomBytes(size)];
        await assert.rejects(store.put(key, brokenAfter(randomBytes(MIB))), /the client is gone/);
        await store.putWhole(key, bytes);
        await assertHolds(store, key, bytes);
      }
    });

    test('compresses a file in shared memory into a blob, but not above a limit', async () => {
      const space = new SharedArrayBuffer(6 * MIB);
      const random = randomBytes(3 * MIB);
      new Uint8Array(space).set(random);
      for (const size of [0, 1, 3 * MIB, 6 * MIB]) {
        const key = `${newKey()}.zst`;
        const stored = await store.putPacked(key, { space, size }, 4 * MIB);
        assert.equal((await store.stat(key))?.size, stored);
        const whole = Buffer.concat([random, Buffer.alloc(3 * MIB)]);
        assert.equal(hash(await buffer(await readUnpacked(store, key))), hash(whole.subarray(0, size)));
      }
      const large = `${newKey()}.zst`;
      await assert.rejects(store.putPacked(large, { space, size: 3 * MIB }, 2 * MIB), PackedTooLargeError);
      assert.equal(await store.stat(large), null);
      await store.delete(large);
    });

    test('keeps nothing of a blob whose source fails, and can put it again', async () => {
      const [key, lost, bytes] = [newKey(), randomBytes(7 * MIB), randomBytes(MIB)];
      await assert.rejects(store.put(key, brokenAfter(lost)), /the client is gone/);
      assert.equal(await store.stat(key), null);
      await store.put(key, inBuffers(bytes));
      await assertHolds(store, key, bytes);
      const other = newKey();
      await assert.rejects(store.put(other, brokenAfter(lost)), /the client is gone/);
      await store.delete(other);
      assert.deepEqual(await keysBelow(store, other), []);
    });

    test('stores an empty blob, with or without an append', async () => {
      const [untouched, appended] = [newKey(), newKey()];
      await store.complete(await store.begin(untouched));
      await put(store, appended, Buffer.alloc(0));
      await assertHolds(store, untouched, Buffer.alloc(0));
      await assertHolds(store, appended, Buffer.alloc(0));
    });

    test('joins appends of odd sizes by different processes', async () => {
      const key = newKey();
      const chunks = [1, 5 * MIB - 1, 16 * MIB, 17 * MIB, 0, 4 * MIB, 7].map((size) => randomBytes(size));
      let upload = await store.begin(key);
      for (const chunk of chunks) {
        const process = openBlobStore(settings);
        upload = throughJson(await process.append(upload, inBuffers(chunk)));
        await process.close();
      }
      await store.complete(upload);
      await assertHolds(store, key, Buffer.concat(chunks));
    });

    test('resumes after a failed append', async () => {
      const [key, first, lost, second] = [newKey(), randomBytes(6 * MIB), randomBytes(38 * MIB), randomBytes(17 * MIB)];
      const begun = await store.begin(key);
      await assert.rejects(store.append(begun, brokenAfter(lost)), /the client is gone/);
      const upload = await store.append(begun, inBuffers(first));
      assert.equal(upload.size, first.length);
      await assert.rejects(store.append(upload, brokenAfter(lost)), /the client is gone/);
      await store.complete(await store.append(throughJson(upload), inBuffers(second)));
      await assertHolds(store, key, Buffer.concat([first, second]));
    });

    test('resumes after an append whose result was lost', async () => {
      const [key, first, lost, second] = [newKey(), randomBytes(2 * MIB), randomBytes(MIB), randomBytes(2 * MIB)];
      const upload = await store.append(await store.begin(key), inBuffers(first));
      await store.append(upload, inBuffers(lost));
      await store.complete(await store.append(upload, inBuffers(second)));
      await assertHolds(store, key, Buffer.concat([first, second]));
    });

    test('removes what a failed append wrote when the blob is completed without it', async () => {
      const [key, bytes] = [newKey(), randomBytes(MIB)];
      const upload = await store.append(await store.begin(key), inBuffers(bytes));
      await assert.rejects(store.append(upload, brokenAfter(randomBytes(2 * MIB))), /the client is gone/);
      await store.complete(upload);
      await assertHolds(store, key, bytes);
    });

    for (const sizes of [
      [MIB, 100],
      [9 * MIB, 100],
    ] as const) {
      test(`can complete a blob of ${sizes.join(' and ')} bytes again after the state of its last append was lost`, async () => {
        const [key, first, last] = [newKey(), randomBytes(sizes[0]), randomBytes(sizes[1])];
        const upload = throughJson(await store.append(await store.begin(key), inBuffers(first)));
        const whole = await store.append(upload, inBuffers(last));
        await store.complete(whole);
        await store.complete({ ...upload, size: whole.size });
        await assertHolds(store, key, Buffer.concat([first, last]));
      });
    }

    test('hides a blob until it is complete', async () => {
      const key = newKey();
      const upload = await store.append(await store.begin(key), inBuffers(randomBytes(6 * MIB)));
      assert.equal(await store.stat(key), null);
      await assert.rejects(store.read(key), BlobMissingError);
      await store.complete(upload);
      assert.deepEqual(await store.stat(key), { size: 6 * MIB });
    });

    for (const size of [100, 6 * MIB, 17 * MIB]) {
      test(`can complete a blob of ${size} bytes again, in another process`, async () => {
        const [key, bytes] = [newKey(), randomBytes(size)];
        const upload = await put(store, key, bytes);
        await openBlobStore(settings).complete(throughJson(upload));
        await assertHolds(store, key, bytes);
      });
    }

    test('does not complete a deleted blob', async () => {
      const key = newKey();
      const upload = await store.append(await store.begin(key), inBuffers(randomBytes(6 * MIB)));
      await store.delete(key);
      await assert.rejects(store.complete(upload), BlobMissingError);
    });

    test('does not append to a blob whose bytes are lost, or were written to another store', async () => {
      for (const size of [1000, 6 * MIB, 6 * MIB + 1000]) {
        const key = newKey();
        const upload = await store.append(await store.begin(key), inBuffers(randomBytes(size)));
        await store.delete(key);
        await assert.rejects(store.append(throughJson(upload), inBuffers(randomBytes(6 * MIB))), BlobMissingError);
      }
      const other = name === 'S3' ? { key: newKey(), size: 1000 } : { key: newKey(), size: 1000, parts: { parts: [] } };
      await assert.rejects(store.append(other, inBuffers(randomBytes(1000))), BlobMissingError);
    });

    test('reads ranges that include both ends', async () => {
      const [key, bytes] = [newKey(), randomBytes(MIB)];
      await put(store, key, bytes);
      const ranges = [
        [0, 0],
        [5, 700_000],
        [MIB - 1, MIB - 1],
        [MIB - 10, MIB + 10],
        [MIB, MIB + 1],
      ] as const;
      for (const [start, end] of ranges) {
        assert.deepEqual(await buffer(await store.read(key, { start, end })), bytes.subarray(start, end + 1));
      }
    });

    test('reports a missing blob', async () => {
      assert.equal(await store.stat(newKey()), null);
      await assert.rejects(store.read(newKey()), BlobMissingError);
      await assert.rejects(store.read(newKey(), { start: 0, end: 9 }), BlobMissingError);
    });

    test('deletes complete and incomplete blobs, even twice', async () => {
      const [id, complete, begun] = [newId(), 'complete.zip', 'begun.zip'];
      await put(store, `files/${id}/${complete}`, randomBytes(10));
      const upload = await store.append(await store.begin(`files/${id}/${begun}`), inBuffers(randomBytes(18 * MIB)));
      await store.append(upload, inBuffers(randomBytes(18 * MIB)));
      for (const key of [complete, begun, complete, begun]) await store.delete(`files/${id}/${key}`);
      assert.deepEqual(await keysBelow(store, `files/${id}/`), []);
    });

    test('lists each key below a prefix once, whether or not the blob is complete', async () => {
      const id = newId();
      const [complete, small, large, again, other] = ['a.zip', 'b.zip', 'deep/c.zip', 'd.zip', 'e.zip'].map(
        (end) => `${id}/${end}`,
      );
      const before = Date.now() - 2000;
      await put(store, complete!, randomBytes(10));
      await put(store, again!, randomBytes(10));
      await put(store, `other-${other}`, randomBytes(10));
      for (const [key, size] of [
        [small!, 10],
        [large!, 18 * MIB],
        [again!, 10],
      ] as const) {
        await store.append(await store.begin(key), inBuffers(randomBytes(size)));
      }
      assert.deepEqual(await keysBelow(store, `${id}/`), [complete, small, again, large].sort());
      assert.deepEqual(await keysBelow(store, `${id}/deep/c`), [large]);
      assert.deepEqual(await keysBelow(store, `${id}/nothing`), []);
      for await (const { modifiedAt } of store.list(`${id}/`)) {
        assert.ok(
          modifiedAt.getTime() >= before && modifiedAt.getTime() <= Date.now() + 2000,
          modifiedAt.toISOString(),
        );
      }
    });

    test('rejects invalid keys', async () => {
      for (const key of ['', '/a', 'a/', 'a//b', '../a', 'a/../b', 'a/.b', 'A', 'a b', 'a.part', 'a.0.tail', 'a\0']) {
        await assert.rejects(store.begin(key), /Bad blob key/, key);
        await assert.rejects(store.read(key), /Bad blob key/, key);
        await assert.rejects(store.delete(key), /Bad blob key/, key);
      }
    });
  });
}

/** Appends: the number of bytes, the size of the buffers, and whether the source fails after them. */
const attempts = fc.array(
  fc.record({ size: fc.nat({ max: 300_000 }), buffer: fc.integer({ min: 100, max: 200_000 }), breaks: fc.boolean() }),
  { maxLength: 12 },
);

test('files are stored after somebody removed their folder', async () => {
  const store = openBlobStore({ kind: 'files', folder });
  for (const put of [store.put.bind(store), (key: string, source: ByteSource) => putInMemory(key, source)]) {
    for (const key of ['removed/a/1', 'removed/a/2']) await put(key, inBuffers(Buffer.from(key)));
    await rm(join(folder, 'removed'), { recursive: true });
    await put('removed/a/3', inBuffers(Buffer.from('3')));
    assert.equal((await store.stat('removed/a/3'))?.size, 1);
  }
  async function putInMemory(key: string, source: ByteSource) {
    await store.putWhole(key, await buffer(source));
  }
});

test('whole files are read into an existing buffer', async () => {
  const store = openBlobStore({ kind: 'files', folder });
  const bytes = randomBytes(3 * MIB + 1);
  await store.put('whole', inBuffers(bytes));
  const space = Buffer.alloc(4 * MIB);
  assert.equal(
    readWhole(folder, 'whole', (size) => space.subarray(0, size)),
    bytes.length,
  );
  assert.equal(hash(space.subarray(0, bytes.length)), hash(bytes));
  await store.put('empty', inBuffers(Buffer.alloc(0)));
  assert.equal(
    readWhole(folder, 'empty', () => space),
    0,
  );
  assert.throws(() => readWhole(folder, 'nothing', () => space), BlobMissingError);
  assert.throws(() => readWhole(folder, '../whole', () => space), /key/);
});

test('files contain exactly the successful appends, regardless of failed ones between them', async () => {
  const store = openBlobStore({ kind: 'files', folder });
  await fc.assert(
    fc.asyncProperty(attempts, async (list) => {
      const key = `property/${newId()}`;
      const kept: Buffer[] = [];
      let upload = await store.begin(key);
      for (const { size, buffer: bufferSize, breaks } of list) {
        const bytes = randomBytes(size);
        if (breaks) {
          await assert.rejects(store.append(upload, brokenAfter(bytes)), /the client is gone/);
          continue;
        }
        upload = throughJson(await store.append(upload, inBuffers(bytes, bufferSize)));
        kept.push(bytes);
      }
      await store.complete(upload);
      await assertHolds(store, key, Buffer.concat(kept));
    }),
    { numRuns: 40 },
  );
});

describe('a blob store on S3', { skip: STORES[1].skip }, () => {
  const store = openBlobStore(STORES[1].settings);
  after(() => store.close());

  test('signs a URL that downloads the blob without credentials', async () => {
    const [key, bytes] = [`files/${newId()}.zip`, randomBytes(MIB)];
    await put(store, key, bytes);
    const url = await store.sign(key, { seconds: 60, filename: 'Größe 1.zip', contentType: 'application/zip' });
    assert.ok(url !== null);
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/zip');
    const disposition = `attachment; filename="Gr__e 1.zip"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%201.zip`;
    assert.equal(response.headers.get('content-disposition'), disposition);
    assert.equal(hash(Buffer.from(await response.arrayBuffer())), hash(bytes));
  });

  test('rejects a signed URL that was changed', async () => {
    const [key, other] = [`files/${newId()}.zip`, `files/${newId()}.zip`];
    await put(store, key, randomBytes(10));
    await put(store, other, randomBytes(10));
    const url = await store.sign(key, { seconds: 60, filename: 'a.zip', contentType: 'application/zip' });
    const response = await fetch(url!.replace(key, other));
    assert.equal(response.status, 403);
  });

  test('uses only names below its prefix', async () => {
    const inside = openBlobStore({ ...STORES[1].settings, prefix: 'inside/' } as BlobSettings);
    const [key, bytes] = [`${newId()}/a.zip`, randomBytes(6 * MIB)];
    await put(inside, key, bytes);
    await inside.append(await inside.begin(`${key}2`), inBuffers(bytes));
    await assertHolds(inside, key, bytes);
    assert.equal(await store.stat(key), null);
    assert.deepEqual(await keysBelow(inside, ''), [key, `${key}2`]);
    await inside.close();
  });

  test('leaves no parts or tails behind a complete blob', async () => {
    const key = `traces/${newId()}.zip`;
    const begun = await store.begin(key);
    await store.append(begun, inBuffers(randomBytes(17 * MIB))); // The upload id is lost with the result.
    const upload = await store.append(begun, inBuffers(randomBytes(17 * MIB)));
    await store.complete(await store.append(upload, inBuffers(randomBytes(MIB))));
    const { Bucket } = await import('../src/kernel/blobs/bucket.ts');
    const settings = STORES[1].settings;
    assert.ok(settings.kind === 's3');
    const bucket = new Bucket(settings);
    for await (const upload of bucket.listUploads(key)) assert.fail(`left an upload of ${upload.key}`);
    for await (const object of bucket.listObjects(key)) assert.equal(object.key, key);
    bucket.close();
  });

  test('reports a missing bucket and an unreachable server', async () => {
    const missing = openBlobStore({ ...STORES[1].settings, bucket: 'no-such-bucket' } as BlobSettings);
    await assert.rejects(missing.check(), /HeadBucket on S3 bucket no-such-bucket failed: NotFound/);
    const unreachable = openBlobStore({ ...STORES[1].settings, endpoint: 'http://127.0.0.1:1' } as BlobSettings);
    await assert.rejects(unreachable.check(), /HeadBucket on S3 bucket chauffeur failed: ECONNREFUSED/);
    await missing.close();
    await unreachable.close();
  });
});
