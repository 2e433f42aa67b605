import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sayBadge } from './badge.ts';

const origin = { type: 'deploy_key', key_ref: 'a1b2c3d4' } as const;
const clean = { status: 'clean', message: 'Scanned clean with ClamAV' };

it('says what scanned a file and when, with the year when it is another', () => {
  const offer = { file: clean, origin, scanned_at: '2026-11-03T12:00:00.000Z' };
  assert.equal(
    sayBadge(offer, new Date('2026-12-01T12:00:00Z')),
    'Scanned clean with ClamAV, 3 Nov · uploaded with deploy key a1b2c3d4',
  );
  assert.match(sayBadge(offer, new Date('2027-02-01T12:00:00Z')), /ClamAV, 3 Nov 2026 ·/);
});

it('names no day where nothing was scanned', () => {
  const file = { status: 'unscanned', message: 'Not scanned: this server has no virus scanner' };
  assert.equal(
    sayBadge({ file, origin: { type: 'website', user: 'Ada' }, scanned_at: '2026-11-03T12:00:00.000Z' }, new Date()),
    'Not scanned: this server has no virus scanner · uploaded on the website by Ada',
  );
});
