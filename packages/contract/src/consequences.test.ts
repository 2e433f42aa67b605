import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Deletion, type Promotion, sayDeletion, sayPromotion, sayRollback } from './consequences.ts';

const build = { build_id: 'new', version: '1.1', os: 'linux', arch: 'x86_64' };
const sayTime = (time: Date) => time.toISOString();
const now = new Date('2026-11-30T12:00:00Z');
const current = { build_id: 'old', version: '1.0', expired: false, expires_at: null };
const promotion: Promotion = { channel: 'stable', build, current, hours: 0, visibility: 'public', now, sayTime };

describe('what a promotion changes', () => {
  it('is from which version to which, and for whom', () => {
    const [step, audience] = sayPromotion(promotion);
    assert.equal(step, 'stable on Linux x86_64 goes from 1.0 to 1.1.');
    assert.equal(audience, 'Every player is offered it at once.');
  });

  it('tells a channel that offers nothing from one whose offer has expired', () => {
    assert.match(sayPromotion({ ...promotion, current: undefined })[0] ?? '', /offers nothing yet/);
    const expired = { ...current, expired: true, expires_at: '2026-11-29T12:00:00Z' };
    assert.match(
      sayPromotion({ ...promotion, current: expired })[0] ?? '',
      /since 1\.0 expired; now it will offer 1\.1/,
    );
  });

  it('is the expiry alone where the build is there already', () => {
    const same = { ...current, ...build, expires_at: '2026-12-02T12:00:00Z' };
    assert.deepEqual(sayPromotion({ ...promotion, current: same }).slice(0, 2), [
      'stable on Linux x86_64 offers 1.1 already; only its expiry changes.',
      'It no longer expires.',
    ]);
    assert.match(
      sayPromotion({ ...promotion, current: same, hours: 24 })[1] ?? '',
      /^From 2026-12-01T12:00.* it offers nothing/,
    );
  });

  it('touches only members while the game is a draft, and only who may see the channel else', () => {
    const audience = (channel: string, visibility: Promotion['visibility']) =>
      sayPromotion({ ...promotion, channel, visibility })[1];
    assert.match(audience('stable', 'draft') ?? '', /draft/);
    assert.match(audience('beta', 'invisible') ?? '', /joined the beta/);
    assert.match(audience('dev', 'public') ?? '', /owner and admins/);
    assert.match(audience('event', 'public') ?? '', /has the link/);
  });
});

describe('what a rollback changes', () => {
  it('is from which version back to which', () => {
    const place = { ...build, channel: 'beta' };
    const [step] = sayRollback({ place, to: { version: '1.0' }, visibility: 'public' });
    assert.equal(step, 'beta on Linux x86_64 goes from 1.1 back to 1.0, without an expiry.');
  });
});

describe('what a deletion takes', () => {
  const nothing: Deletion = {
    build,
    channels: [],
    files: 1,
    size: '1.0 MiB',
    uploads: 0,
    symbols: 0,
    crashReports: 0,
    devices: 0,
    visibility: 'public',
  };
  const said = (changes: Partial<Deletion>) => sayDeletion({ ...nothing, ...changes }).join('\n');

  it('is first what players lose, channel by channel, and that nothing takes its place', () => {
    const [stable, beta] = sayDeletion({ ...nothing, channels: ['stable', 'beta'] });
    assert.match(stable ?? '', /^stable on Linux x86_64 offers nothing .* no earlier build .* Every player loses/);
    assert.match(beta ?? '', /who joined the beta lose/);
    assert.match(said({ channels: ['stable'], visibility: 'draft' }), /no player is touched/);
    assert.match(said({}), /^No channel offers it: players see no change/);
  });

  it('is counted in words that fit the number, and what there is none of is not named', () => {
    assert.match(
      said({ files: 2, symbols: 1, devices: 1200 }),
      /1,200 devices ran it[\s\S]*2 files \(1\.0 MiB\)[\s\S]*1 symbol file of it goes/,
    );
    assert.doesNotMatch(said({}), /symbol|devices|upload/);
    assert.match(said({ files: 0 }), /It has no files/);
  });

  it('ends with what cannot be taken back', () => {
    assert.equal(sayDeletion(nothing).at(-1), 'It cannot be undone.');
  });
});
