// Sends broken bodies to every route in the contract that accepts a body. The server must keep running, keep working
// and leave nothing behind.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { BodyBounds } from '@chauffeur/contract/body-bounds';
import { MIB } from '@chauffeur/contract/limits';
import { until } from '../../packages/server/test/setup/until.ts';
import { ABUSES, wrongTypes } from '../setup/abuse-cases.ts';
import { type Correct, type Route, routesOf } from '../setup/abuse-requests.ts';
import { startTarget, type Target } from '../setup/abuse-target.ts';
import { processorTimeOf, type WorstBody, worstBodies } from '../setup/abuse-worst.ts';

/** How many routes are attacked at the same time. */
const ATTACKERS = 16;
/** The processor time that one request may take: several times more than it does. */
const MAX_MS = 150;
const MAX_MS_PER_MIB = 100;

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
    const routes = routesOf(target).filter(({ json }) => json !== undefined);
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

  for (const isPacked of [false, true]) {
    const form = isPacked ? 'compressed bodies' : 'bodies';
    test(`reads the most expensive ${form} of every route in a bounded time`, async () => {
      for (const route of routesOf(target)) {
        if (route.json === undefined) continue;
        const { schema, bounds } = route.json;
        const request = await route.prepare();
        for (const { name, body } of worstBodies(JSON.parse(request.body.toString()), schema, bounds)) {
          // Once decompressed, it is the same as without compression.
          if (isPacked && !name.endsWith('the body')) break;
          await assertCheap(route, isPacked ? compressed(request, body) : { ...request, body }, name);
        }
        target.assertAlive(route.name);
      }
      await target.assertReady(form);
    });
  }

  test('stops on SIGTERM while it reads expensive bodies', async () => {
    const attacked = await startTarget();
    const [route] = routesOf(attacked).filter(({ name }) => name === 'crashes.create');
    const { json, prepare } = route as Route;
    const request = await prepare();
    const [worst] = worstBodies({}, json?.schema, json?.bounds as BodyBounds);
    const { body, headers, path } = compressed(request, (worst as WorstBody).body);
    let isOver = false;
    const attack = async () => {
      while (!isOver) {
        const sent = { method: 'POST', headers, body: new Uint8Array(body) };
        await fetch(new URL(path, attacked.service.url), sent).then(
          (response) => response.arrayBuffer(),
          () => undefined,
        );
      }
    };
    const attackers = Array.from({ length: ATTACKERS }, attack);
    // Throws unless the process ends in time, with the code of success.
    await attacked.stop().finally(() => {
      isOver = true;
    });
    await Promise.all(attackers);
  });

  /** Sends the request again if it was expensive, because a job or the garbage collector may have been at work. */
  async function assertCheap(route: Route, request: Correct, context: string): Promise<void> {
    const max = MAX_MS + MAX_MS_PER_MIB * ((route.json?.bounds.bytes ?? 0) / MIB);
    let used = 0;
    for (let tries = 0; tries < 3; tries += 1) {
      const before = processorTimeOf(target.service.pid);
      const status = await sendCorrect(route, request);
      used = processorTimeOf(target.service.pid) - before;
      assert.ok(status < 500, `${context} to ${route.name}: ${status}`);
      if (used <= max) return;
    }
    assert.fail(`${context} to ${route.name} took ${used} ms of processor time, more than ${max}`);
  }

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

function compressed({ headers, ...request }: Correct, body: Buffer): Correct {
  return { ...request, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body, { level: 1 }) };
}

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const attackers = Array.from({ length: ATTACKERS }, async () => {
    for (const item of queue) await work(item);
  });
  await Promise.all(attackers);
}
