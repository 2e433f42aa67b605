import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalizeEvent } from '@chauffeur/sentry/event/normalize';
import fc from 'fast-check';
import { groupByText } from '../groups/grouping.ts';
import { traceOfEvent } from './event-trace.ts';
import { traceOfReport } from './find-trace.ts';

const FIELDS = { message: '', metadata: {}, appVersion: '1.0', os: 'linux' };
const NO_RULES = { rules: [], version: 0 };

/** The title and the key of the group of an event. */
function groupOfEvent(sent: object) {
  const trace = traceOfEvent(normalizeEvent(sent));
  const { title, key } = groupByText(FIELDS, trace, NO_RULES);
  return { title, key: Buffer.from(key).toString('hex'), trace };
}

function groupOfText(text: string) {
  const fields = { ...FIELDS, message: text };
  const { title, key } = groupByText(fields, traceOfReport(fields), NO_RULES);
  return { title, key: Buffer.from(key).toString('hex') };
}

type Sent = Record<string, unknown>;
const stack = (frames: readonly Sent[]) => ({ frames: [...frames].reverse() });

/** One error as an event, with the innermost frame first, and as the text that its runtime prints. */
const SAME: readonly (readonly [what: string, event: object, text: string])[] = [
  [
    'JavaScript, from a bundle with a hash in its name',
    {
      platform: 'javascript',
      exception: [
        {
          type: 'TypeError',
          value: "Cannot read properties of undefined (reading 'hp')",
          stacktrace: stack([
            {
              function: 'Player.takeDamage',
              filename: 'https://play.example.com/assets/index-BxQ12fZk.js?v=7',
              lineno: 3,
              colno: 9,
              in_app: true,
            },
            {
              function: '?',
              filename: 'https://play.example.com/assets/index-BxQ12fZk.js',
              lineno: 9,
              colno: 1,
              in_app: true,
            },
          ]),
        },
      ],
    },
    "TypeError: Cannot read properties of undefined (reading 'hp')\n    at Player.takeDamage (https://other.example.com/assets/index-a1B2c3D4.js:7:10)\n    at https://other.example.com/assets/index-a1B2c3D4.js:12:2",
  ],
  [
    'JavaScript, called by a page',
    {
      platform: 'javascript',
      exception: [
        {
          type: 'RangeError',
          value: 'lost',
          stacktrace: stack([
            { function: '?', filename: 'https://play.example.com/game.js', lineno: 3, colno: 9, in_app: true },
            { function: '?', filename: 'https://play.example.com/', lineno: 1, colno: 15, in_app: true },
          ]),
        },
      ],
    },
    'RangeError: lost\n    at https://play.example.com/game.js:3:9\n    at https://play.example.com/:1:15',
  ],
  [
    'Java with a cause',
    {
      platform: 'java',
      exception: [
        {
          type: 'NullPointerException',
          module: 'java.lang',
          value: 'car',
          stacktrace: stack([
            { function: 'requireNonNull', module: 'java.util.Objects', filename: 'Objects.java', lineno: 233 },
            { function: 'lambda$load$4', module: 'owls.Garage', filename: 'Garage.java', lineno: 3 },
          ]),
          mechanism: { type: 'chained', exception_id: 1, parent_id: 0 },
        },
        {
          type: 'IllegalStateException',
          module: 'java.lang',
          value: 'cannot load level',
          stacktrace: stack([{ function: 'main', module: 'owls.Game', filename: 'Game.java', lineno: 9 }]),
          mechanism: { exception_id: 0 },
        },
      ],
    },
    'java.lang.IllegalStateException: cannot load level\n\tat owls.Game.main(Game.java:12)\nCaused by: java.lang.NullPointerException: car\n\tat java.base/java.util.Objects.requireNonNull(Objects.java:209)\n\tat owls.Garage.lambda$load$0(Garage.java:8)',
  ],
  [
    'C# with a lambda',
    {
      platform: 'csharp',
      exception: [
        {
          type: 'System.InvalidOperationException',
          value: 'no owl',
          stacktrace: stack([
            {
              function: 'Land { <lambda> }',
              module: 'Owls.Nest+<>c__DisplayClass48_0',
              filename: 'Assets/Nest.cs',
              lineno: 12,
              in_app: true,
            },
            {
              function: 'async Task Run(int count)',
              module: 'Owls.Game',
              filename: 'Assets/Game.cs',
              lineno: 3,
              in_app: true,
            },
            { function: 'Invoke', module: 'System.Action', in_app: false },
          ]),
        },
      ],
    },
    'System.InvalidOperationException: no owl\n  at Owls.Nest+<>c__DisplayClass3_0.<Land>b__0 () [0x00012] in <3f2a>:0\n  at Owls.Game+<Run>d__3.MoveNext () [0x00000] in <3f2a>:0\n  at System.Action.Invoke () [0x00000] in <3f2a>:0',
  ],
  [
    'C# as .NET writes it for people',
    {
      platform: 'csharp',
      exception: [
        {
          type: 'System.InvalidOperationException',
          value: 'no owl',
          stacktrace: stack([
            { function: 'T Cache<string, T>.Get(string name)', module: 'Owls.Cache<string, T>', in_app: true },
            { function: 'async void Nest.Land(Bundle state)+(?) => { }', module: 'Owls.Nest', in_app: true },
            { function: 'async Task Outer.Nest.Run(List<int> counts)', module: 'Owls.Outer+Nest', in_app: true },
            { function: 'new Game(int number)', module: 'Owls.Game', in_app: true },
          ]),
        },
      ],
    },
    'System.InvalidOperationException: no owl\n  at Owls.Cache`2.Get () [0x00000] in <3f2a>:0\n  at Owls.Nest+<>c__DisplayClass3_0.<Land>b__0 () [0x00012] in <3f2a>:0\n  at Owls.Outer+Nest+<Run>d__3.MoveNext () [0x00000] in <3f2a>:0\n  at Owls.Game..ctor () [0x00000] in <3f2a>:0',
  ],
  [
    'Python',
    {
      platform: 'python',
      exception: [
        {
          type: 'NestError',
          value: 'nest is full',
          stacktrace: stack([
            { function: 'land', filename: 'nest.py', abs_path: '/home/ann/owls/nest.py', lineno: 3, in_app: true },
            { function: '<module>', filename: 'main.py', abs_path: '/home/ann/owls/main.py', lineno: 9, in_app: true },
          ]),
        },
      ],
    },
    'Traceback (most recent call last):\n  File "C:\\owls\\main.py", line 4, in <module>\n    land()\n  File "C:\\owls\\nest.py", line 7, in land\n    raise NestError()\nnest.NestError: nest is full',
  ],
  [
    'GDScript',
    {
      platform: 'native',
      exception: [
        {
          type: 'SCRIPT ERROR',
          value: "Invalid call. Nonexistent function 'hoot' in base 'Nil'.",
          stacktrace: stack([
            { function: '_process', filename: 'res://owl.gd', lineno: 12, in_app: true, platform: 'gdscript' },
            { function: 'start', filename: 'res://game.gd', lineno: 3, in_app: true, platform: 'gdscript' },
          ]),
        },
      ],
    },
    "SCRIPT ERROR: Invalid call. Nonexistent function 'hoot' in base 'Nil'.\n   at: _process (res://owl.gd:42)\n   GDScript backtrace (most recent call first):\n       [0] _process (res://owl.gd:42)\n       [1] start (res://game.gd:7)",
  ],
  [
    'Go',
    {
      platform: 'go',
      level: 'fatal',
      exception: [
        {
          type: 'panic',
          value: 'no car',
          stacktrace: stack([
            { function: '(*Game).Update', module: 'main', abs_path: '/home/ann/go/main.go', lineno: 9, in_app: true },
          ]),
        },
      ],
    },
    'panic: no car\n\ngoroutine 1 [running]:\nmain.(*Game).Update(0xc000, {0x1, 0x2})\n\t/build/main.go:12 +0x1d\n',
  ],
  [
    'Rust, whose client sends the stack with the thread',
    {
      platform: 'native',
      exception: [{ type: 'panic', value: 'no car', mechanism: { type: 'panic', handled: false } }],
      threads: [
        {
          current: true,
          stacktrace: stack([
            { function: 'std::panicking::begin_panic', in_app: false, instruction_addr: '0x3' },
            {
              function: 'owls::garage::load',
              filename: 'garage.rs',
              abs_path: '/home/ann/owls/src/garage.rs',
              lineno: 3,
              in_app: true,
              instruction_addr: '0x2',
            },
          ]),
        },
      ],
    },
    "thread 'main' panicked at src/garage.rs:3:5:\nno car\nstack backtrace:\n   0: rust_begin_unwind\n   1: owls::garage::load\n             at ./src/garage.rs:12:5\nnote: some details are omitted",
  ],
];

