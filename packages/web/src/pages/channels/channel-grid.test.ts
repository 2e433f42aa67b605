import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Arch, Os } from '@chauffeur/contract/identity';
import { channelNames, gridOf } from './channel-grid.ts';

const pointer = (channel: string, os: Os, arch: Arch = 'x86_64') => ({ channel, os, arch });

describe('gridOf', () => {
  it('has a row for each channel, built-in ones first, and a column for each platform in use', () => {
    const { platforms, rows } = gridOf([
      pointer('nightly', 'linux'),
      pointer('stable', 'windows'),
      pointer('stable', 'linux'),
    ]);
    assert.deepEqual(platforms, [
      { os: 'windows', arch: 'x86_64' },
      { os: 'linux', arch: 'x86_64' },
    ]);
    assert.deepEqual(
      rows.map(({ channel, cells }) => [channel, cells.map((cell) => cell?.os ?? null)]),
      [
        ['stable', ['windows', 'linux']],
        ['beta', [null, null]],
        ['dev', [null, null]],
        ['nightly', [null, 'linux']],
      ],
    );
  });

  it('keeps architectures of the same OS apart', () => {
    const { rows } = gridOf([pointer('stable', 'linux', 'arm64'), pointer('beta', 'linux')]);
    assert.deepEqual(
      rows[0]?.cells.map((cell) => cell?.arch ?? null),
      [null, 'arm64'],
    );
  });

  it('keeps the row and the column of a deleted build', () => {
    const { platforms, rows } = gridOf([pointer('stable', 'linux')], [pointer('nightly', 'windows')]);
    assert.equal(platforms.length, 2);
    assert.deepEqual(rows.at(-1), { channel: 'nightly', cells: [null, null] });
  });
});

describe('channelNames', () => {
  it('includes the built-in channels even if they have no builds', () => {
    assert.deepEqual(channelNames([{ channel: 'z' }, { channel: 'a' }]), ['stable', 'beta', 'dev', 'a', 'z']);
  });
});
