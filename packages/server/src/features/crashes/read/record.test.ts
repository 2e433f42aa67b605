import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CountRow, GroupRow } from './group-list.sql.ts';
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
  const nothing: CountRow = { group_id: 'group', build_id: null, version: null, os: null, day: null, count: 0 };

  it('takes each count to where it belongs, and keeps that of a build that is gone', () => {
    const counts: CountRow[] = [
      { ...nothing, build_id: 'a', version: '1.0', count: 2 },
      { ...nothing, build_id: 'b', count: 1 },
      { ...nothing, os: 'linux', count: 3 },
      { ...nothing, day: '2026-11-21', count: 3 },
    ];
    const { builds, oses, days } = groupOf(group, counts);
    assert.deepEqual(builds, [
      { build_id: 'a', version: '1.0', count: 2 },
      { build_id: 'b', version: '', count: 1 },
    ]);
    assert.deepEqual(oses, [{ os: 'linux', count: 3 }]);
    assert.deepEqual(days, [{ day: '2026-11-21', count: 3 }]);
  });
});
