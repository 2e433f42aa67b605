import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  changesNothing,
  type Deletion,
  describeDeletion,
  describePromotion,
  describeRollback,
  type Promotion,
} from './consequences.ts';

const build = { build_id: 'new', version: '1.1', os: 'linux', arch: 'x86_64' } as const;
const formatTime = (time: Date) => time.toISOString();
const now = new Date('2026-11-30T12:00:00Z');
const current = { build_id: 'old', version: '1.0', expired: false, expires_at: null };
const promotion: Promotion = { channel: 'stable', build, current, hours: 0, visibility: 'public', now, formatTime };

describe('describePromotion', () => {
  it('names both versions and the audience', () => {
    const [step, audience] = describePromotion(promotion);
    assert.equal(step, 'stable on Linux x86_64 changes from 1.0 to 1.1.');
    assert.equal(audience, 'It is available to all players immediately.');
  });

  it('distinguishes an empty channel from an expired build', () => {
    assert.match(describePromotion({ ...promotion, current: undefined })[0] ?? '', /offers nothing yet/);
    const expired = { ...current, expired: true, expires_at: '2026-11-29T12:00:00Z' };
    assert.match(
      describePromotion({ ...promotion, current: expired })[0] ?? '',
      /because 1\.0 expired\. It will offer 1\.1/,
    );
  });

  it('says that nothing changes if the channel already offers the build without an expiry', () => {
    const same = { ...current, ...build };
    const again = { ...promotion, current: same };
    assert.deepEqual(describePromotion(again), ['stable on Linux x86_64 already offers 1.1. Nothing changes.']);
    assert.ok(changesNothing(again));
    assert.ok(!changesNothing({ ...again, hours: 24 }));
    assert.ok(!changesNothing({ ...again, current: { ...same, expired: true } }));
    assert.ok(!changesNothing({ ...again, current: { ...same, expires_at: '2026-12-02T12:00:00Z' } }));
    assert.ok(!changesNothing({ ...again, current: undefined }));
  });

  it('names only the expiry if the channel already offers the build', () => {
    const same = { ...current, ...build, expires_at: '2026-12-02T12:00:00Z' };
    assert.deepEqual(describePromotion({ ...promotion, current: same }), [
      'stable on Linux x86_64 already offers 1.1. Only its expiry changes.',
      'It no longer expires.',
    ]);
    assert.match(
      describePromotion({ ...promotion, current: same, hours: 24 })[1] ?? '',
      /^It expires on 2026-12-01T12:00.* offers nothing/,
    );
  });

  it('limits the audience to members for a draft, and to those who can see the channel otherwise', () => {
    const audience = (channel: string, visibility: Promotion['visibility']) =>
      describePromotion({ ...promotion, channel, visibility })[1];
    assert.match(audience('stable', 'draft') ?? '', /draft/);
    assert.match(audience('beta', 'invisible') ?? '', /beta members/);
    assert.match(audience('dev', 'public') ?? '', /members/);
    assert.match(audience('event', 'public') ?? '', /with the link/);
  });
});

describe('describeRollback', () => {
  it('names both versions', () => {
    const place = { ...build, channel: 'beta' };
    const [step] = describeRollback({ place, to: { version: '1.0' }, visibility: 'public' });
    assert.equal(step, 'beta on Linux x86_64 changes from 1.1 back to 1.0, without an expiry.');
  });
});

describe('describeDeletion', () => {
  const nothing: Deletion = {
    build,
    channels: [],
    files: 1,
    bytes: 1_048_576,
    uploads: 0,
    symbols: 0,
    crashReports: 0,
    devices: 0,
    visibility: 'public',
  };
  const describeAll = (changes: Partial<Deletion>) => describeDeletion({ ...nothing, ...changes }).join('\n');

  it('starts with what players lose on each channel', () => {
    const [stable, beta] = describeDeletion({ ...nothing, channels: ['stable', 'beta'] });
    assert.match(stable ?? '', /^stable on Linux x86_64 will offer nothing .* no earlier build .* All players lose/);
    assert.match(beta ?? '', /Beta members lose/);
    assert.match(describeAll({ channels: ['stable'], visibility: 'draft' }), /players are not affected/);
    assert.match(describeAll({}), /^No channel offers it, so nothing changes for players/);
  });

  it('uses the singular for one, and leaves out zeros', () => {
    assert.match(
      describeAll({ files: 2, symbols: 1, devices: 1200 }),
      /1,200 devices ran this build[\s\S]*2 files \(1\.0 MiB\)[\s\S]*1 symbol file is deleted/,
    );
    assert.doesNotMatch(describeAll({}), /symbol|devices|upload/);
    assert.match(describeAll({ files: 0 }), /It has no files/);
  });

  it('ends with a warning that it is permanent', () => {
    assert.equal(describeDeletion(nothing).at(-1), 'This cannot be undone.');
  });
});
