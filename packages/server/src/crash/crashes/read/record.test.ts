import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unpackCounts } from './group-counts.ts';
import type { GroupRow } from './group-list.sql.ts';
import { groupOf, summaryOf } from './record.ts';
import type { SummaryRow } from './report-list.sql.ts';

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
  device_uid: null,
  received_at: new Date(0),
};

describe('the title of a report', () => {
  const cases: readonly (readonly [string | null, string, string])[] = [
    ['render::measure | main', 'out of memory', 'render::measure | main'],
    [null, '\n  cannot open /home/ann/x \r\n at line 3', 'cannot open /home/<user>/x'],
    ['', ' ', 'No stack or message'],
    [null, '', 'No stack or message'],
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
    signature: 'measure',
    reason: null,
    explanation: [],
    count: 3,
    devices: 2,
    sessions: 2,
    first_seen: new Date(0),
    last_seen: new Date(1),
    sample_report_id: null,
    status: 'open',
    fixed_in_version: null,
    regressed_at: null,
    snoozed_until: null,
    snoozed_until_count: null,
    snoozed_until_build: false,
    assignee_id: null,
    priority: null,
    issue_url: null,
    split_from: null,
    split_function: null,
    members: [],
  };
  const counts = unpackCounts([], new Date(0), 10);
  const none = new Map<string, string>();
  it('has the names of its builds, and keeps deleted builds', () => {
    const builds = ['kept', 'gone'].map((build_id) => ({ build_id, count: 1 }));
    const { builds: named } = groupOf(group, {
      counts: { ...counts, builds },
      buildNames: new Map([['kept', { version: '1.0', os: 'linux', arch: 'x86_64' }]]),
      names: none,
      sample: undefined,
    });
    assert.deepEqual(named, [
      { build_id: 'kept', version: '1.0', os: 'linux', arch: 'x86_64', count: 1 },
      { build_id: 'gone', version: '', os: '', arch: '', count: 1 },
    ]);
  });

  it('has the message of its newest report in one line, and where it crashed, without user names', () => {
    const located = [{ function: 'render::measure', file: '/home/ann/layout.cc', line: 88 }];
    const sample = { report_id: 'report', message: ' car != null \nat /home/ann', located };
    const { message, culprit } = groupOf(group, { counts, buildNames: new Map(), names: none, sample });
    assert.deepEqual({ message, culprit }, { message: 'car != null', culprit: 'layout.cc:88' });
  });

  it('that is snoozed says what is left', () => {
    const snoozed = { ...group, status: 'snoozed', snoozed_until_count: 5 } as const;
    const { snooze } = groupOf(snoozed, { counts, buildNames: new Map(), names: none, sample: undefined });
    assert.deepEqual(snooze, { until: null, reports: 2, next_build: false });
    const { snooze: open } = groupOf(
      { ...snoozed, status: 'open' },
      { counts, buildNames: new Map(), names: none, sample: undefined },
    );
    assert.equal(open, null);
  });

  it('is assigned to no one once the account is deleted', () => {
    const assigned = { ...group, assignee_id: 'u1' };
    const named = groupOf(assigned, {
      counts,
      buildNames: new Map(),
      names: new Map([['u1', 'Kim']]),
      sample: undefined,
    });
    assert.deepEqual(named.assignee, { user_id: 'u1', name: 'Kim' });
    assert.equal(groupOf(assigned, { counts, buildNames: new Map(), names: none, sample: undefined }).assignee, null);
  });
});
