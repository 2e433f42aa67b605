import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatBadge } from './store-format.ts';

const origin = { type: 'deploy_key', key_ref: 'a1b2c3d4' } as const;
const clean = { status: 'clean', message: 'Scanned clean with ClamAV' };

it('shows the scanner and the date, with the year if it is not the current one', () => {
  const offer = { file: clean, origin, scanned_at: '2026-11-03T12:00:00.000Z' };
  assert.equal(
    formatBadge(offer, new Date('2026-12-01T12:00:00Z')),
    'Scanned clean with ClamAV, 3 Nov · uploaded with deploy key a1b2c3d4',
  );
  assert.match(formatBadge(offer, new Date('2027-02-01T12:00:00Z')), /ClamAV, 3 Nov 2026 ·/);
});

it('shows no date for a file that was not scanned', () => {
  const file = { status: 'unscanned', message: 'Not scanned: no virus scanner on this server' };
  assert.equal(
    formatBadge({ file, origin: { type: 'website', user: 'Ada' }, scanned_at: '2026-11-03T12:00:00.000Z' }, new Date()),
    'Not scanned: no virus scanner on this server · uploaded on the website by Ada',
  );
});

it('names the person who uploaded with a login of the command', () => {
  const login = { type: 'cli_login', key_ref: 'chf_cli_a1b2c3', user: 'Ada' } as const;
  const file = { status: 'pending', message: 'Queued for virus scan' };
  const offer = { file, origin: login, scanned_at: '2026-11-03T12:00:00.000Z' };
  assert.equal(formatBadge(offer, new Date()), 'Queued for virus scan · uploaded by Ada');
});
