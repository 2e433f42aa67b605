import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { describeDeletion, isNameTyped } from './consequences.ts';

const NOTHING = {
  builds: 0,
  files: 0,
  bytes: 0,
  images: 0,
  videos: 0,
  symbols: 0,
  crash_reports: 0,
  bug_tickets: 0,
  events: 0,
  devices: 0,
  beta_members: 0,
  admins: 0,
  upload_sessions: 0,
};
const PUBLIC = { slug: 'owls', visibility: 'public', reservedDays: 90 } as const;

describe('the consequences of deleting a game', () => {
  it('are short for an unused draft', () => {
    assert.deepEqual(describeDeletion({ ...PUBLIC, visibility: 'draft' }, NOTHING), [
      'The game is a draft, so players see no change.',
      'Deleted: 0 builds, 0 files (0 bytes), 0 store images, 0 symbol files, and the channel history.',
      'Deploy keys stop working, and crash reports and events are refused.',
      'This cannot be undone.',
    ]);
  });

  it('name the players, content, reports, people and address of a game in use', () => {
    const holdings = {
      ...NOTHING,
      builds: 2,
      files: 1,
      bytes: 5_000_000,
      images: 1,
      videos: 2,
      crash_reports: 1200,
      devices: 1,
      beta_members: 3,
      admins: 1,
      upload_sessions: 1,
    };
    const lines = describeDeletion(PUBLIC, holdings);
    assert.match(lines[0] ?? '', /links to its page stop working\. 1 device played it in the last 30 days\./);
    assert.equal(lines[1], '3 players in the beta can no longer get its builds.');
    assert.match(lines[2] ?? '', /^Deleted: 2 builds, 1 file \(4\.8 MiB\), 1 store image, 2 videos, 0 symbol files/);
    assert.match(lines[3] ?? '', /^Deleted: 1,200 crash reports, 0 bug tickets, 0 events/);
    assert.match(lines[4] ?? '', /1 upload in progress is aborted\.$/);
    assert.equal(lines[5], '1 admin loses access.');
    assert.equal(lines[6], 'The address owls is reserved for you for 90 days.');
  });
});

test('a typed name matches with collapsed spaces and in either Unicode composition', () => {
  assert.ok(isNameTyped('Owls  of the\u00a0North ', ' Owls of the North'));
  assert.ok(isNameTyped('Caf\u00e9', 'Cafe\u0301'));
});

test('another name, another letter case, a part or an empty text does not match', () => {
  for (const typed of ['owls', 'Owl', 'Owlss', '', ' ']) assert.equal(isNameTyped('Owls', typed), false, typed);
});
