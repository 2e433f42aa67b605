import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GroupRow } from './group-list.sql.ts';
import type { SummaryRow } from './reading.sql.ts';
import { groupOf, summaryOf } from './record.ts';

const summary: SummaryRow = {
  report_id: 'report',
  build_id: 'build',
  version: '1.0',
  group_id: null,
  state: 'queued',
  signature: null,
  reason: null,
  message: '',
  user_message: '',
  os: 'linux',
  arch: 'x86_64',
  received_at: new Date(0),
};

describe('the title of a report', () => {
  const cases: readonly (readonly [string | null, string, string])[] = [
    ['render::measure | main', 'out of memory', 'render::measure | main'],
    [null, '\n  cannot open /home/ann/x \r\n at line 3', 'cannot open /home/<user>/x'],
    ['', ' ', 'Neither a stack nor a message'],
    [null, '', 'Neither a stack nor a message'],
  ];
  for (const [signature, message, title] of cases) {
    it(`is ${title} for the signature ${signature} and the message ${JSON.stringify(message)}`, () => {
      assert.equal(summaryOf({ ...summary, signature, message }).title, title);
    });
  }
});

describe('a group', () => {
  const group: GroupRow = {
    group_id: 'group',
    kind: 'stack',
    title: 'measure',
    reason: null,
    explanation: [],
    count: 3,
    first_seen: new Date(0),
    last_seen: new Date(1),
    place: '1000',
    sample_report_id: null,
    status: 'open',
    fixed_in_version: null,
    regressed_at: null,
  };
  it('has no counts when none of its reports is counted any more', () => {
    const { builds, oses, days } = groupOf(group, undefined, new Map());
    assert.deepEqual([builds, oses, days], [[], [], []]);
  });

  it('sums up by build and by system, the most first, and keeps builds that are gone', () => {
    const counts: Parameters<typeof groupOf>[1] = {
      totals: [
        ['a', 'linux', 1],
        ['b', 'linux', 2],
        ['a', 'windows', 3],
        ['c', 'linux', 4],
      ],
      days: [['2026-11-21', 10]],
    };
    const versions = new Map([
      ['a', '1.0'],
      ['c', '1.1'],
    ]);
    const { builds, oses, days } = groupOf(group, counts, versions);
    assert.deepEqual(builds, [
      { build_id: 'c', version: '1.1', count: 4 },
      { build_id: 'a', version: '1.0', count: 4 },
      { build_id: 'b', version: '', count: 2 },
    ]);
    assert.deepEqual(oses, [
      { os: 'linux', count: 7 },
      { os: 'windows', count: 3 },
    ]);
    assert.deepEqual(days, [{ day: '2026-11-21', count: 10 }]);
  });
});
