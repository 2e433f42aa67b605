import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ActivityCount, describeCount, rowsOfCounts } from './describe-activity.ts';

const count = (more: Partial<ActivityCount>): ActivityCount => ({
  what: 'dropped',
  type: 'span',
  reason: 'not_used',
  count: 1,
  last_day: '2026-11-20',
  ...more,
});

describe('the activity of DSNs', () => {
  it('is described in words, also if a type or a reason is new', () => {
    assert.deepEqual(describeCount(count({})), { type: 'Spans', why: "Dropped: Chauffeur doesn't use them" });
    assert.deepEqual(describeCount(count({ what: 'message', type: 'info', reason: '' })).type, 'Messages (info)');
    assert.deepEqual(
      describeCount(count({ what: 'repeated', type: 'event', reason: '' })).why,
      'Sent again: kept once',
    );
    assert.deepEqual(describeCount(count({ what: 'discarded', type: 'error', reason: 'sample_rate' })), {
      type: 'Crashes and errors',
      why: 'Left out by the sample rate of the game',
    });
    assert.deepEqual(describeCount(count({ type: 'new_type', reason: 'new_reason' })), {
      type: 'new_type',
      why: 'new_reason',
    });
  });

  it('has one row for what has the same words, the largest first', () => {
    const rows = rowsOfCounts([
      count({ type: 'log', count: 3, last_day: '2026-11-22' }),
      count({ type: 'otel_log', count: 4 }),
      count({ count: 9 }),
    ]);
    assert.deepEqual(
      rows.map(({ type, count: total, lastDay }) => [type, total, lastDay]),
      [
        ['Spans', 9, '2026-11-20'],
        ['Logs', 7, '2026-11-22'],
      ],
    );
  });
});
