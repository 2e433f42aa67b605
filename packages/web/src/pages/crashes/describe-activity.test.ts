import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Activity } from '@chauffeur/contract/operations/triage';
import { describeActivity } from './describe-activity.ts';

const entry = (fields: Partial<Activity>): Activity => ({
  activity_uid: '01a20b7d-8573-70fc-b8cb-f3c9609c8167',
  kind: 'change',
  at: '2026-12-01T12:00:00.000Z',
  user_id: 'u1',
  name: 'Kim',
  agent: null,
  change_uid: null,
  before: null,
  after: null,
  groups: [],
  function: null,
  comment: null,
  edited_at: null,
  ...fields,
});
const sentencesOf = (fields: Partial<Activity>) => describeActivity(entry(fields)).sentences.join(', ');

const CASES: readonly (readonly [sentence: string, fields: Partial<Activity>])[] = [
  ['ignored it', { after: { status: 'ignored' } }],
  ['reopened it', { before: { status: 'ignored' }, after: { status: 'open' } }],
  ['resolved it in the next build', { after: { status: 'resolved' } }],
  ['resolved it as fixed in 1.2', { after: { status: 'resolved', fixed_in_version: '1.2' } }],
  ['resolved it as fixed in 1.3', { before: { fixed_in_version: '1.2' }, after: { fixed_in_version: '1.3' } }],
  [
    'snoozed it for 5 more reports',
    { after: { status: 'snoozed', snooze: { until: null, reports: 5, next_build: false } } },
  ],
  [
    'assigned it to Ana, set the priority to high',
    { after: { assignee: { user_id: 'u2', name: 'Ana' }, priority: 'high' } },
  ],
  ['unassigned it, removed the priority', { after: { assignee: null, priority: null } }],
  ['renamed it to “Door”', { after: { title: 'Door' } }],
  ['removed the title', { after: { title: null } }],
  ['linked https://example.com/1', { after: { issue_url: 'https://example.com/1' } }],
  ['reopened it because a later build crashed, too', { kind: 'reopen', before: { status: 'resolved' } }],
  ['reopened it because its snooze ended', { kind: 'reopen', before: { status: 'snoozed' } }],
  ['split off the reports with Mod::load on their stack:', { kind: 'split', function: 'Mod::load' }],
];

for (const [sentence, fields] of CASES)
  test(`the activity says: ${sentence}`, () => {
    assert.equal(sentencesOf(fields), sentence);
  });

test('merged groups follow as links', () => {
  const groups = [{ group_id: '01a20b7d-8573-70fc-b8cb-f3c9609c8167', title: 'Lamp::on' }];
  assert.deepEqual(describeActivity(entry({ kind: 'merge', groups })), { sentences: ['merged'], links: groups });
});
