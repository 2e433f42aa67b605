// cspell:ignore bugreport gosu libruby nptl strutils cfunc
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { groupByTrace } from '../groups/grouping.ts';
import { findTrace, traceOfReport } from './find-trace.ts';
import { CAUSES } from './formats.examples.ts';
import { FORMATS } from './formats.ts';
import { TRACE_LIMITS } from './trace.ts';

const NO_RULES = { rules: [], version: 0 };
const SYSTEM = { appVersion: '1.0.0', os: 'linux' };

function titleOf(text: string): string | undefined {
  const trace = findTrace(text, 'first');
  return trace === null ? undefined : groupByTrace(trace, SYSTEM, NO_RULES).title;
}

type Frame = readonly [name: string | null, module: string | null, file: string | null, own: boolean];

/** One rule each of how frames are named, and which of them count. */
const RULES: readonly { rule: string; text: string; title: string; frames: readonly Frame[] }[] = [
  {
    rule: 'leave out user names, queries, blobs and minified names of JavaScript',
    text: `Error: x
    at aB (https://a.example/app.js:7:8)
    at hoot (file:///C:/Users/ann/owls/owl.js?v=7:1:2)
    at fly (https://cdn.example.com/game/owl.js?v=7:3:4)
    at land (blob:https://a.example/0a1b:5:6)`,
    title: 'Error: x | app | owl.hoot',
    frames: [
      [null, null, 'app.js', true],
      ['owl.hoot', null, 'owls/owl.js', true],
      ['owl.fly', null, 'game/owl.js', true],
      ['0a1b.land', null, 'blob', true],
    ],
  },
  {
    rule: 'know libraries of the system by their folder, and those in an APK by their own name',
    text: `signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10
    #00 pc 00000000000a1b2c  /apex/com.android.runtime/lib64/bionic/libunusual.so (hoot+4)
    #01 pc 00000000000a1b2c  /data/app/owls/base.apk!libgame.so (Owl::fly()+8)`,
    title: 'SIGSEGV | hoot | Owl::fly',
    frames: [
      ['hoot', 'libunusual.so', null, false],
      ['Owl::fly()', 'libgame.so', null, true],
    ],
  },
  {
    rule: 'read functions of gdb, of which some have only a library',
    text: `Segmentation fault
#0  0x4f in ?? () from /usr/lib/libunusual.so
#1  0x4f in ?? ()
#2  0x4f in Owl::fly() () at owl.cpp:3`,
    title: 'SIGSEGV | libunusual.so | Owl::fly',
    frames: [
      [null, 'libunusual.so', null, false],
      [null, null, null, false],
      ['Owl::fly()', null, 'owl.cpp', true],
    ],
  },
  {
    rule: 'take a warning that was copied from the editor of Godot for none',
    text: `W 0:00:02:905   reload: The variable "egg" is never used.
  <GDScript Source>nest.gd:7 @ reload()
E 0:00:03:905   Owl.cs:40 @ void Owls.Owl._Process(double): System.NullReferenceException: Not set
  <C# Error>    System.NullReferenceException
  <C# Source>   Owl.cs:40 @ void Owls.Owl._Process(double)
  <Stack Trace> Owl.cs:40 @ void Owls.Owl._Process(double)
                Node.cs:2171 @ bool Godot.Node.InvokeGodotClassMethod(Godot.NativeInterop.NativeVariantPtrArgs)`,
    title: 'NullReferenceException | Owls.Owl._Process',
    frames: [
      ['Owls.Owl._Process', null, 'Owl.cs', true],
      ['Godot.Node.InvokeGodotClassMethod', null, 'Node.cs', false],
    ],
  },
  {
    rule: 'show the C functions that Ruby called above the signal, and not the functions that wrote the report',
    text: `nest.rb:3: [BUG] Segmentation fault at 0x0000000000000007
ruby 3.2.2 (2023-03-30 revision e51014f9c0) [x86_64-linux]

-- Ruby level backtrace information ----------------------------------------
main.rb:9:in \`<main>'
nest.rb:3:in \`draw'

-- C level backtrace information -------------------------------------------
/usr/lib/libruby.so.3.2(rb_vm_bugreport) vm_dump.c:1080
/usr/lib/libruby.so.3.2(sigsegv+0x49) [0x7fdc221827c9] signal.c:964
/opt/owls/gems/gosu.so(draw_rect+0x12) [0x7fdc2220e298]
/usr/lib/libruby.so.3.2(vm_call_cfunc+0x119) [0x7a62f0e51dd9] vm.c:12`,
    title: 'SIGSEGV | nest.draw',
    frames: [
      ['draw_rect', 'gosu.so', null, false],
      ['nest.draw', null, 'nest.rb', true],
      ['main.main', null, 'main.rb', true],
    ],
  },
  {
    rule: 'leave out the C functions of Ruby if all of them wrote the report',
    text: `nest.rb:3: [BUG] Segmentation fault at 0x0000000000000007
ruby 3.4.1 (2024-12-25 revision 48d4efcb85) +PRISM [x64-mingw]

-- Ruby level backtrace information ----------------------------------------
nest.rb:3:in 'draw'

-- C level backtrace information -------------------------------------------
C:\\Windows\\SYSTEM32\\ntdll.dll(ZwWaitForSingleObject+0x14) [0x00007ff8a1b2c3d4]`,
    title: 'SIGSEGV | nest.draw',
    frames: [['nest.draw', null, 'nest.rb', true]],
  },
  {
    rule: 'know the standard library and packages of Nim by their folders, or by their names in older builds',
    text: `Traceback (most recent call last)
/src/owls/nest.nim(3)    hoot
/home/ci/.nimble/pkgs2/loops-1.0.0-4f3a/loops.nim(9) run
strutils.nim(1120)       parseInt
Error: unhandled exception: invalid integer: x [ValueError]`,
    title: 'ValueError: invalid integer: x | nest.hoot',
    frames: [
      ['strutils.parseInt', null, 'strutils.nim', false],
      ['loops.run', null, 'pkgs2/loops-1.0.0-4f3a/loops.nim', false],
      ['nest.hoot', null, 'src/owls/nest.nim', true],
    ],
  },
  {
    rule: 'know the standard library and packages of Zig, and C of the OS, by their folders',
    text: `thread 1 panic: no eggs
/home/ci/.cache/zig/p/loops-1.0.0/src/loops.zig:9:5: 0x23bb46 in run (owls)
/home/ci/owls/nest.zig:12:5: 0x2484f5 in hatch (owls)
../sysdeps/nptl/libc_start_call_main.h:58:16: 0x7f1 in __libc_start_call_main (libc.so.6)`,
    title: 'panic: no eggs | nest.hatch',
    frames: [
      ['loops.run', null, 'loops-1.0.0/src/loops.zig', false],
      ['nest.hatch', null, 'owls/nest.zig', true],
      ['__libc_start_call_main', null, 'sysdeps/nptl/libc_start_call_main.h', false],
    ],
  },
  {
    rule: 'take an error of the compiler of Odin, and a log line with its place, for none',
    text: `main.odin(7:18) Error: Index '6' is out of bounds range 0..<5, got 6
main.odin(9:1) loaded 3 nests
main.odin(9:1) panic: x`,
    title: 'panic: x | main',
    frames: [[null, null, 'main.odin', true]],
  },
  {
    rule: 'take the place in a message of Lua for a frame if no frame has it',
    text: "main.lua:12: nest is full\nstack traceback:\n\t[C]: in function 'error'",
    title: 'Lua error: nest is full | main',
    frames: [
      [null, null, 'main.lua', true],
      ['error', null, null, false],
    ],
  },
  {
    rule: 'leave out the numbers of closures of Go',
    text: 'panic: x\n\ngoroutine 1 [running]:\nmain.(*Owl).Fly.func2.1()\n\t/home/ci/owls/owl.go:12 +0x1d',
    title: 'panic: x | main.(*Owl).Fly.func',
    frames: [['main.(*Owl).Fly.func', null, 'owls/owl.go', true]],
  },
  {
    rule: 'know the standard library of Rust by its files',
    text: `thread 'main' panicked at src/main.rs:3:5:
x
stack backtrace:
   0: hidden::unwrap
             at /rustc/9fc6/library/hidden.rs:645:5
   1: owls::fly
             at ./src/main.rs:3:5`,
    title: 'panic: x | owls::fly',
    frames: [
      ['hidden::unwrap', null, '9fc6/library/hidden.rs', false],
      ['owls::fly', null, 'src/main.rs', true],
    ],
  },
  {
    rule: 'read a message of Haxe below its frames',
    text: 'Called from Owl.fly (source/Owl.hx line 12)\n\nUncaught Error: nest is full',
    title: 'Haxe error: nest is full | Owl.fly',
    frames: [['Owl.fly', null, 'source/Owl.hx', true]],
  },
  {
    rule: 'name closures of Dart by their function',
    text: `Unhandled exception:
Bad state: x
#0      Owl.fly.<anonymous closure> (package:owls/owl.dart:3:5)
#1      Game.tick (package:flame/game.dart:3:5)`,
    title: 'Exception: Bad state: x | Owl.fly',
    frames: [
      ['Owl.fly', null, 'owls/owl.dart', true],
      ['Game.tick', null, 'flame/game.dart', false],
    ],
  },
  {
    rule: 'leave out user names where Godot has a whole path',
    text: 'ERROR: x\n   at: Owls.Owl.Fly (/home/ann/owls/Owl.cs:3)',
    title: 'ERROR: x | Owls.Owl.Fly',
    frames: [['Owls.Owl.Fly', null, '/home/<user>/owls/Owl.cs', true]],
  },
  {
    rule: 'take add-ons of Godot for libraries',
    text: `SCRIPT ERROR: x
   at: tick (res://addons/dialogue/dialogue.gd:3)
   GDScript backtrace (most recent call first):
       [0] tick (res://addons/dialogue/dialogue.gd:3)
       [1] talk (res://owl.gd:9)`,
    title: 'SCRIPT ERROR: x | owl.talk',
    frames: [
      ['dialogue.tick', null, 'res://addons/dialogue/dialogue.gd', false],
      ['owl.talk', null, 'res://owl.gd', true],
    ],
  },
  {
    rule: 'do not take the cause of a suppressed exception of Java for the root cause',
    text: `java.lang.IllegalStateException: x
	at com.owls.Owl.fly(Owl.java:3)
	Suppressed: java.lang.RuntimeException: y
		at com.owls.Nest.close(Nest.java:5)
	Caused by: java.io.IOException: z
		at com.owls.Nest.open(Nest.java:7)`,
    title: 'IllegalStateException: x | com.owls.Owl.fly',
    frames: [['com.owls.Owl.fly', null, 'Owl.java', true]],
  },
  {
    rule: 'read on after an empty line in a traceback of Python',
    text: `Traceback (most recent call last):
  File "main.py", line 1, in main

  File "owl.py", line 3, in fly
KeyError: 1`,
    title: 'KeyError: <n> | owl.fly',
    frames: [
      ['owl.fly', null, 'owl.py', true],
      ['main.main', null, 'main.py', true],
    ],
  },
  {
    rule: 'name lambdas of .NET by their method',
    text: `System.InvalidOperationException: x
   at Owls.Owl.<>c__DisplayClass3_0.<Fly>b__0() in Owl.cs:line 3`,
    title: 'InvalidOperationException: x | Owls.Owl.Fly.lambda',
    frames: [['Owls.Owl.Fly.lambda', null, 'Owl.cs', true]],
  },
  {
    rule: 'read breaks that were sent as two characters',
    text: 'Error: x\\n    at hoot (http://a/owl.js:1:2)',
    title: 'Error: x | owl.hoot',
    frames: [['owl.hoot', null, 'owl.js', true]],
  },
  {
    rule: "continue with the exception that the root cause led to if that has no frame in the game's code",
    text: `java.lang.RuntimeException: level
	at com.owls.Game.load(Game.java:20)
Caused by: java.io.IOException: gone
	at java.io.File.open(File.java:1)`,
    title: 'IOException | com.owls.Game.load',
    frames: [['java.io.File.open', null, 'File.java', false]],
  },
];

