import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatRateLimits, UNUSED_CATEGORIES } from './answers.ts';
import { discardedOf } from './client-report.ts';
import { isRandomId, joinUpdates, SESSION_STATUSES, type SessionUpdate, sessionOf, worseStatus } from './sessions.ts';

const SID = 'aece1d8d-b221-4862-64ac-aa46e64c775b';

describe('sessionOf', () => {
  it('knows a session by its id in any form', () => {
    assert.equal(sessionOf({ sid: SID })?.sid, SID.replaceAll('-', ''));
    assert.equal(sessionOf({ sid: SID.replaceAll('-', '').toUpperCase() })?.sid, SID.replaceAll('-', ''));
    for (const sid of [undefined, null, '', {}, [], '00000000-0000-0000-0000-000000000000'])
      assert.equal(sessionOf({ sid }), null);
    assert.equal(sessionOf('x'), null);
  });

  it('takes errors for a status that does not mention them', () => {
    assert.deepEqual(
      [{ status: 'ok' }, { status: 'exited', errors: 2 }, { status: 'errored' }, { status: 'new', errors: '1' }].map(
        (fields) => sessionOf({ sid: SID, ...fields })?.status,
      ),
      ['ok', 'errored', 'errored', 'errored'],
    );
  });

  it('returns a session or null for any value', () => {
    fc.assert(
      fc.property(fc.object({ withNullPrototype: true }), fc.anything(), (fields, status) => {
        const session = sessionOf({ ...fields, sid: SID, status, duration: status, seq: status, attrs: fields });
        assert.ok(session !== null && SESSION_STATUSES.includes(session.status));
        discardedOf({ discarded_events: [fields, { reason: status, category: status, quantity: 1 }] });
      }),
    );
  });
});

const update: fc.Arbitrary<SessionUpdate> = fc
  .record({
    status: fc.constantFrom('ok', 'exited', 'crashed', 'abnormal', 'unhandled', 'errored'),
    errors: fc.nat({ max: 3 }),
    seq: fc.option(fc.nat({ max: 5 })),
    init: fc.boolean(),
    did: fc.option(fc.constantFrom('a', 'b')),
    duration: fc.option(fc.nat({ max: 5 })),
    started: fc.option(fc.constantFrom('2026-11-26T11:39:13Z', '2026-11-26T11:39:14Z')),
    timestamp: fc.option(fc.constantFrom('2026-11-26T11:40:13Z', '2026-11-26T11:41:14Z')),
  })
  .map((fields) => sessionOf({ sid: SID, ...fields, attrs: { release: `a@${fields.seq}` } })!);

describe('joinUpdates', () => {
  it('gives the same session in any order, and for an update that arrives twice', () => {
    fc.assert(
      fc.property(update, update, (a, b) => {
        const joined = joinUpdates(a, b);
        assert.deepEqual(joinUpdates(b, a), joined);
        assert.deepEqual(joinUpdates(joined, joined), joined);
        assert.equal(joined.status, worseStatus(a.status, b.status));
      }),
    );
  });

  it('never makes a session better', () => {
    fc.assert(
      fc.property(fc.array(update, { minLength: 1 }), (updates) => {
        const { status } = updates.reduce(joinUpdates);
        assert.equal(status, updates.map((each) => each.status).reduce(worseStatus));
      }),
    );
  });
});

describe('isRandomId', () => {
  it('is true for what libraries make', () => {
    for (const id of [SID, 'cd631ec675054f56ed68f8851cb8fc22', '{018F3A2B-7C1D-7E5F-8A9B-1C2D3E4F5A6B}'])
      assert.equal(isRandomId(id), true, id);
    for (let count = 0; count < 1000; count += 1) assert.ok(isRandomId(randomUUID()));
  });

  it('is false for accounts, addresses and numbers', () => {
    for (const id of [
      '',
      'ann',
      'ann@example.com',
      '76561198000000000',
      'dev-1',
      '00000000-0000-0000-0000-000000000042',
      '11111111-1111-1111-1111-111111111111',
      '192.168.0.1',
    ])
      assert.equal(isRandomId(id), false, id);
  });
});

describe('discardedOf', () => {
  it('adds up each reason and category, and counts unknown ones together', () => {
    const discarded_events = [
      { reason: 'network_error', category: 'error', quantity: 1 },
      { reason: 'network_error', category: 'error', quantity: '2' },
      { reason: '<b>', category: '__proto__', quantity: 5 },
      { reason: 'network_error', category: 'error', quantity: -1 },
      null,
    ];
    assert.deepEqual(discardedOf({ discarded_events }), [
      { reason: 'network_error', category: 'error', quantity: 3 },
      { reason: 'other', category: 'default', quantity: 5 },
    ]);
  });
});

describe('formatRateLimits', () => {
  it('writes the header that clients read', () => {
    const limits = [
      { seconds: 3600, categories: ['span', 'log_item'] as const, reason: 'not_used' },
      { seconds: 59.2, categories: [], reason: 'limit' },
    ];
    assert.equal(formatRateLimits(limits), '3600:span;log_item:key:not_used, 60::key:limit');
    for (const category of ['error', 'session', 'feedback', 'attachment', 'default'] as const)
      assert.ok(!UNUSED_CATEGORIES.includes(category), `${category} would hold back what is taken`);
  });
});
