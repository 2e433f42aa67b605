// Sends broken bodies to every route in the contract that accepts a body. The server must keep running, keep working
// and leave nothing behind.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ABUSES, wrongTypes } from '../setup/abuse-cases.ts';
import { type Correct, type Route, routesOf } from '../setup/abuse-requests.ts';
import { startTarget, type Target } from '../setup/abuse-target.ts';
import { until } from '../setup/until.ts';

/** How many routes are attacked at the same time. */
const ATTACKERS = 16;

describe('a server under attack', () => {
  let target: Target;
  let address: URL;
  before(async () => {
    target = await startTarget();
    address = new URL(target.service.url);
  });
  after(() => target.stop());

  for (const { name, send } of ABUSES) {
    test(`survives ${name} on every route`, async () => {
      await forEach(routesOf(target), async (route) => {
        const context = `${name} to ${route.method} ${route.name}`;
        const request = await route.prepare();
        const statuses = await send(address, route.method, request);
        for (const status of statuses) assert.ok(status < 500, `${context}: ${status}`);
        target.assertAlive(context);
        // If the broken request succeeded, it may have used up what it was sent to.
        const isUsed = statuses.some((status) => status < 300);
        await assertWorks(route, isUsed ? await route.prepare() : request, context);
      });
      await target.assertReady(name);
      await assertNothingRemains();
    });
  }

  test('survives wrong JSON types in every field on every route', async () => {
    const routes = routesOf(target).filter(({ isJson }) => isJson);
    await forEach(routes, async (route) => {
      const request = await route.prepare();
      for (const wrong of wrongTypes(JSON.parse(request.body.toString()))) {
        const body = Buffer.from(JSON.stringify(wrong));
        const status = await sendCorrect(route, { ...request, body });
        assert.ok(status < 500, `${route.name}: ${status} to ${body.toString().slice(0, 300)}`);
      }
      target.assertAlive(route.name);
      await assertWorks(route, await route.prepare(), 'wrong types');
    });
    await target.assertReady('wrong types');
    await assertNothingRemains();
  });

  async function assertWorks(route: Route, request: Correct, context: string): Promise<void> {
    const status = await sendCorrect(route, request);
    const works = route.succeeds?.includes(status) ?? status < 500;
    assert.ok(works, `${context}: then a correct request returned ${status}`);
  }

  async function sendCorrect({ method }: Route, { path, headers, body }: Correct): Promise<number> {
    const response = await fetch(new URL(path, address), { method, headers, body: new Uint8Array(body) });
    await response.arrayBuffer();
    return response.status;
  }

  /** Waits, because an aborted upload is only removed after its connection has ended. */
  async function assertNothingRemains(): Promise<void> {
    let remains: string[] = [];
    await until(
      async () => {
        remains = await target.findRemains();
        return remains.length === 0;
      },
      () => `left behind:\n${remains.join('\n')}`,
    );
  }
});

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const attackers = Array.from({ length: ATTACKERS }, async () => {
    for (const item of queue) await work(item);
  });
  await Promise.all(attackers);
}
