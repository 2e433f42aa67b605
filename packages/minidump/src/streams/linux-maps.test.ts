import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import { LINUX_MAPS } from './linux-maps.ts';

const read = (maps: string) => readWritten(LINUX_MAPS, { linux: { maps } });

test('reads the range, access rights, file and offset of a mapping', () => {
  const line =
    '7f692ea90000-7f692eb95000 r-xp 00105000 fc:01 1442309                    /lib/x86_64-linux-gnu/libm-2.19.so\n';
  assert.deepEqual(read(line), {
    stream: [
      {
        start: 0x7f692ea90000n,
        end: 0x7f692eb95000n,
        readable: true,
        writable: false,
        executable: true,
        shared: false,
        offset: 0x105000n,
        device: 'fc:01',
        inode: 1442309,
        path: '/lib/x86_64-linux-gnu/libm-2.19.so',
      },
    ],
    warnings: [],
  });
});

test('reads paths with spaces, in brackets, and missing ones', () => {
  const lines = [
    '00400000-00401000 rw-s 00000000 00:05 7 /dev/shm/my game (deleted)',
    'ffffffffff600000-ffffffffff601000 r-xp 00000000 00:00 0 [vsyscall]',
    '00500000-00501000 ---p 00000000 00:00 0 ',
    '00600000-00601000 ---p 00000000 00:00 0',
  ];
  const { stream, warnings } = read(lines.join('\n'));
  assert.deepEqual(
    stream?.map(({ path, shared }) => [path, shared]),
    [
      ['/dev/shm/my game (deleted)', true],
      ['[vsyscall]', false],
      ['', false],
      ['', false],
    ],
  );
  assert.equal(stream?.[1]?.end, 0xffffffffff601000n);
  assert.deepEqual(warnings, []);
});

test('skips invalid lines, with one warning', () => {
  const { stream, warnings } = read('garbage\n00400000-00401000 r--p 0 0:0 0 /a\n12-zz r--p 0 0:0 0\n');
  assert.equal(stream?.length, 1);
  assert.deepEqual(warnings, ['LinuxMapsStream: unreadable lines: 2']);
});

test('is fast for a line with a million spaces', () => {
  const started = process.threadCpuUsage();
  read(`00400000-00401000${' '.repeat(1_000_000)}r--p\n`);
  assert.ok(process.threadCpuUsage(started).user < 1_000_000);
});
