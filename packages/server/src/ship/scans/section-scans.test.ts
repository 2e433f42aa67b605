import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Scanner } from '../../kernel/scanner/scanner.ts';
import { scanInWindows, TaskSlots } from './section-scans.ts';

it('runs all tasks, and at maxRunning one per lane at a time', async () => {
  const lanes = new TaskSlots(3);
  let running = 0;
  let maxRunning = 0;
  let done = 0;
  for (let count = 0; count < 20; count++) {
    await lanes.add(async () => {
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise(setImmediate);
      running--;
      done++;
    });
  }
  await lanes.drain();
  assert.deepEqual([maxRunning, done], [3, 20]);
});

it('reports a failure from the next `add` that finds no free lane, or from `drain`', async () => {
  const fail = async () => {
    throw new Error('broken');
  };
  const narrow = new TaskSlots(1);
  await narrow.add(fail);
  await assert.rejects(
    narrow.add(async () => {}),
    /broken/,
  );
  const wide = new TaskSlots(9);
  await wide.add(fail);
  await wide.add(async () => {});
  await assert.rejects(wide.drain(), /broken/);
});

/** A scanner that records its input. */
function keeper(streamLimit: number): Scanner & { streams: Buffer[] } {
  const streams: Buffer[] = [];
  return {
    streams,
    streamLimit,
    async scan(source) {
      streams.push(Buffer.concat(await Array.fromAsync(source)));
      return { result: 'clean' };
    },
    version: async () => ({ engine: 'keeper', signatures: null }),
  };
}

async function* give(buffers: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* buffers;
}

it('includes every sequence up to the overlap completely in one window, within the limit', async () => {
  const buffers = fc.array(fc.uint8Array({ maxLength: 120 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(buffers, fc.integer({ min: 8, max: 300 }), async (content, limit) => {
      const scanner = keeper(limit);
      assert.deepEqual(await scanInWindows(scanner, give(content)), { result: 'clean' });
      const whole = Buffer.concat(content);
      const overlap = Math.floor(limit / 8);
      let seen = 0;
      for (const [index, stream] of scanner.streams.entries()) {
        const start = index === 0 ? 0 : seen - overlap;
        assert.ok(stream.length <= limit);
        assert.deepEqual(stream, whole.subarray(start, start + stream.length));
        assert.ok(start + stream.length > seen, 'every window shows something new');
        seen = start + stream.length;
      }
      assert.equal(seen, whole.length);
    }),
    { numRuns: 300 },
  );
});

it('does not call the scanner for empty content', async () => {
  const scanner = keeper(100);
  await scanInWindows(scanner, give([new Uint8Array()]));
  assert.equal(scanner.streams.length, 0);
});

it('scans content of exactly the limit as one window', async () => {
  const scanner = keeper(100);
  await scanInWindows(scanner, give([new Uint8Array(60), new Uint8Array(40), new Uint8Array()]));
  assert.deepEqual(
    scanner.streams.map(({ length }) => length),
    [100],
  );
});
