import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import { groupCommit } from './group-commit.ts';

type Setting = { most?: number; writers?: number; mostWaiting?: number; weigh?: (item: string) => number };

/** A writer that keeps what it was given, and goes on when it is let. */
function setUp({ most = 100, writers = 1, mostWaiting = 1000, weigh = () => 1 }: Setting = {}) {
  const batches: string[][] = [];
  const byWriter: number[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const add = groupCommit<string, string>({
    most,
    writers,
    mostWaiting,
    weigh,
    isAboutItems: (error) => error instanceof RangeError,
    async write(items, writer) {
      batches.push([...items]);
      byWriter.push(writer);
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      if (items.includes('bad')) throw new RangeError('a bad item');
      if (items.includes('away')) throw new TypeError('nobody there');
      return items.map((item) => item.toUpperCase());
    },
  });
  /** Lets the batches end as they come, until `done` is settled. */
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
  it('writes what arrives together in one batch, and answers each for itself', async () => {
    const { add, batches, drain } = setUp();
    assert.deepEqual(await drain(Promise.all([add('a'), add('b'), add('c')])), ['A', 'B', 'C']);
    assert.deepEqual(batches, [['a', 'b', 'c']]);
  });

  it('gathers what arrives while a batch is being written into the next', async () => {
    const { add, batches, drain } = setUp();
    const first = add('a');
    await nextTurn();
    await nextTurn();
    const others = [add('b'), add('c')];
    assert.deepEqual(await drain(Promise.all([first, ...others])), ['A', 'B', 'C']);
    assert.deepEqual(batches, [['a'], ['b', 'c']]);
  });

  it('keeps to the size of a batch', async () => {
    const { add, batches, drain } = setUp({ most: 2 });
    await drain(Promise.all(['a', 'b', 'c', 'd', 'e'].map(add)));
    assert.deepEqual(batches, [['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('lets a bad item cost nobody else theirs', async () => {
    const { add, drain } = setUp();
    const results = await drain(Promise.allSettled([add('a'), add('bad'), add('c')]));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('does not ask again when the error is not about the items', async () => {
    const { add, batches, drain } = setUp();
    const results = await drain(Promise.allSettled([add('a'), add('away')]));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(batches.length, 1);
  });

  it('turns away what it has no room for, and goes on with the rest', async () => {
    const { add, drain } = setUp({ mostWaiting: 2 });
    const kept = [add('a'), add('b')];
    assert.throws(
      () => add('c'),
      (error) => error instanceof ApiError && error.code === 5030 && error.data?.retry_after === 2,
    );
    assert.deepEqual(await drain(Promise.all(kept)), ['A', 'B']);
    assert.deepEqual(await drain(add('d')), 'D');
  });

  it('writes several batches at once where it may', async () => {
    const { add, batches, drain } = setUp({ most: 1, writers: 2 });
    const first = add('a');
    const second = add('b');
    await nextTurn();
    await nextTurn();
    assert.deepEqual(batches, [['a'], ['b']]);
    await drain(Promise.all([first, second]));
  });

  it('fills a batch by weight, and writes an item that is too heavy for one alone', async () => {
    const weigh = ({ length }: string) => length;
    const { add, batches, drain } = setUp({ most: 5, weigh });
    await drain(Promise.all(['aa', 'bbb', 'c', 'ddddddd', 'eeee', 'ff'].map(add)));
    assert.deepEqual(batches, [['aa', 'bbb'], ['c'], ['ddddddd'], ['eeee'], ['ff']]);
  });

  it('turns away by the weight that waits, not by that of what it would add', async () => {
    const { add, drain } = setUp({ mostWaiting: 4, weigh: ({ length }) => length });
    const kept = [add('aaa'), add('bbbb')];
    assert.throws(() => add('c'), ApiError);
    assert.deepEqual(await drain(Promise.all(kept)), ['AAA', 'BBBB']);
    assert.equal(await drain(add('c')), 'C');
  });

  it('gives no two batches that are written at once the same number', async () => {
    const { add, byWriter, gates, drain } = setUp({ most: 1, writers: 3 });
    const first = ['a', 'b', 'c', 'd'].map(add);
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
