import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mappingFactsOf } from './mapping-facts.ts';
import { type JavaFrame, ProguardMapping } from './proguard.ts';

const MAPPING = `# compiler: R8
# pg_map_id: 1a2b3c
# {"id":"com.android.tools.r8.mapping","version":"2.2"}
com.example.game.Player -> a.b:
# {"id":"sourceFile","fileName":"Player.kt"}
    int health -> a
    1:1:void com.example.game.Health.check(int):40:40 -> a
    1:1:void takeDamage(int):21 -> a
    2:4:void takeDamage(int):22:24 -> a
    5:5:void com.example.game.Health.fail():50:50 -> a
    # {"id":"com.android.tools.r8.rewriteFrame","conditions":["throws(Ljava/lang/NullPointerException;)"],"actions":["removeInnerFrames(1)"]}
    5:5:void takeDamage(int):26:26 -> a
    void heal() -> b
    void revive() -> b
com.example.game.Health -> a.c:
# {"id":"sourceFile","fileName":"Health.kt"}
com.example.game.MainKt -> a.d:
    1:2:void main():7:8 -> main
    3:3:void outlined():9:9 -> run
    # {"id":"com.android.tools.r8.outlineCallsite","positions":{"1":4,"2":5},"outline":"La/e;a()V"}
    4:4:int outlined():12:12 -> run
    5:5:int outlined():13:13 -> run
com.example.game.Outline -> a.e:
    1:2:void outline():0:1 -> a
    # {"id":"com.android.tools.r8.outline"}
`;

/** ProGuard 7.4.2 wrote it for a small program, whose stack was that of the test. */
const OF_PROGUARD = `com.example.game.GameOver -> com.example.game.a:
# {"fileName":"Player.java","id":"sourceFile"}
    4:4:void <init>(java.lang.String) -> <init>
com.example.game.Health -> com.example.game.b:
# {"fileName":"Player.java","id":"sourceFile"}
    18:18:void <init>() -> <init>
    20:23:void check(int) -> a
    1026:1026:void fail(int):26:26 -> a
    1026:1026:void check(int):21 -> a
com.example.game.Main -> com.example.game.Main:
# {"fileName":"Main.java","id":"sourceFile"}
    3:3:void <init>() -> <init>
    5:8:void main(java.lang.String[]) -> main
    6:6:void lambda$main$0(com.example.game.Player,java.lang.String[]) -> a
com.example.game.Player -> com.example.game.c:
# {"fileName":"Player.java","id":"sourceFile"}
    java.lang.String name -> a
    9:9:void <init>(java.lang.String) -> <init>
    12:15:void takeDamage(int) -> a
`;

function frame(text: string): JavaFrame {
  const [, className = '', method = '', line] = /^(.*)\.([^.:]+)(?::(\d+))?$/.exec(text)!;
  return { class: className, method, file: 'SourceFile', line: line === undefined ? null : Number(line) };
}

function resolve(stack: readonly string[], thrown?: string): string[] {
  return new ProguardMapping(MAPPING)
    .resolve(stack.map(frame), thrown)
    .flat()
    .map(({ class: name, method, file, line }) => `${name}.${method}(${file}:${line})`);
}

