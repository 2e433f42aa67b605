import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JavaFrame, ProguardMapping } from '@chauffeur/sentry/mappings/proguard';
import { findTrace, findTraceInLines, linesOf } from './find-trace.ts';
import { javaStacksIn, withJavaNames } from './java-names.ts';
import { TRACE_LIMITS, type TraceException } from './trace.ts';

const MAPPING = `com.owls.Game -> a.a:
    1:1:void load(int):20 -> a
    2:2:void com.owls.Level.open():41 -> a
    2:2:void load(int):22 -> a
    3:3:void main():5 -> b
com.owls.Level -> a.b:
    1:9:void fly():11:19 -> a
com.owls.Lost -> a.c:
com.owls.Gone -> d:
com.owls.Shared -> a.e:
    1:1:void outline():0 -> a
    # {"id":"com.android.tools.r8.outline"}
com.owls(Strange -> a.f:
    1:1:void x():7 -> a
`;

function resolved(text: string): string[] {
  const mapping = new ProguardMapping(MAPPING);
  const lines = linesOf(text);
  const stacks = javaStacksIn(lines);
  const names = stacks.map(({ titles, frames }) => ({
    frames: mapping.resolve(frames, titles[0]?.name),
    titles: titles.map(({ name }) => mapping.classOf(name)),
  }));
  return withJavaNames(lines, stacks, names);
}

const shown = ({ type, message, frames }: TraceException) => [
  `${type}: ${message}`,
  ...frames.map(({ function: name, file, line }) => `${name} ${file}:${line}`),
];

function exceptions(text: string): string[][] {
  const trace = findTraceInLines(resolved(text), 'first')!;
  return [trace.main, ...trace.related].map(shown);
}

describe('withJavaNames', () => {
  it('names classes, methods and lines, and writes a frame for each inlined function', () => {
    assert.deepEqual(exceptions('a.c: lost\n\tat a.b.a(SourceFile:4)\n\tat a.a.a(SourceFile:2)'), [
      [
        'com.owls.Lost: lost',
        'com.owls.Level.fly Level.java:14',
        'com.owls.Level.open Level.java:41',
        'com.owls.Game.load Game.java:22',
      ],
    ]);
  });

  it('names causes and suppressed exceptions, with the frames that the text leaves out', () => {
    const text = `Exception in thread "main" java.lang.RuntimeException: level 3
	at java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
	at a.a.a(Unknown Source:2)
	at a.a.b(:3)
	Suppressed: d: closed
		at a.b.a(PG:1)
		... 1 more
Caused by: a.c: first
second
	at a.b.a(r8-map-id-8f3e:2) ~[owls.jar:?]
	... 2 common frames omitted
Caused by: d`;
    assert.deepEqual(exceptions(text).slice(0, 2), [
      ['com.owls.Gone: '],
      [
        'com.owls.Lost: first',
        'com.owls.Level.fly Level.java:12',
        // Those of the exception before it.
        'com.owls.Level.fly Level.java:11',
        'com.owls.Game.main Game.java:5',
      ],
    ]);
    const [, , outer, suppressed] = exceptions(text);
    assert.deepEqual(outer, [
      'java.lang.RuntimeException: level 3',
      'java.util.ArrayList.forEach ArrayList.java:1511',
      'com.owls.Level.open Level.java:41',
      'com.owls.Game.load Game.java:22',
      'com.owls.Game.main Game.java:5',
    ]);
    assert.deepEqual(suppressed, [
      'com.owls.Gone: closed',
      'com.owls.Level.fly Level.java:11',
      'com.owls.Game.main Game.java:5',
    ]);
  });

  it('finds the class behind prefixes, above lines of the message, and without its package', () => {
    const typeOf = (head: string) => exceptions(`${head}\n\tat a.b.a(SourceFile:4)`)[0]![0];
    assert.equal(typeOf('a.c'), 'com.owls.Lost: ');
    assert.equal(typeOf('d: gone'), 'com.owls.Gone: gone');
    assert.equal(typeOf('Exception in thread "a b" a.c: lost'), ': Exception in thread "a b" com.owls.Lost: lost');
    assert.equal(typeOf('E/AndroidRuntime: FATAL EXCEPTION: main\nE/AndroidRuntime: a.c: lost'), 'com.owls.Lost: lost');
    assert.match(resolved('a.c: two\nlines\n\tat a.b.a(SourceFile:4)')[0]!, /^com\.owls\.Lost: two$/);
    assert.equal(resolved('Uncaught: a.c: x\n\tat a.b.a(SourceFile:4)')[0], 'Uncaught: com.owls.Lost: x');
  });

  it('reads breaks that were sent as two characters', () => {
    assert.deepEqual(exceptions('a.c: lost\\n\\tat a.b.a(SourceFile:4)')[0], [
      'com.owls.Lost: lost',
      'com.owls.Level.fly Level.java:14',
    ]);
  });

  it('leaves out frames of outlines, and keeps one whose names are none that a frame can have', () => {
    assert.deepEqual(
      exceptions('a.c: x\n\tat a.e.a(SourceFile:1)\n\tat a.a.b(SourceFile:3)\n\tat a.f.a(SourceFile:1)'),
      [['com.owls.Lost: x', 'com.owls.Game.main Game.java:5', 'a.f.a null:1']],
    );
  });

  it('changes nothing that the mapping has no names for', () => {
    const text = `[12:00:00] [main/ERROR]: Reported!
java.lang.IllegalStateException: text: a.c
	at com.other.Nest.run(Nest.kt:14) ~[owls.jar:?]
	at java.base/java.lang.Thread.run(Native Method)
some text
Caused by: com.other.Lost`;
    assert.deepEqual(resolved(text), linesOf(text));
    assert.deepEqual(findTraceInLines(resolved(text), 'first'), findTrace(text, 'first'));
  });
});

describe('javaStacksIn', () => {
  it('takes only so many frames of a stack, and of forged texts', () => {
    const recursion = `a.c: x\n${'\tat a.b.a(SourceFile:4)\n'.repeat(1024)}Caused by: d\n\tat a.a.a(SourceFile:1)\n\t... 900 more`;
    assert.deepEqual(
      javaStacksIn(linesOf(recursion)).map(({ frames }) => frames.length),
      [TRACE_LIMITS.frames, TRACE_LIMITS.frames],
    );
    assert.equal(exceptions(recursion)[0]![1], 'com.owls.Game.load Game.java:20');
    assert.equal(exceptions(recursion)[0]![2], 'com.owls.Level.fly Level.java:14');
    const start = process.cpuUsage();
    const count = (text: string) => {
      const stacks = javaStacksIn(linesOf(text));
      const found: JavaFrame[] = stacks.flatMap(({ frames }) => frames);
      assert.ok(found.length < 600);
      const inlined = stacks.map(({ frames }) => ({
        titles: [],
        frames: frames.map((frame) => Array(64).fill(frame)),
      }));
      assert.ok(withJavaNames(linesOf(text), stacks, inlined).length < 40_000);
    };
    for (const part of ['Caused by: a.c: x', '... 9999 more', '\tat a.b.a(SourceFile:4)', 'a.c: a.c: a.c', 'x'])
      for (const other of ['... 9999 more', '\tat a.b.a(SourceFile:4)', 'Caused by: a.c', 'a.c: x', 'y'])
        count(`${'\tat a.b.a(SourceFile:4)\n'.repeat(1000)}${`${part}\n${other}\n`.repeat(1500)}`);
    assert.ok(process.cpuUsage(start).user < 4_000_000);
  });
});
