// Tests of the formats shared by the website, the command and the server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatBytes,
  formatCompactNumber,
  formatDuration,
  formatMilliseconds,
  formatNumber,
  formatOs,
  formatPercent,
  formatPlatform,
} from './format.ts';

test('numbers have thousands separators', () => {
  assert.deepEqual([0, 999, 1000, 12_345_678].map(formatNumber), ['0', '999', '1,000', '12,345,678']);
});

test('compact numbers are abbreviated from ten thousand on', () => {
  assert.deepEqual([950, 9999, 10_000, 12_345, 4_500_000].map(formatCompactNumber), [
    '950',
    '9,999',
    '10K',
    '12.3K',
    '4.5M',
  ]);
});

test('percentages have one decimal, and only all of something is 100%', () => {
  const shares = [0, 0.00001, 0.0625, 0.06249, 0.94, 0.9378, 0.99999, 1];
  assert.deepEqual(shares.map(formatPercent), ['0%', '0.1%', '6.3%', '6.2%', '94%', '93.8%', '99.9%', '100%']);
});

test('byte units are powers of 1,024', () => {
  const sizes = [0, 1, 1023, 1024, 70_246, 107 * 1024 ** 2, 5 * 1024 ** 3, 2000 * 1024 ** 4];
  assert.deepEqual(sizes.map(formatBytes), [
    '0 bytes',
    '1 byte',
    '1,023 bytes',
    '1.0 KiB',
    '68.6 KiB',
    '107 MiB',
    '5.0 GiB',
    '2000 TiB',
  ]);
});

test('durations show their two largest units', () => {
  assert.deepEqual([0, 59.4, 59.6, 125, 3600, 12_000, 36_000_000].map(formatDuration), [
    '0 s',
    '59 s',
    '1 min 0 s',
    '2 min 5 s',
    '1 h 0 min',
    '3 h 20 min',
    '10,000 h 0 min',
  ]);
});

test('milliseconds become seconds and minutes as they grow', () => {
  assert.deepEqual([0, 850, 1000, 4230, 125_000].map(formatMilliseconds), [
    '0 ms',
    '850 ms',
    '1.0 s',
    '4.2 s',
    '2 min 5 s',
  ]);
});

test('platforms use the usual name of the operating system, or its identifier if it has none', () => {
  assert.equal(formatOs('ios'), 'iOS');
  assert.equal(formatPlatform({ os: 'macos', arch: 'arm64' }), 'macOS arm64');
  assert.equal(formatPlatform({ os: 'amiga', arch: 'm68k' }), 'amiga m68k');
  assert.equal(formatPlatform({ os: 'linux', arch: '' }), 'Linux');
  assert.equal(formatPlatform({ os: '', arch: 'arm64' }), 'arm64');
});

test('a browser has no architecture, and a build for browsers has that of its code', () => {
  for (const arch of ['x86_64', 'arm64', '']) assert.equal(formatPlatform({ os: 'web', arch }), 'Browser');
  for (const arch of ['wasm', 'wasm32']) assert.equal(formatPlatform({ os: 'web', arch }), `Browser ${arch}`);
});
