import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinuxDescription } from '../../test/dump-writer/description.ts';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import type { StreamKind } from '../minidump.ts';
import {
  LINUX_AUXV,
  LINUX_COMMAND_LINE,
  LINUX_CPU_INFO,
  LINUX_ENVIRONMENT,
  LINUX_LSB_RELEASE,
  LINUX_PROC_LIMITS,
  LINUX_PROC_STATUS,
} from './linux-proc.ts';

function read<T>(kind: StreamKind<T>, linux: LinuxDescription): T | undefined {
  return readWritten(kind, { linux }).stream;
}

test('reads cpuinfo and status as trimmed pairs, in order and with repeated keys', () => {
  const cpuInfo = 'processor\t: 0\nmodel name\t: Fast: 3 GHz \nflags\t\t:\n\nprocessor\t: 1\nno separator\n';
  assert.deepEqual(read(LINUX_CPU_INFO, { cpuInfo }), [
    ['processor', '0'],
    ['model name', 'Fast: 3 GHz'],
    ['flags', ''],
    ['processor', '1'],
  ]);
  assert.deepEqual(read(LINUX_PROC_STATUS, { procStatus: 'Name:\tgame\nPid:\t135' }), [
    ['Name', 'game'],
    ['Pid', '135'],
  ]);
});

test('removes NULs with which a writer pads a text', () => {
  assert.deepEqual(read(LINUX_CPU_INFO, { cpuInfo: 'processor: 0\0\0\0' }), [['processor', '0']]);
});

test('reads lsb-release without quotes and comments', () => {
  const lsbRelease = '# made by hand\nDISTRIB_ID=Ubuntu\nDISTRIB_DESCRIPTION="Ubuntu 14.04 LTS"\nODD="\n';
  assert.deepEqual(read(LINUX_LSB_RELEASE, { lsbRelease }), [
    ['DISTRIB_ID', 'Ubuntu'],
    ['DISTRIB_DESCRIPTION', 'Ubuntu 14.04 LTS'],
    ['ODD', '"'],
  ]);
});

test('reads all arguments of a command line, even empty ones', () => {
  const commandLine = ['/usr/bin/game', '--level', '', 'a b'];
  assert.deepEqual(read(LINUX_COMMAND_LINE, { commandLine }), commandLine);
});

test('splits variables at the first =, and keeps their values unchanged', () => {
  assert.deepEqual(read(LINUX_ENVIRONMENT, { environment: ['A=b=c', 'QUOTED=" x "', 'EMPTY=', 'none'] }), [
    ['A', 'b=c'],
    ['QUOTED', '" x "'],
    ['EMPTY', ''],
  ]);
});

test('replaces invalid UTF-8 by U+FFFD', () => {
  const extra = [{ type: 0x47670006, bytes: Uint8Array.of(0x2f, 0xff, 0x61, 0) }];
  assert.deepEqual(readWritten(LINUX_COMMAND_LINE, { extra }).stream, ['/\ufffda']);
});

test("reads words of the CPU's size in the auxiliary vector, up to a pair of zeros", () => {
  const values = [
    [9, 0x1000n],
    [33, 0xf7e6_3000n],
    [0, 0n],
    [3, 7n],
  ] as const;
  const expected = new Map([
    [9, 0x1000n],
    [33, 0xf7e6_3000n],
  ]);
  for (const [processorArchitecture, wordSize] of [
    [9, 8],
    [5, 4],
    [0, 4],
    [12, 8],
  ] as const) {
    const { stream } = readWritten(LINUX_AUXV, {
      system: { processorArchitecture },
      linux: { auxv: { wordSize, values } },
    });
    assert.deepEqual(stream, expected, `architecture ${processorArchitecture}`);
  }
});

test('ignores an incomplete pair at the end of the auxiliary vector', () => {
  const extra = [{ type: 0x47670008, bytes: Uint8Array.of(9, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 33, 0, 0) }];
  assert.deepEqual(readWritten(LINUX_AUXV, { extra }).stream, new Map([[9, 5n]]));
});

test('reads limits from their columns, without the table header, with and without a unit', () => {
  const procLimits = [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    'Max cpu time              unlimited            unlimited            seconds   ',
    'Max open files            1024                 1048576              files     ',
    'Max nice priority         0                    0                    ',
    'nonsense',
  ].join('\n');
  assert.deepEqual(read(LINUX_PROC_LIMITS, { procLimits }), [
    { name: 'Max cpu time', soft: 'unlimited', hard: 'unlimited', unit: 'seconds' },
    { name: 'Max open files', soft: '1024', hard: '1048576', unit: 'files' },
    { name: 'Max nice priority', soft: '0', hard: '0', unit: '' },
  ]);
});

test('reads at most 200,000 parts of a text', () => {
  const extra = [{ type: LINUX_COMMAND_LINE.type, bytes: new Uint8Array(300_000) }];
  const { stream, warnings } = readWritten(LINUX_COMMAND_LINE, { extra });
  assert.ok(stream!.length <= 200_000);
  assert.deepEqual(warnings, ['LinuxCommandLineStream: only the first 200000 parts were read']);
});
