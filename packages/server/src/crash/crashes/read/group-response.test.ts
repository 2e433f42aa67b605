import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GroupRow, LocatedFrame } from './group-list.sql.ts';
import { findCulprit, groupOf, trendOf, unpackCounts } from './group-response.ts';
import { crashSummaryOf } from './report.ts';
import type { SummaryRow } from './report-list.sql.ts';

const summary: SummaryRow = {
  kind: 'crash',
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
      assert.equal(crashSummaryOf({ ...summary, signature, message }).title, title);
    });
  }
});

describe('a group', () => {
  const group: GroupRow = {
    group_id: 'group',
    kind: 'stack',
    report_kind: 'crash',
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

const frame = (name: string | null, file: string, line: number | null = 1): LocatedFrame => ({
  function: name,
  file,
  line,
});

describe('the culprit of a crash group', () => {
  it('is the place of the innermost function that the signature names, without its folders', () => {
    const frames = [frame('log(char const*)', 'log.cc'), frame('render::measure(Layout&)', 'src/render/layout.cc', 88)];
    assert.equal(findCulprit(frames, 'render::measure'), 'layout.cc:88');
    assert.equal(findCulprit([frame('main', 'C:\\game\\main.cpp', null)], 'main'), 'main.cpp');
  });

  it('is the first frame with a source file if the signature names none', () => {
    assert.equal(findCulprit([frame(null, 'audio.cc', 7), frame('main', 'main.cc')], 'hang | audio'), 'audio.cc:7');
    // measure is not measureText.
    assert.equal(findCulprit([frame('a', 'a.cc'), frame('measureText', 'b.cc')], 'measure'), 'a.cc:1');
  });

  it('is not known without source files', () => {
    assert.equal(findCulprit([], 'render::measure'), null);
  });
});

const FIRST_DAY = new Date('2026-10-23T15:00:00Z');
const NEWER = '0193a0c1-0000-7000-8000-000000000000';
const OLDER = '0193a0c0-0000-7000-8000-000000000000';
const RARE = '0193a0c2-0000-7000-8000-000000000000';

describe('the counts of a group', () => {
  const totals = `${OLDER} 1 linux,${RARE} 2 linux,${NEWER} 4 linux,${OLDER} 3 windows`;

  it('are summed by build and by OS, the highest first, then the newest build', () => {
    const { builds, build_count, oses } = unpackCounts([{ totals, days: '' }], FIRST_DAY, 10);
    assert.deepEqual(builds, [
      { build_id: NEWER, count: 4 },
      { build_id: OLDER, count: 4 },
      { build_id: RARE, count: 2 },
    ]);
    assert.equal(build_count, 3);
    assert.deepEqual(oses, [
      { os: 'linux', count: 7 },
      { os: 'windows', count: 3 },
    ]);
  });

  it('have at most the requested builds, and their total number', () => {
    const { builds, build_count } = unpackCounts([{ totals, days: '' }], FIRST_DAY, 1);
    assert.deepEqual(builds, [{ build_id: NEWER, count: 4 }]);
    assert.equal(build_count, 3);
  });

  it('are counted by day from the first day on, across months', () => {
    const { days } = unpackCounts([{ totals, days: '0 3,9 7' }], FIRST_DAY, 10);
    assert.deepEqual(days, [
      { day: '2026-10-23', count: 3 },
      { day: '2026-11-01', count: 7 },
    ]);
  });

  it('include a report without an OS', () => {
    const { oses } = unpackCounts([{ totals: `${NEWER} 1 `, days: '' }], FIRST_DAY, 10);
    assert.deepEqual(oses, [{ os: '', count: 1 }]);
  });

  it('are empty for a group without reports', () => {
    const empty = { builds: [], build_count: 0, oses: [], days: [] };
    assert.deepEqual(unpackCounts([{ totals: '', days: '' }], FIRST_DAY, 10), empty);
    assert.deepEqual(unpackCounts([], FIRST_DAY, 10), empty);
  });

  it('are summed over merged groups', () => {
    const other = { totals: `${NEWER} 5 windows`, days: '1 1,9 2' };
    const { builds, oses, days } = unpackCounts([{ totals, days: '0 3,9 7' }, other], FIRST_DAY, 1);
    assert.deepEqual(builds, [{ build_id: NEWER, count: 9 }]);
    assert.deepEqual(oses, [
      { os: 'windows', count: 8 },
      { os: 'linux', count: 7 },
    ]);
    assert.deepEqual(
      days.map(({ day, count }) => [day, count]),
      [
        ['2026-10-23', 3],
        ['2026-10-24', 1],
        ['2026-11-01', 9],
      ],
    );
  });
});

describe('trendOf', () => {
  it('has the three versions with the most reports, and the sum of all others', () => {
    const counts = [
      { day: '2026-11-20', version: '1.0', count: 1 },
      { day: '2026-11-20', version: '1.1', count: 9 },
      { day: '2026-11-20', version: null, count: 50 },
      { day: '2026-11-21', version: '1.0', count: 1 },
      { day: '2026-11-21', version: '1.2', count: 5 },
      { day: '2026-11-21', version: '1.3', count: 3 },
    ];
    assert.deepEqual(trendOf(counts), [
      { day: '2026-11-20', version: null, count: 51 },
      { day: '2026-11-20', version: '1.1', count: 9 },
      { day: '2026-11-21', version: null, count: 1 },
      { day: '2026-11-21', version: '1.2', count: 5 },
      { day: '2026-11-21', version: '1.3', count: 3 },
    ]);
  });

  it('is empty without counts', () => assert.deepEqual(trendOf([]), []));
});