describe('ProguardMapping', () => {
  it('names classes, methods, files and lines', () => {
    assert.deepEqual(resolve(['a.b.a:3', 'a.d.main:2', 'java.lang.Thread.run:99']), [
      'com.example.game.Player.takeDamage(Player.kt:23)',
      'com.example.game.MainKt.main(Main.kt:8)',
      'java.lang.Thread.run(Thread.java:99)',
    ]);
  });

  it('returns the functions that were inlined, with the files of their own classes', () => {
    assert.deepEqual(resolve(['a.b.a:1']), [
      'com.example.game.Health.check(Health.kt:40)',
      'com.example.game.Player.takeDamage(Player.kt:21)',
    ]);
  });

  it('removes frames that the exception does not have', () => {
    assert.equal(resolve(['a.b.a:5'], 'java.lang.IllegalStateException').length, 2);
    assert.deepEqual(resolve(['a.b.a:5'], 'java.lang.NullPointerException'), [
      'com.example.game.Player.takeDamage(Player.kt:26)',
    ]);
  });

  it('leaves out functions that R8 moved code to, and finds whose code it was', () => {
    assert.deepEqual(resolve(['a.e.a:2', 'a.d.run:3']), ['com.example.game.MainKt.outlined(Main.kt:13)']);
  });

  it('does not guess between methods that have one name now', () => {
    assert.deepEqual(resolve(['a.b.b']), ['com.example.game.Player.b(Player.kt:null)']);
    assert.deepEqual(resolve(['a.d.main']), ['com.example.game.MainKt.main(Main.kt:null)']);
  });

  it('knows the classes of exceptions', () => {
    const mapping = new ProguardMapping(MAPPING.replaceAll('\n', '\r\n'));
    assert.equal(mapping.classOf('a.c'), 'com.example.game.Health');
    assert.equal(mapping.classOf('java.lang.Error'), 'java.lang.Error');
    assert.equal(mapping.resolve([frame('a.b.a:3')])[0]![0]!.line, 23);
  });

  it('reads what ProGuard writes', () => {
    const mapping = new ProguardMapping(OF_PROGUARD);
    const stack = ['com.example.game.b.a:1026', 'com.example.game.c.a:13', 'com.example.game.Main.a:6'];
    const frames = mapping.resolve(stack.map(frame), 'com.example.game.a').flat();
    assert.deepEqual(
      frames.map(({ class: name, method, file, line }) => `${name}.${method}(${file}:${line})`),
      [
        'com.example.game.Health.fail(Player.java:26)',
        'com.example.game.Health.check(Player.java:21)',
        'com.example.game.Player.takeDamage(Player.java:13)',
        'com.example.game.Main.lambda$main$0(Main.java:6)',
      ],
    );
    assert.equal(mapping.classOf('com.example.game.a'), 'com.example.game.GameOver');
  });

  it('leaves out methods that R8 added for lambdas, unless there is nothing else', () => {
    const mapping = new ProguardMapping(`com.example.game.Main -> a.a:
# {"id":"sourceFile","fileName":"Main.java"}
    1:1:void lambda$main$0():9:9 -> b
    # {"id":"com.android.tools.r8.unknown","signature":"()V"}
    2:2:void main():4:4 -> main
com.example.game.Main$$ExternalSyntheticLambda0 -> a.c:
# {"id":"sourceFile","fileName":"R8$$SyntheticClass"}
# {"id":"com.android.tools.r8.synthesized"}
    1:1:void com.example.game.Main.lambda$inlined$1():12:12 -> call
    1:1:void call():0:0 -> call
    # {"id":"com.android.tools.r8.synthesized"}
    1:4:void run():0:0 -> run
    # {"id":"com.android.tools.r8.synthesized"}
`);
    const shown = (...stack: string[]) =>
      mapping
        .resolve(stack.map(frame))
        .flat()
        .map(({ class: name, method, file, line }) => `${name}.${method}(${file}:${line})`);
    assert.deepEqual(shown('a.a.b:1', 'a.c.run:2', 'a.a.main:2'), [
      'com.example.game.Main.lambda$main$0(Main.java:9)',
      'com.example.game.Main.main(Main.java:4)',
    ]);
    assert.deepEqual(shown('a.c.call:1'), ['com.example.game.Main.lambda$inlined$1(Main.java:12)']);
    assert.deepEqual(shown('a.c.run:2'), ['com.example.game.Main$$ExternalSyntheticLambda0.run(Main.java:null)']);
  });

  it('knows what was inlined where the compiler left out all lines', () => {
    const mapping = new ProguardMapping(`com.example.game.Main -> a.a:
    0:0:void com.example.game.Health.check():7:7 -> a
    0:0:void main():4 -> a
    0:65535:void only():30:30 -> b
`);
    const shown = (text: string) =>
      mapping
        .resolve([frame(text)])
        .flat()
        .map(({ method, line }) => `${method}:${line}`);
    assert.deepEqual(shown('a.a.a'), ['check:7', 'main:4']);
    assert.deepEqual(shown('a.a.a:0'), ['check:7', 'main:4']);
    assert.deepEqual(shown('a.a.b:3'), ['only:30']);
    assert.deepEqual(shown('a.a.b'), ['only:30']);
  });

  it('refuses other texts', () => {
    for (const text of ['', 'hello', '# compiler: R8\n', '<html>']) assert.throws(() => new ProguardMapping(text));
  });

  it('takes a time linear in the length of hostile mappings', () => {
    const started = process.cpuUsage();
    for (const line of ['a -> ', '    1:1:void a(', ' # {', 'a', '    1:2:x x(x):1:2 -> ', '(', ' '])
      new ProguardMapping(`a -> b:\n${line.repeat(200_000)}\nc -> d:\n${`${line}\n`.repeat(100_000)}`).resolve([
        frame('b.a:1'),
        frame('d.a:1'),
      ]);
    assert.ok(process.cpuUsage(started).user < 5_000_000);
  });
});

describe('mappingFactsOf', () => {
  it('computes the id of a mapping as Sentry tools do', () => {
    // `sentry-cli debug-files check` says this id.
    const text = '# compiler: R8\ncom.example.game.Player -> a.b:\n    void heal() -> b\n';
    assert.equal(mappingFactsOf('proguard', Buffer.from(text)).debugId, 'DCA4B4FFB2515E24BEBE66522405D9500');
  });

  it('reads ids and addresses at the end of a script', () => {
    const id = '85314830-023f-4cf1-a267-535f4e37bb17';
    const script = `game();\n//# sourceMappingURL=game.js.map\n//# debugId=${id}\n`;
    assert.deepEqual(mappingFactsOf('script', Buffer.from(script)), {
      debugId: '85314830023F4CF1A267535F4E37BB170',
      sourceMapUrl: 'game.js.map',
      hasInlineMap: false,
    });
  });

  it('reads the id of a map, but not one in the text of a source', () => {
    const id = '85314830-023f-4cf1-a267-535f4e37bb17';
    const facts = (json: object) => mappingFactsOf('source_map', Buffer.from(JSON.stringify(json))).debugId;
    assert.equal(facts({ version: 3, debugId: id }), '85314830023F4CF1A267535F4E37BB170');
    assert.equal(facts({ version: 3, debug_id: id }), '85314830023F4CF1A267535F4E37BB170');
    assert.equal(facts({ version: 3, sourcesContent: [JSON.stringify({ debugId: id })] }), '');
  });
});