describe('traceOfEvent', () => {
  for (const [what, event, text] of SAME) {
    it(`has the same group as the text: ${what}`, () => {
      const ofEvent = groupOfEvent(event);
      const ofText = groupOfText(text);
      assert.equal(ofEvent.title, ofText.title);
      assert.equal(ofEvent.key, ofText.key);
    });
  }

  it('has one group for other lines, messages of wrappers and folders, and another for another function', () => {
    const event = (name: string, line: number, wrapper: string) => ({
      platform: 'java',
      exception: [
        {
          type: 'NestError',
          value: 'full',
          stacktrace: stack([{ module: 'owls.Nest', function: name, filename: 'Nest.java', lineno: line }]),
        },
        { type: 'Error', value: wrapper, stacktrace: stack([{ module: 'owls.Game', function: 'main', lineno: line }]) },
      ],
    });
    const { key } = groupOfEvent(event('land', 1, 'player 1'));
    assert.equal(groupOfEvent(event('land', 99, 'player 2')).key, key);
    assert.notEqual(groupOfEvent(event('leave', 1, 'player 1')).key, key);
  });

  it('names native frames by their image and the client, and never by an address', () => {
    const event = (base: number) => ({
      platform: 'native',
      level: 'fatal',
      debug_meta: {
        images: [
          { type: 'elf', code_file: '/opt/game/owls', image_addr: `0x${base.toString(16)}`, image_size: 65_536 },
        ],
      },
      exception: [
        {
          type: 'SIGSEGV',
          value: 'Segfault',
          stacktrace: stack([
            { instruction_addr: `0x${(base + 0x1234).toString(16)}`, package: '/opt/game/owls' },
            { instruction_addr: `0x${(base + 0x2000).toString(16)}`, package: '/opt/game/owls', function: 'main' },
          ]),
        },
      ],
    });
    const first = groupOfEvent(event(0x400000));
    assert.equal(groupOfEvent(event(0x7f0000000000)).key, first.key);
    assert.equal(first.trace?.isNative, true);
    assert.match(first.title, /owls/);
  });

  it('has a group for any frames of any platform', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        '{ <lambda> }',
        '<>c',
        'a/b.c',
        '(*',
        '::',
        '+',
        'https://',
        '.js',
        '.gd',
        'lambda$1',
        'wasm',
        '@',
        '__proto__',
      ),
    );
    const name = fc.array(text, { maxLength: 6 }).map((parts) => parts.join(''));
    const sentFrame = fc.record({
      function: name,
      module: name,
      filename: name,
      abs_path: name,
      package: name,
      platform: name,
      lineno: fc.nat(),
      instruction_addr: fc.constantFrom('0x10', null),
    });
    const platform = fc.constantFrom(
      'javascript',
      'java',
      'csharp',
      'python',
      'go',
      'native',
      'node',
      'other',
      'cocoa',
    );
    fc.assert(
      fc.property(platform, fc.array(sentFrame, { maxLength: 8 }), name, (of, frames, type) => {
        const event = { platform: of, exception: [{ type, value: type, stacktrace: { frames } }] };
        const { title, key } = groupOfEvent(event);
        assert.ok(title.length > 0 && title.length <= 255);
        assert.equal(groupOfEvent(structuredClone(event)).key, key);
      }),
      { numRuns: 500 },
    );
  });

  it('is null without an exception and a stack', () => {
    assert.equal(traceOfEvent(normalizeEvent({ message: 'hello' })), null);
  });
});
