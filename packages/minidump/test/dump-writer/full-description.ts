// The description of a dump with data in every stream.
import { writeAmd64Context } from './contexts.ts';
import type { DumpDescription, ThreadDescription } from './description.ts';
import type { Endian } from './output.ts';

export function fullDescription(endian: Endian): DumpDescription {
  return { endian, timestamp: 1_700_000_060, ...PROCESS, ...STREAMS_OF_SYSTEMS, threads: threads(endian) };
}

const STACK = Uint8Array.from({ length: 256 }, (_, index) => index);

function threads(endian: Endian): readonly ThreadDescription[] {
  const context = writeAmd64Context({ rip: 0x40_1000n, rsp: 0x7fff_0000n }, endian);
  return [
    { id: 11, priority: 3, teb: 0x7ff0_0000n, stack: { start: 0x7fff_0000n, bytes: STACK }, context },
    { id: 12, suspendCount: 1, stack: { start: 0x7ffe_0000n }, context },
  ];
}

const PROCESS: DumpDescription = {
  system: { level: 6, revision: 0x1a05, cpuCount: 16, version: [10, 0, 19042], platformId: 2, servicePack: 'SP 1' },
  threadNames: [
    { id: 11, name: 'main' },
    { id: 12, name: 'Ünïcode 🎮' },
  ],
  threadInfo: [{ threadId: 11, dumpFlags: 4, createTime: 132_000_000_000_000_000n, startAddress: 0x40_1000n }],
  modules: [
    {
      base: 0x40_0000n,
      size: 0x1_0000,
      name: 'c:\\game\\game.exe',
      timestamp: 0x5f00_0001,
      version: [0x1_0002, 0x3_0004, 0, 0],
      codeView: { kind: 'pdb70', guid: '0123456789ABCDEF0123456789ABCDEF', age: 10, file: 'd:\\build\\game.pdb' },
    },
    {
      base: 0x50_0000n,
      size: 0x2000,
      name: '/usr/lib/libengine.so',
      codeView: { kind: 'elf', buildId: '00112233445566778899aabbccddeeff00112233' },
    },
    {
      base: 0x60_0000n,
      size: 0x2000,
      name: 'old.dll',
      codeView: { kind: 'pdb20', signature: 0x3f00_0001, age: 2, file: 'old.pdb' },
    },
  ],
  unloadedModules: [{ base: 0x70_0000n, size: 0x1000, name: 'gone.dll', timestamp: 5 }],
  memory: [
    { start: 0x40_0f80n, bytes: STACK },
    { start: 0x7ffe_0000n, bytes: STACK.slice(0, 64) },
  ],
  memory64: [
    { start: 0x1_0000_0000n, bytes: STACK },
    { start: 0x2_0000_0000n, bytes: STACK.slice(0, 16) },
  ],
  memoryInfo: [{ base: 0x40_0000n, size: 0x1_0000n, protection: 0x20, type: 0x100_0000 }],
  exception: {
    threadId: 11,
    code: 0xc000_0005,
    address: 0x40_1000n,
    parameters: [1n, 0x45n],
    context: writeAmd64Context({ rip: 0x40_1000n, rsp: 0x7fff_0010n }),
  },
  misc: {
    processId: 4711,
    processTimes: { create: 1_700_000_000, user: 3, kernel: 1 },
    processorPower: [3600, 3400, 3600, 2, 1],
    integrityLevel: 0x2000,
    executeFlags: 0x4d,
    protectedProcess: true,
    timeZone: { id: 2, bias: -60, standard: 'CET', daylight: 'CEST' },
    buildString: '10.0.19042.1 (vb_release)',
    debugBuildString: 'dbgcore.i386',
    processCookie: 0xdead_beef,
  },
  handles: [{ handle: 4n, typeName: 'Event', objectName: '\\BaseNamedObjects\\Quit', handleCount: 2, pointerCount: 9 }],
};

const STREAMS_OF_SYSTEMS: DumpDescription = {
  breakpad: { dumpThreadId: 12, requestingThreadId: 11 },
  assertion: { expression: 'health >= 0', function: 'Player::hurt', file: 'player.cpp', line: 42, type: 1 },
  crashpad: {
    reportId: '72A658A6728910488A41517BD0BA216B',
    clientId: '581A4105AED73C4C882ECD6380D95137',
    simpleAnnotations: { product: 'Game', version: '1.2.3' },
    modules: [
      {
        moduleIndex: 0,
        listAnnotations: ['first', 'second'],
        simpleAnnotations: { level: 'dungeon' },
        annotationObjects: [
          { name: 'gpu', type: 1, value: 'fast one' },
          { name: 'raw', type: 0x8001, value: '\u0001\u0002' },
        ],
      },
    ],
  },
  linux: {
    cpuInfo: 'processor\t: 0\nmicrocode\t: 0x2b\n\nprocessor\t: 1\n',
    procStatus: 'Name:\tgame\nPid:\t4711\n',
    lsbRelease: 'DISTRIB_ID=Ubuntu\nDISTRIB_DESCRIPTION="Ubuntu 14.04 LTS"\n',
    commandLine: ['/usr/bin/game', '--level', ''],
    environment: ['HOME=/home/player', 'EMPTY=', 'OPTIONS=a=b "c"'],
    auxv: {
      wordSize: 8,
      values: [
        [9, 0x40_1000n],
        [33, 0x7fff_f000n],
      ],
    },
    maps: '00400000-00410000 r-xp 00001000 08:01 1234 /usr/bin/game\n7ffe0000-7fff0000 rw-s 00000000 00:00 0 [stack]\n',
    procLimits:
      'Limit                     Soft Limit           Hard Limit           Units     \nMax open files            1024                 unlimited            files     \n',
  },
  mac: {
    bootArgs: '-v',
    crashInfo: [
      { version: 5, numbers: [7n, 0n, 9n], texts: ['/usr/lib/libc.dylib', 'out of memory', '', 'trace', 'more'] },
    ],
  },
  softErrors: '[{"InitErrors":[]}]',
};
