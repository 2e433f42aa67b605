import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../telemetry/log.ts';
import { ClosingError, openClosers } from './closers.ts';

type Line = { part: string; seconds?: number; msg: string; err?: { message: string } };

function openLogged() {
  const lines: Line[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { closers: openClosers(log), lines };
}

const never = () => new Promise<void>(() => undefined);

test('closes parts in reverse order, and parts that were added together at the same time', async () => {
  const { closers, lines } = openLogged();
  const events: string[] = [];
  const both = Promise.withResolvers<void>();
  closers.add({ name: 'database', seconds: 60, close: () => void events.push('database') });
  closers.add(
    {
      name: 'worker',
      seconds: 60,
      close: async () => {
        await both.promise;
        events.push('worker');
      },
    },
    { name: 'server', seconds: 60, close: () => both.resolve() },
  );
  await closers.close();
  assert.deepEqual(events, ['worker', 'database']);
  assert.deepEqual(lines, []);
});

test('a part that fails immediately or later is named, and the others are closed', async () => {
  const { closers, lines } = openLogged();
  let closed = false;
  closers.add({
    name: 'first',
    seconds: 60,
    close: () => {
      closed = true;
    },
  });
  closers.add({ name: 'second', seconds: 60, close: () => Promise.reject(new Error('broken')) });
  closers.add({
    name: 'third',
    seconds: 60,
    close: () => {
      throw new Error('torn');
    },
  });
  await assert.rejects(closers.close(), new ClosingError('failed to close: third, second'));
  assert.ok(closed);
  assert.deepEqual(
    lines.map(({ part, err }) => [part, err?.message]),
    [
      ['third', 'torn'],
      ['second', 'broken'],
    ],
  );
});

test('a part that hangs is abandoned at its deadline, and the log names it', async () => {
  const { closers, lines } = openLogged();
  let closed = false;
  closers.add({
    name: 'first',
    seconds: 60,
    close: () => {
      closed = true;
    },
  });
  closers.add({ name: 'second', seconds: 0.01, close: never });
  await assert.rejects(closers.close(), new ClosingError('failed to close: second'));
  assert.ok(closed);
  assert.deepEqual(
    lines.map(({ part, seconds, msg }) => [part, seconds, msg]),
    [['second', 0.01, 'a part did not close in time; continuing without it']],
  );
});

test('a part that fails after it was abandoned has no effect', async () => {
  const { closers } = openLogged();
  const late = Promise.withResolvers<void>();
  closers.add({ name: 'late', seconds: 0.01, close: () => late.promise });
  await assert.rejects(closers.close(), ClosingError);
  late.reject(new Error('too late'));
  await assert.rejects(late.promise, /too late/);
});

test('closes only once, even if it is called again', async () => {
  const { closers } = openLogged();
  let times = 0;
  closers.add({
    name: 'part',
    seconds: 60,
    close: () => {
      times++;
    },
  });
  await Promise.all([closers.close(), closers.close()]);
  await closers.close();
  assert.equal(times, 1);
});

test('a part gets its own grace period, unless the caller allows less', async () => {
  for (const [maxGraceSeconds, expected] of [
    [undefined, 600],
    [5, 5],
    [1000, 600],
  ] as const) {
    const { closers } = openLogged();
    let received: number | undefined;
    closers.add({
      name: 'server',
      seconds: 1,
      graceSeconds: 600,
      close: (graceSeconds) => {
        received = graceSeconds;
      },
    });
    await closers.close(maxGraceSeconds);
    assert.equal(received, expected);
  }
});
