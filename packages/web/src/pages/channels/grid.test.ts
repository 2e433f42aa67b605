import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channelNames, gridOf } from './grid.ts';

const place = (channel: string, os: string, arch = 'x86_64') => ({ channel, os, arch });

describe('the grid of channels', () => {
  it('has a row for each channel, known ones first, and a column for each platform in use', () => {
    const { platforms, rows } = gridOf([
      place('nightly', 'linux'),
      place('stable', 'windows'),
      place('stable', 'linux'),
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

  it('tells platforms of one system apart by their processor', () => {
    const { rows } = gridOf([place('stable', 'linux', 'arm64'), place('beta', 'linux')]);
    assert.deepEqual(
      rows[0]?.cells.map((cell) => cell?.arch ?? null),
      [null, 'arm64'],
    );
  });

  it('keeps the row and the column of a place whose build was deleted', () => {
    const { platforms, rows } = gridOf([place('stable', 'linux')], [place('nightly', 'windows')]);
    assert.equal(platforms.length, 2);
    assert.deepEqual(rows.at(-1), { channel: 'nightly', cells: [null, null] });
  });

  it('names known channels though nothing is on them', () => {
    assert.deepEqual(channelNames([{ channel: 'z' }, { channel: 'a' }]), ['stable', 'beta', 'dev', 'a', 'z']);
  });
});