describe('text formats', () => {
  for (const { format, title, reason, texts } of CAUSES) {
    for (const [index, text] of texts.entries()) {
      it(`read report ${index + 1} of ${format} as ${title}`, () => {
        const trace = findTrace(text, 'first');
        assert.ok(trace !== null);
        const grouping = groupByTrace(trace, SYSTEM, NO_RULES);
        assert.deepEqual([trace.format, grouping.title, grouping.reason], [format, title, reason]);
      });
    }
  }

  it('keep two causes apart', () => {
    const titles = CAUSES.map(({ title }) => title);
    assert.deepEqual(titles, [...new Set(titles)]);
  });

  it('have at least three examples each, of more than one cause', () => {
    const few = FORMATS.filter(({ name }) => {
      const causes = CAUSES.filter(({ format }) => format === name);
      return causes.length < 2 && causes.flatMap(({ texts }) => texts).length < 2;
    });
    assert.deepEqual(
      few.map(({ name }) => name),
      [],
    );
  });

  it('are all in the list', async () => {
    const files = readdirSync(new URL('./formats/', import.meta.url)).filter((name) => name.endsWith('.ts'));
    for (const file of files) {
      const exports: Record<string, unknown> = await import(`./formats/${file}`);
      const formats = Object.values(exports).filter(
        (each) => typeof each === 'object' && each !== null && 'read' in each,
      );
      assert.ok(formats.length > 0 && formats.every((each) => FORMATS.includes(each as never)), file);
    }
  });

  it('are found in the middle of other text, with any line ends and after any logger', () => {
    const prefixes = [
      '',
      '2024-01-31T12:00:00.123Z ERROR owls: ',
      'Jan 31 12:00:00 host owls[99]: ',
      '[12:00:00] [main/ERROR]: ',
    ];
    for (const { title, texts } of CAUSES.filter(({ format }) =>
      ['Python', 'Java', 'Rust', 'Godot'].includes(format),
    )) {
      for (const prefix of prefixes) {
        // A text of another logger would have two prefixes.
        const text = texts.findLast((each) => !/^(?:[[\d]|[VDIWEFA]\/|E \d)/m.test(each));
        if (text === undefined) continue;
        const lines = ['Loading level 3', '', ...text.split(/\r?\n/), '', 'Goodbye'];
        assert.equal(titleOf(lines.map((line) => `${prefix}${line}`).join('\r\n')), title, prefix);
      }
    }
  });

  it('read the last error of a log, or an error that ended the program', () => {
    const [first, second] = [CAUSES[0]!.texts[0]!, CAUSES[2]!.texts[0]!];
    const crash = CAUSES.find(({ format }) => format === 'Godot crash handler')!;
    const log = ['start', first, 'more', second, 'end'].join('\n');
    assert.equal(findTrace(log, 'last')?.main.message.startsWith('Condition'), true);
    assert.equal(findTrace(`${crash.texts[0]}\n${log}`, 'last')?.format, crash.format);
    // Even if it has no frames, and the later error does.
    assert.equal(findTrace(`Segmentation fault\n${second}`, 'last')?.main.type, 'SIGSEGV');
  });

  it('show the frames of the root cause first, and how other exceptions relate to it', () => {
    const trace = findTrace(CAUSES.find(({ format }) => format === 'Java')!.texts[0]!, 'first');
    assert.deepEqual(
      trace?.main.frames.map(({ function: name, file, line, own }) => [name, file, line, own]),
      [
        ['com.owls.Level.init', 'Level.java', 9, true],
        ['com.owls.Game.load', 'Game.java', 18, true],
        ['com.owls.Game.main', 'Game.java', 5, true],
      ],
    );
    assert.deepEqual(
      trace?.related.map(({ relation, type, message }) => [relation, type, message]),
      [['consequence', 'java.lang.RuntimeException', 'Could not load level 3']],
    );
  });

  it('read a stack as one report, however deep it is', () => {
    const repeat = (frame: (index: number) => string) => Array.from({ length: 1500 }, (_, index) => frame(index));
    const stacks = {
      'Native crash': [
        'Segmentation fault',
        '#0  0x4f in Owl::land() ()',
        ...repeat((n) => `#${n + 1}  0x4f in Owl::fly() ()`),
      ],
      'Android tombstone': [
        'signal 11 (SIGSEGV), code 2 (SEGV_ACCERR), fault addr 0x7fe0',
        '    #00 pc 00000000000a1b2c  /data/app/libgame.so (Owl::land()+4)',
        ...repeat(
          (n) => `    #${n + 1 < 10 ? '0' : ''}${n + 1} pc 00000000000a1b2c  /data/app/libgame.so (Owl::fly()+8)`,
        ),
      ],
      Dart: [
        'Unhandled exception:',
        'Stack Overflow',
        '#0      Owl.land (package:owls/owl.dart:3:5)',
        ...repeat((n) => `#${n + 1}      Owl.fly (package:owls/owl.dart:4:5)`),
      ],
      GameMaker: [
        'ERROR in action number 1',
        'Too deep',
        'at gml_Script_land (line 3)',
        ...repeat(() => 'gml_Script_fly (line 4)'),
      ],
      Python: [
        'Traceback (most recent call last):',
        ...repeat((n) => `  File "owl.py", line ${4 + (n % 2)}, in fly`),
        '  File "owl.py", line 3, in land',
        'RecursionError: maximum recursion depth exceeded',
      ],
    };
    for (const [format, lines] of Object.entries(stacks)) {
      const trace = findTrace(lines.join('\n'), 'last');
      assert.equal(trace?.format, format);
      assert.match(trace.main.frames[0]?.function ?? '', /land/, format);
    }
  });

  it('explain what a report was grouped by', () => {
    const explain = (text: string) => groupByTrace(findTrace(text, 'first')!, SYSTEM, NO_RULES).explanation.slice(0, 2);
    const [text = ''] = CAUSES.find(({ title }) => title === 'NullReferenceException | Owls.Player._Process')!.texts;
    assert.deepEqual(explain(text), [
      'format: .NET, read from the text of the report',
      "frames: used 1 in the game's code, ignored 1 of libraries",
    ]);
    assert.deepEqual(explain('Segmentation fault'), [
      'format: Native crash, read from the text of the report',
      'frames: none, so only reports of version 1.0.0 on linux are in this group',
    ]);
  });

  it('tell the frames of an inner exception of .NET from those of the outer one', () => {
    const trace = findTrace(
      `System.InvalidOperationException: Level 3 is broken
 ---> System.NullReferenceException: Not set
   at Owls.Nest.Open() in Nest.cs:line 9
   --- End of inner exception stack trace ---
   at Owls.Level.Load() in Level.cs:line 20`,
      'first',
    );
    assert.deepEqual(
      [trace!.main, ...trace!.related].map(({ type, frames }) => [type, frames.map(({ function: name }) => name)]),
      [
        ['System.NullReferenceException', ['Owls.Nest.Open']],
        ['System.InvalidOperationException', ['Owls.Level.Load']],
      ],
    );
  });

  it('give functions of GameMaker without a name the same name in every build', () => {
    const reportOf = (position: number) =>
      `ERROR in action number 1\nof Step Event0 for object obj_a:\n\nToo many owls\n at gml_Script_anon@${position}@Inventory (line 3)`;
    assert.equal(titleOf(reportOf(19178)), titleOf(reportOf(20011)));
  });

  it('keep reports without frames apart by version and OS, and no others', () => {
    const keysOf = (text: string) =>
      [SYSTEM, { ...SYSTEM, appVersion: '1.1.0' }, { ...SYSTEM, os: 'windows' }].map((system) =>
        groupByTrace(findTrace(text, 'first')!, system, NO_RULES).key.toString('hex'),
      );
    assert.equal(new Set(keysOf('Segmentation fault')).size, 3);
    assert.equal(new Set(keysOf('Error: x\n    at hoot (http://a/owl.js:1:2)')).size, 1);
  });

  for (const { rule, text, title, frames } of RULES)
    it(rule, () => {
      assert.equal(titleOf(text), title);
      assert.deepEqual(
        findTrace(text, 'first')?.main.frames.map(({ function: name, module, file, own }) => [name, module, file, own]),
        frames,
      );
    });

  it('are not looked for in what the server noted about a report', () => {
    const stack = 'Error: x\n    at hoot (http://a/owl.js:1:2)';
    assert.equal(traceOfReport({ message: '', metadata: { chauffeur_omitted: stack } }), null);
    assert.notEqual(traceOfReport({ message: '', metadata: { notes: stack } }), null);
  });

  it('mark frames of engines and libraries', () => {
    const trace = findTrace(CAUSES.find(({ format }) => format === '.NET')!.texts[0]!, 'first');
    assert.deepEqual(
      trace?.main.frames.map(({ own }) => own),
      [true, false],
    );
  });

  it('read what is left of a text that was cut at both ends', () => {
    assert.equal(titleOf('ayer.cs:12)\nOwls.Owl.Fly () (at Assets/Owl.cs:3)\nOwls.Ga'), 'Owls.Owl.Fly');
    assert.equal(titleOf('  File "/opt/owls/owl.py", line 3, in fly\n    self.land()\n  File "/opt/ow'), 'owl.fly');
    assert.equal(
      titleOf('(Game.java:9)\n\tat com.owls.Owl.fly(Owl.java:3)\n\tat com.owls.Game.ma'),
      'com.owls.Owl.fly',
    );
  });

  it('take ordinary text for what it is', () => {
    for (const text of [
      '',
      'Hello',
      'The game froze at level 3.',
      'Loading: done',
      'Error',
      'at home (with a cat)',
      '[1] [2]',
      'owl@example.com',
    ])
      assert.equal(findTrace(text, 'first'), null, text);
  });

  it('return limited traces for any text', () => {
    const piece = fc.oneof(
      fc.constantFrom(...CAUSES.flatMap(({ texts }) => texts.flatMap((text) => text.split('\n')))),
      fc.string({ maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.constantFrom('first' as const, 'last' as const),
        (lines, choice) => {
          const trace = findTrace(lines.join('\n'), choice);
          if (trace === null) return;
          const { title } = groupByTrace(trace, SYSTEM, NO_RULES);
          assert.ok(title.length >= 1 && title.length <= 255);
          assert.ok(trace.related.length <= TRACE_LIMITS.related);
          for (const { frames, message } of [trace.main, ...trace.related])
            assert.ok(frames.length <= TRACE_LIMITS.frames && message.length <= TRACE_LIMITS.messageLength);
          assert.ok(JSON.stringify(trace).isWellFormed());
        },
      ),
      { numRuns: 500 },
    );
  });
});
