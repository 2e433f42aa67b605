// What is logged while the database is away: enough to find the cause, and not a stack for each request.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { type Outage, outageOf } from './setup/outage.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

type Line = { msg: string; count?: number; err?: { stack: string } };

describe('requests that fail because the database is away', () => {
  let server: TestServer;
  let outage: Outage;
  let lines: Line[];
  beforeEach(async () => {
    lines = [];
    const log = createLog('warn', { write: (line: string) => void lines.push(JSON.parse(line)) });
    server = await startServer({ role: 'api', log });
    outage = outageOf(server.database);
  });
  afterEach(async () => {
    await outage.end();
    await server.stop();
  });

  const ofRequests = () =>
    lines.filter(({ msg }) => ['request failed', 'page failed', 'readiness check failed'].includes(msg));

  test('are counted, and only the first of each kind has its stack', async () => {
    await outage.begin();
    const ask = async (path: string) => (await fetch(server.url + path)).status;
    const statuses: number[] = [];
    for (let round = 0; round < 20; round += 1)
      statuses.push(...(await Promise.all(['/api/v1/public/games/owls', '/g/owls', '/g/bats', '/ready'].map(ask))));
    assert.deepEqual([...new Set(statuses)], [503]);
    const counted = await until(async () => {
      const total = ofRequests().reduce((sum, { count = 1 }) => sum + count, 0);
      return total >= statuses.length && total;
    });
    assert.equal(counted, statuses.length);
    const stacks = ofRequests().filter(({ err }) => err !== undefined);
    assert.ok(stacks.length <= 9, `${stacks.length} stacks`);
    for (const { err } of stacks) assert.match(err!.stack, / at /);
  });
});
