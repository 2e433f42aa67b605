import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { CrashStack, StackFrame } from '@chauffeur/contract/operations/crash-stacks';
import fc from 'fast-check';
import {
  alignStacks,
  firstOwnFrame,
  formatFunction,
  formatModules,
  formatStack,
  partsOf,
  textOfWord,
} from './stack-frames.ts';

function frame(name: string | null, changes: Partial<StackFrame> = {}): StackFrame {
  const place = { module: 'game', file: null, line: null, offset: '0x10' };
  return { function: name, ...place, trust: 'cfi', inlined: false, own: true, ...changes };
}

const system = (name: string) => frame(name, { module: 'libc.so.6', own: false });

function format(frames: readonly StackFrame[]): string[] {
  return partsOf(frames).map((part) =>
    part.kind === 'fold'
      ? `${part.frames.length} of ${formatModules(part.frames)}`
      : `${part.frame.number} ${part.frame.function}${part.isFirstOwn ? ' !' : ''}`,
  );
}

describe('partsOf', () => {
  it('folds two or more consecutive frames that are not of the game', () => {
    const frames = ['raise', 'abort'].map(system).concat(frame('Car::Turn'), system('qsort'), frame('main'));
    assert.deepEqual(format([...frames, system('start_call'), system('_start')]), [
      '2 of libc.so.6',
      '2 Car::Turn !',
      '3 qsort',
      '4 main',
      '2 of libc.so.6',
    ]);
  });

  it('folds nothing if no frame is of the game', () => {
    assert.deepEqual(format(['raise', 'abort'].map(system)), ['0 raise', '1 abort']);
  });

  it('gives inlined functions the number of the frame that contains them', () => {
    const inlined = { inlined: true };
    assert.deepEqual(format([frame('a', inlined), frame('b', inlined), frame('c'), frame('d')]), [
      '0 a !',
      '0 b',
      '0 c',
      '1 d',
    ]);
  });
});

const stackOf = (frames: StackFrame[], more_frames = 0): CrashStack => ({
  format: null,
  related: [],
  written_at: '',
  reason: 'SIGSEGV / SEGV_MAPERR',
  address: '0x14',
  assertion: null,
  uptime_seconds: null,
  system: { os: 'Linux', os_version: '6.1', cpu: 'amd64', cpu_info: null, cpu_count: 2 },
  crashed: { thread_id: 1, name: null, frames, more_frames, cut: false },
  registers: {},
  threads: [],
  more_threads: 0,
  modules: [],
  more_modules: 0,
  warnings: [],
});

describe('firstOwnFrame', () => {
  it('returns the first named frame of the game, else the first one, else nothing', () => {
    assert.equal(firstOwnFrame(stackOf([system('abort'), frame(null), frame('Turn')]))?.function, 'Turn');
    assert.equal(firstOwnFrame(stackOf([system('abort'), frame(null)]))?.function, null);
    assert.equal(firstOwnFrame(stackOf([system('abort')])), undefined);
  });
});

describe('formatFunction', () => {
  it('shortens strings and vectors to their source form', () => {
    const string = 'std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >';
    assert.equal(
      formatFunction(`boot(std::vector<${string}, std::allocator<${string} > > const&)`),
      'boot(std::vector<std::string> const&)',
    );
    assert.equal(formatFunction('Pool<int, 4>::take()'), 'Pool<int, 4>::take()');
  });
});

describe('formatStack', () => {
  it('writes a line for each frame and marks inlined and guessed frames', () => {
    const frames = [
      frame('Pool::take', { inlined: true, file: 'src/pool.h', line: 7 }),
      frame('Car::Turn', { file: 'src/car.cc', line: 12 }),
      frame(null, { trust: 'scan' }),
    ];
    assert.equal(
      formatStack('Car::Turn', stackOf(frames, 3)),
      `Car::Turn
SIGSEGV / SEGV_MAPERR at 0x14 · Linux amd64

 0  Pool::take  src/pool.h:7  (inlined)
 0  Car::Turn  src/car.cc:12
 1  game + 0x10  (guessed)
… 3 more
`,
    );
  });

  it('writes the message and further exceptions of a stack in text', () => {
    const text = { trust: 'text', module: null, offset: null };
    const frames = [frame('Owl.fly', { ...text, file: 'src/owl.js', line: 12, column: 5 }), frame('Game.run', text)];
    const stack = {
      ...stackOf(frames),
      format: 'JavaScript',
      reason: 'TypeError',
      address: null,
      assertion: 'no nest',
      related: [{ relation: 'consequence' as const, type: 'Error', message: 'no owl', frames: frames.slice(1) }],
    };
    assert.equal(
      formatStack('TypeError: no nest | Owl.fly', stack),
      `TypeError: no nest | Owl.fly
TypeError · Linux amd64
no nest

 0  Owl.fly  src/owl.js:12:5
 1  Game.run

Error: no owl
 0  Game.run
`,
    );
    assert.equal(formatModules([frame('a', text), frame('b', text)]), 'engines and libraries');
  });
});

test('the text of a word begins with its last byte', () => {
  assert.equal(textOfWord('0x006b636f6c2d6e77'), 'wn-lock.');
  assert.equal(textOfWord('0x41ff0a7e'), '~..A');
  assert.equal(textOfWord('0x'), '');
});

const stack = (names: string) => [...names].map((name) => frame(name));
const rowsOf = (a: string, b: string) =>
  alignStacks(stack(a), stack(b)).map((row) => `${row.a?.function ?? '-'}${row.b?.function ?? '-'}`);

describe('aligned stacks', () => {
  for (const [a, b, rows] of [
    ['abc', 'abc', ['aa', 'bb', 'cc']],
    ['abc', 'xbc', ['a-', '-x', 'bb', 'cc']],
    ['abc', 'ac', ['aa', 'b-', 'cc']],
    ['', 'ab', ['-a', '-b']],
    ['aab', 'ab', ['aa', 'a-', 'bb']],
  ] as const)
    it(`of ${a} and ${b} are ${rows.join(' ')}`, () => assert.deepEqual(rowsOf(a, b), rows));

  it('compares frames without a name by their offset', () => {
    assert.equal(alignStacks([frame(null, { offset: '0x1' })], [frame(null, { offset: '0x1' })]).length, 1);
    assert.equal(alignStacks([frame(null, { offset: '0x1' })], [frame(null, { offset: '0x2' })]).length, 2);
  });

  it('have every frame of both stacks once and in order', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
    fc.assert(
      fc.property(names, names, (a, b) => {
        const rows = alignStacks(stack(a.join('')), stack(b.join('')));
        const side = (key: 'a' | 'b') => rows.flatMap((row) => row[key]?.function ?? []);
        assert.deepEqual([side('a'), side('b')], [a, b]);
      }),
    );
  });
});
