import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { buildMinifiedGame } from '../../test/minified-game.ts';
import { MappedScript } from './script-frames.ts';
import { inlineMapOf, SourceMap } from './source-map.ts';

let frames: { function: string; line: number; column: number }[];
let [script, map] = ['', ''];

before(async () => {
  const game = await buildMinifiedGame();
  ({ script, map } = game);
  const lines = game.stackAt('https://example.com/game.js').matchAll(/^ +at (?:(\S+) \()?\S+?:(\d+):(\d+)\)?$/gm);
  frames = [...lines].map(([, name = '', line, column]) => ({
    function: name,
    line: Number(line),
    column: Number(column),
  }));
});

function resolveAll(mapped: MappedScript): string[] {
  return frames.map((frame, index) => {
    const next = frames[index + 1];
    const found = mapped.resolve(frame, next === undefined ? null : { script: mapped, frame: next });
    return found === null ? '?' : `${found.function} ${found.file}:${found.line}`;
  });
}

describe('MappedScript', () => {
  it('leads the stack of a minified program to its sources, with the names of its functions', () => {
    assert.ok(frames.length >= 4, 'the program failed in another way');
    assert.deepEqual(resolveAll(new MappedScript(map, script)).slice(0, 3), [
      'explodeLoudly player.ts:8',
      'takeDamage player.ts:10',
      'onTick main.ts:6',
    ]);
    assert.match(resolveAll(new MappedScript(map, script)).join(), /startLevel main\.ts:8/);
  });

  it('has the lines around a frame', () => {
    const { source } = new MappedScript(map, script).resolve(frames[0]!, null)!;
    assert.match(source!.line, /throw new RangeError/);
    assert.deepEqual(
      [source!.before.at(-1)?.trim(), source!.after[0]?.trim()],
      ['const explodeLoudly = (cause: string): never => {', '};'],
    );
  });

  it('guesses names by what callers call without the script', () => {
    const map = { version: 3, sources: ['a.ts'], names: ['run', 'value'], mappings: `AAAAA,${'KA'}AKC` };
    const mapped = new MappedScript(JSON.stringify(map), null);
    const [inner, caller] = [
      { function: 'e', line: 1, column: 6 },
      { function: 't', line: 1, column: 1 },
    ];
    assert.equal(mapped.resolve(inner, { script: mapped, frame: caller })?.function, 'run');
    assert.equal(mapped.resolve(caller, null)?.function, 't');
  });

  it('finds the map in a script', () => {
    const data = Buffer.from(map).toString('base64');
    const inline = script.replace(
      /\/\/# sourceMappingURL.*/,
      `//# sourceMappingURL=data:application/json;base64,${data}`,
    );
    assert.equal(new MappedScript(null, inline).resolve(frames[0]!, null)?.line, 8);
  });

  it('knows no functions of a script that can not be parsed, or is nested too deeply', () => {
    for (const broken of ['function {', '('.repeat(100_000), `${'['.repeat(50_000)}${']'.repeat(50_000)}`])
      assert.equal(new MappedScript(map, broken).resolve(frames[0]!, null)?.line, 8);
  });
});

describe('SourceMap', () => {
  it('reads sections', () => {
    const whole = { version: 3, sources: ['a.ts'], names: ['run'], mappings: 'AAAAA', sourcesContent: ['run()'] };
    const sections = [
      { offset: { line: 0, column: 0 }, map: { ...whole, sources: ['b.ts'] } },
      { offset: { line: 5, column: 10 }, map: whole },
    ];
    const read = new SourceMap(JSON.stringify({ version: 3, sections }));
    assert.deepEqual(read.placeAt(6, 12), { file: 'a.ts', line: 1, column: 1, name: 'run', isLibrary: false });
    assert.equal(read.placeAt(1, 1)?.file, 'b.ts');
    assert.equal(read.placeAt(6, 3), null);
  });

  it('shortens the names of sources, and knows packages', () => {
    const sources = [
      'webpack://game/./src/a.ts?4f2a',
      '../../src/b.ts',
      'webpack:///./node_modules/phaser/src/x.js',
      '/abs/c.ts',
    ];
    const read = new SourceMap(
      JSON.stringify({ version: 3, sources, names: [], mappings: 'AAAA;A-AA;A-AA;A-AA'.replaceAll('-', 'C') }),
    );
    const places = [1, 2, 3, 4].map((line) => read.placeAt(line, 1));
    assert.deepEqual(
      places.map((place) => place?.file),
      ['src/a.ts', 'src/b.ts', 'node_modules/phaser/src/x.js', '/abs/c.ts'],
    );
    assert.deepEqual(
      places.map((place) => place?.isLibrary),
      [false, false, true, false],
    );
  });

  it('knows packages of Windows, helpers of bundlers and sources to ignore', () => {
    const sources = [
      '..\\node_modules\\pixi\\i.js',
      '\0rolldown/runtime.js',
      'webpack:///(webpack)/a.js',
      'engine.js',
      '',
    ];
    const mappings = 'AAAA;A-AA;A-AA;A-AA;A-AA'.replaceAll('-', 'C');
    const read = new SourceMap(JSON.stringify({ version: 3, sources, names: [], mappings, x_google_ignoreList: [3] }));
    const places = [1, 2, 3, 4, 5].map((line) => read.placeAt(line, 1));
    assert.deepEqual(
      places.map((place) => place?.isLibrary),
      [true, true, true, true, undefined],
    );
    assert.equal(places[1]?.file, 'rolldown/runtime.js');
  });

  it('finds maps in scripts in all forms of data URLs', () => {
    const forms = [
      'json;charset=utf-8;base64,e30=',
      'json;base64;charset=utf-8,e30=',
      'source-map;base64,e30=',
      'json,%7B%7D',
    ];
    for (const form of forms)
      assert.equal(inlineMapOf(`run();\n//# sourceMappingURL=data:application/${form}\n`), '{}', form);
  });

  it('refuses anything but a source map', () => {
    const ok = { version: 3, sources: [], names: [], mappings: '' };
    const sections = (map: object): object => ({ version: 3, sections: [{ offset: { line: 0, column: 0 }, map }] });
    for (const bad of [
      ...['', 'x', '[]', 'null', '{}', '{"version":3}'],
      ...[
        { ...ok, version: 2 },
        { ...ok, mappings: 5 },
        { ...ok, sources: 'a' },
        { ...ok, sources: [5] },
      ],
      ...[
        { version: 3, sections: [{}] },
        { version: 3, sections: [null] },
        { version: 3, sections: 5 },
      ],
      { version: 3, sections: [{ offset: { line: 0, column: 0 }, url: 'http://a.example/' }] },
      Array.from({ length: 50 }).reduce<object>(sections, ok),
    ])
      assert.throws(
        () => new SourceMap(typeof bad === 'string' ? bad : JSON.stringify(bad)),
        /^MappingError|Error: it/,
      );
    const odd = new SourceMap(JSON.stringify({ ...ok, mappings: 'AAAAgg;!!!,ZZZZZZZZZZZZZZZZZ' }));
    assert.equal(odd.placeAt(1, 1), null);
    assert.equal(odd.placeAt(1e9, 1e9), null);
  });
});
