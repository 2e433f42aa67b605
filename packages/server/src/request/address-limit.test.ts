import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../context.ts';
import { createMetrics } from '../kernel/telemetry/metrics.ts';
import { countPublicPost, networkOf } from './address-limit.ts';

function setUp(limitPublic: number) {
  const at = { now: new Date('2026-11-21T10:00:30Z') };
  const ctx = { config: { limitPublic }, clock: { now: () => at.now }, metrics: createMetrics() } as Context;
  return { at, post: (ip: string) => countPublicPost(ctx, { ip }) };
}

const isLimit = (error: unknown) => error instanceof ApiError && error.code === 4290 && error.data?.retry_after === 30;

describe('the limit of an address', () => {
  it('refuses requests above it until the minute is over', () => {
    const { at, post } = setUp(2);
    post('192.0.2.1');
    post('192.0.2.1');
    assert.throws(() => post('192.0.2.1'), isLimit);
    at.now = new Date('2026-11-21T10:01:00Z');
    post('192.0.2.1');
  });

  it('counts each address separately', () => {
    const { post } = setUp(1);
    post('192.0.2.1');
    post('192.0.2.2');
    assert.throws(() => post('192.0.2.2'), isLimit);
  });

  it('counts a network of 64 bits as one address', () => {
    const { post } = setUp(1);
    post('2001:db8::1');
    assert.throws(() => post('2001:db8::2:3'), isLimit);
    post('2001:db8:0:1::1');
  });

  it('is disabled by 0', () => {
    const { post } = setUp(0);
    assert.doesNotThrow(() => {
      for (let n = 0; n < 1000; n += 1) post('192.0.2.1');
    });
  });
});

for (const [address, network] of [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['::1', '0:0:0:0'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
] as const) {
  it(`has ${address} in the network ${network}`, () => assert.equal(networkOf(address), network));
}
