// Peeking at the start of a source does not change its content.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { peek } from './peek.ts';

const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 10 });

test('the head has the requested bytes, and the whole has every byte once', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, fc.nat({ max: 60 }), async (list, bytes) => {
      const whole = Buffer.concat(list);
      const { head, all } = await peek(give(list), bytes);
      assert.ok(head.length >= Math.min(bytes, whole.length));
      assert.deepEqual(head, whole.subarray(0, head.length));
      assert.deepEqual(Buffer.concat(await Array.fromAsync(all)), whole);
    }),
  );
});

async function* give(list: readonly Uint8Array[], onEnd: () => void = () => {}) {
  try {
    yield* list;
  } finally {
    onEnd();
  }
}

test('leaving early, or before the start, ends the source', async () => {
  let ended = 0;
  const source = () => give([Buffer.from('a'), Buffer.from('b')], () => ended++);
  const { all } = await peek(source(), 1);
  for await (const _ of all) break;
  assert.equal(ended, 1);
  await (await peek(source(), 1)).discard();
  assert.equal(ended, 2);
});

test('an error of the source is thrown at its position', async () => {
  async function* failing() {
    yield Buffer.from('ab');
    throw new Error('cut off');
  }
  await assert.rejects(peek(failing(), 3), /cut off/);
  const { head, all } = await peek(failing(), 2);
  assert.equal(head.toString(), 'ab');
  await assert.rejects(Array.fromAsync(all), /cut off/);
});
