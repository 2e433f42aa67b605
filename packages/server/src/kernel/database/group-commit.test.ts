import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import { type GroupCommitOptions, groupCommit } from './group-commit.ts';

type Options = Partial<
  Pick<GroupCommitOptions<string, string>, 'maxBatch' | 'writers' | 'writersPerKey' | 'maxWaiting' | 'weigh'>
>;

/** Sets up a queue whose writes are recorded, and wait until their gate is opened. */
function setUp(options: Options = {}) {
  const batches: string[][] = [];
  const byWriter: number[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const add = groupCommit<string, string>({
    maxBatch: 100,
    writers: 1,
    maxWaiting: 1000,
    ...options,
    isItemError: (error) => error instanceof RangeError,
    async write(items, writer) {
      batches.push([...items]);
      byWriter.push(writer);
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      if (items.includes('bad')) throw new RangeError('a bad item');
      if (items.includes('away')) throw new TypeError('the database is away');
      return items.map((item) => (item === 'refused' ? new Error('refused') : item.toUpperCase()));
    },
  });
  /** Opens the gates of all batches until `done` is settled. */
  async function drain<T>(done: Promise<T>): Promise<T> {
    let settled = false;
    const end = done.finally(() => {
      settled = true;
    });
    end.catch(() => undefined);
    while (!settled) {
      for (const gate of gates.splice(0)) gate.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return end;
  }
  return { add, batches, byWriter, gates, drain };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('groupCommit', () => {
  it('writes items that arrive together in one batch and returns the result of each', async () => {
    const { add, batches, drain } = setUp();
    assert.deepEqual(await drain(Promise.all([add('a'), add('b'), add('c')])), ['A', 'B', 'C']);
    assert.deepEqual(batches, [['a', 'b', 'c']]);
  });

  it('collects items that arrive during a write for the next batch', async () => {
    const { add, batches, drain } = setUp();
    const first = add('a');
    await nextTurn();
    await nextTurn();
    const others = [add('b'), add('c')];
    assert.deepEqual(await drain(Promise.all([first, ...others])), ['A', 'B', 'C']);
    assert.deepEqual(batches, [['a'], ['b', 'c']]);
  });

  it('limits the size of a batch', async () => {
    const { add, batches, drain } = setUp({ maxBatch: 2 });
    await drain(Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => add(item))));
    assert.deepEqual(batches, [['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('rejects only the item that causes an error', async () => {
    const { add, drain } = setUp();
    const results = await drain(Promise.allSettled([add('a'), add('bad'), add('c')]));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('rejects an item whose result is an error, without another try', async () => {
    const { add, batches, drain } = setUp();
    const results = await drain(Promise.allSettled([add('a'), add('refused'), add('c')]));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(batches.length, 1);
  });

  it('rejects all items of a batch after any other error, without another try', async () => {
    const { add, batches, drain } = setUp();
    const results = await drain(Promise.allSettled([add('a'), add('away')]));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(batches.length, 1);
  });

  it('refuses items while the queue is full', async () => {
    const { add, drain } = setUp({ maxWaiting: 2 });
    const kept = [add('a'), add('b')];
    assert.throws(
      () => add('c'),
      (error) => error instanceof ApiError && error.code === 5030 && error.data?.retry_after === 2,
    );
    assert.deepEqual(await drain(Promise.all(kept)), ['A', 'B']);
    assert.deepEqual(await drain(add('d')), 'D');
  });

  it('writes as many batches at once as it has writers', async () => {
    const { add, batches, drain } = setUp({ maxBatch: 1, writers: 2 });
    const first = add('a');
    const second = add('b');
    await nextTurn();
    await nextTurn();
    assert.deepEqual(batches, [['a'], ['b']]);
    await drain(Promise.all([first, second]));
  });

  it('writes items with different keys in different batches, each key in its order', async () => {
    const { add, batches, drain } = setUp({ maxBatch: 2 });
    const keys = { a: 'x', b: 'y', c: 'x', d: 'x', e: 'y' };
    await drain(Promise.all(Object.entries(keys).map(([item, key]) => add(item, key))));
    assert.deepEqual(batches, [['a', 'c'], ['b', 'e'], ['d']]);
  });

  it('fills a batch by weight, and writes an item alone that exceeds it', async () => {
    const weigh = ({ length }: string) => length;
    const { add, batches, drain } = setUp({ maxBatch: 5, weigh });
    await drain(Promise.all(['aa', 'bbb', 'c', 'ddddddd', 'eeee', 'ff'].map((item) => add(item))));
    assert.deepEqual(batches, [['aa', 'bbb'], ['c'], ['ddddddd'], ['eeee'], ['ff']]);
  });

  it('refuses by the queued weight, without the weight of the new item', async () => {
    const { add, drain } = setUp({ maxWaiting: 4, weigh: ({ length }) => length });
    const kept = [add('aaa'), add('bbbb')];
    assert.throws(() => add('c'), ApiError);
    assert.deepEqual(await drain(Promise.all(kept)), ['AAA', 'BBBB']);
    assert.equal(await drain(add('c')), 'C');
  });

  it('writes at most `writersPerKey` batches with a key at once', async () => {
    const { add, batches, gates, drain } = setUp({ maxBatch: 1, writers: 3, writersPerKey: 1 });
    const all = [add('a', 'x'), add('b', 'x'), add('c', 'y')];
    await nextTurn();
    await nextTurn();
    assert.deepEqual(batches, [['a'], ['c']]);
    gates[0]!.resolve();
    assert.deepEqual(await drain(Promise.all(all)), ['A', 'B', 'C']);
    assert.deepEqual(batches, [['a'], ['c'], ['b']]);
  });

  it('never writes two batches at once with the same writer', async () => {
    const { add, byWriter, gates, drain } = setUp({ maxBatch: 1, writers: 3 });
    const first = ['a', 'b', 'c', 'd'].map((item) => add(item));
    await nextTurn();
    await nextTurn();
    assert.deepEqual(byWriter, [0, 1, 2]);
    gates[1]!.resolve();
    await nextTurn();
    await nextTurn();
    assert.deepEqual(byWriter, [0, 1, 2, 1]);
    await drain(Promise.all(first));
  });
});
