import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import yauzl from 'yauzl';
import { streamZip, type ZipPart } from './stream-zip.ts';

const changedAt = new Date('2026-11-03T12:00:00Z');
const text = (name: string, content: string): ZipPart => ({ name, changedAt, bytes: Buffer.from(content) });

async function unpack(zip: Buffer): Promise<Record<string, string>> {
  const opened = await promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer)(zip, { lazyEntries: true });
  const read = promisify<yauzl.Entry, Readable>(opened.openReadStream.bind(opened));
  const files: Record<string, string> = {};
  opened.on('entry', async (entry: yauzl.Entry) => {
    files[entry.fileName] = (await buffer(await read(entry))).toString();
    opened.readEntry();
  });
  opened.readEntry();
  await once(opened, 'end');
  return files;
}

describe('streamZip', () => {
  it('has the announced size, and the files in order', async () => {
    const parts: ZipPart[] = [
      text('kit/größe.txt', 'ä'),
      {
        name: 'kit/picture.png',
        changedAt,
        size: 70_000,
        open: async () => Readable.from([Buffer.alloc(70_000, 'x')]),
      },
      text('kit/empty.txt', ''),
    ];
    const { stream, size } = streamZip(parts);
    const zip = await buffer(stream);
    assert.equal(zip.length, size);
    assert.deepEqual(await unpack(zip), {
      'kit/größe.txt': 'ä',
      'kit/picture.png': 'x'.repeat(70_000),
      'kit/empty.txt': '',
    });
    const { stream: again } = streamZip(parts);
    assert.deepEqual(await buffer(again), zip);
  });

  it('opens one stream at a time', async () => {
    let open = 0;
    let most = 0;
    const parts = Array.from(
      { length: 5 },
      (_, index): ZipPart => ({
        name: `${index}`,
        changedAt,
        size: 4,
        async open() {
          open += 1;
          most = Math.max(most, open);
          return Readable.from([Buffer.from('four')]).once('end', () => {
            open -= 1;
          });
        },
      }),
    );
    const { stream, size } = streamZip(parts);
    assert.equal((await buffer(stream)).length, size);
    assert.equal(most, 1);
  });

  it('ends with the error of a part that cannot be opened or read, or has another size', async () => {
    const failing: readonly [() => Promise<Readable>, RegExp][] = [
      [async () => Promise.reject(new Error('missing')), /missing/],
      [async () => new Readable({ read: (): void => void failing }).destroy(new Error('cut')), /cut/],
      [async () => Readable.from([Buffer.from('five!')]), /unexpected number of bytes/],
    ];
    for (const [open, message] of failing) {
      const { stream } = streamZip([text('a', 'a'), { name: 'b', changedAt, size: 4, open }]);
      await assert.rejects(buffer(stream), message);
    }
  });

  it('closes the part that is being read when the reader leaves', async () => {
    const source = new PassThrough();
    source.write('begun');
    const opened = Promise.withResolvers<void>();
    const { stream } = streamZip([
      {
        name: 'a',
        changedAt,
        size: 100,
        async open() {
          opened.resolve();
          return source;
        },
      },
    ]);
    const closed = once(source, 'close');
    await opened.promise;
    await once(stream, 'readable');
    stream.destroy();
    await closed;
    assert.ok(source.destroyed);
  });
});
