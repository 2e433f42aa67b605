// Tests which threads are walked, from which registers, and up to which limits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeAmd64Context } from '../test/dump-writer/contexts.ts';
import type { ThreadDescription } from '../test/dump-writer/description.ts';
import { SCENE_THREAD, type Scene, type SceneModule, walkScene } from '../test/scene.ts';
import { DEFAULT_LIMITS } from './process.ts';
import { formatReport } from './text.ts';

const SP = 0x7fff0000n;
const GAME = {
  name: 'game',
  base: 0x400000n,
  symbols: 'FUNC 1000 100 0 update\nFUNC 1100 100 0 handler\nSTACK CFI INIT 1000 200 .cfa: $rsp 8 + .ra: .cfa -8 + ^',
};

function thread(
  id: number,
  registers: Record<string, bigint>,
  words: readonly bigint[] = [0x401010n, 0n],
): ThreadDescription {
  const bytes = new Uint8Array(new BigUint64Array(words).buffer);
  return { id, context: writeAmd64Context(registers), stack: { start: registers.rsp ?? SP, bytes } };
}

/** Walks a dump with one crashed thread and the additions in `more`. */
function walk(more: Scene['more'], limits?: Scene['limits']) {
  const scene: Scene = {
    registers: { rip: 0x401010n, rsp: SP },
    stack: { at: SP, words: [0x401020n, 0] },
    modules: [GAME],
    ...(limits && { limits }),
  };
  return walkScene({ ...scene, ...(more && { more }) });
}

const HANDLER = thread(SCENE_THREAD, { rip: 0x401110n, rsp: SP });
const OTHER = thread(5, { rip: 0x401010n, rsp: SP + 0x1000n });

describe('walking the threads of a dump', () => {
  it("starts the crashed thread at the exception's registers, not at those of its handler", () => {
    const [walked] = walk({ threads: [HANDLER] }).threads;
    assert.deepEqual(
      walked?.frames.map((frame) => frame.function),
      ['update', 'update'],
    );
  });

  it("falls back to the thread's own registers if the exception's cannot be read", () => {
    const report = walk({
      threads: [HANDLER],
      exception: { threadId: SCENE_THREAD, code: 11, context: new Uint8Array(8) },
    });
    assert.equal(report.threads[0]?.frames[0]?.function, 'handler');
    assert.match(report.warnings.join('\n'), /the registers of thread 77 cannot be read/);
  });

  it('reports no frames for a thread whose registers cannot be read', () => {
    const bad = { id: 5, context: new Uint8Array(1232) };
    const report = walk({ threads: [bad, HANDLER] });
    assert.deepEqual(
      report.threads.map(({ frame_count: count }) => count),
      [0, 2],
    );
    assert.match(report.warnings.join('\n'), /thread 5 .*flags 0x0 are not those of an amd64 context/);
  });

  it('finds the thread that requested a dump without a crash', () => {
    const more = { threads: [OTHER, HANDLER], exception: undefined, breakpad: { requestingThreadId: SCENE_THREAD } };
    const report = walk(more as never);
    assert.equal(report.crash_info.crashing_thread, 1);
    assert.equal(report.crash_info.type, null);
  });

  it('reports no crashed thread if it is not in the dump', () => {
    const report = walk({ exception: { threadId: 404, code: 11 } });
    assert.equal(report.crash_info.crashing_thread, null);
    assert.equal(report.signature.signature, 'EMPTY: no crashing thread identified; SIGSEGV');
  });

  describe('if the thread list does not contain the thread of the exception', () => {
    const registers = { rip: 0x401010n, rsp: SP + 0x8000n };
    const exception = { threadId: 404, code: 11, context: writeAmd64Context(registers) };
    const stack = {
      start: SP + 0x8000n,
      bytes: new Uint8Array(new BigUint64Array([0x401120n, 0n]).buffer),
    };
    const functionsOf = (report: ReturnType<typeof walk>) =>
      report.threads[report.crash_info.crashing_thread ?? -1]?.frames.map((frame) => frame.function);

    for (const [what, more] of Object.entries({
      'a list of others': { threads: [OTHER] },
      'an empty list': { threads: [] },
      'no list': { threads: undefined as never },
    })) {
      it(`adds it with the registers of the exception and the stack in the memory list: ${what}`, () => {
        const report = walk({ ...more, exception, memory: [stack], threadNames: [{ id: 404, name: 'Render' }] });
        const crashed = report.threads.at(-1);
        assert.equal(report.crash_info.crashing_thread, report.threads.length - 1);
        assert.deepEqual([crashed?.thread_id, crashed?.thread_name], [404, 'Render']);
        assert.deepEqual(functionsOf(report), ['update', 'handler']);
        assert.equal(report.signature.signature, 'update');
        assert.match(report.warnings.join('\n'), /does not contain thread 404, which crashed, so it was added/);
      });
    }

    it('names the crashed function even if the dump does not contain the stack', () => {
      assert.deepEqual(functionsOf(walk({ threads: [OTHER], exception })), ['update']);
    });

    it('uses the thread on whose stack the exception happened, as for ids of a container', () => {
      const report = walk({
        threads: [OTHER, thread(5, { rip: 0x401110n, rsp: SP + 0x7ff8n }, [1n, 0x401120n])],
        exception,
      });
      assert.equal(report.crash_info.crashing_thread, 1);
      assert.deepEqual(functionsOf(report), ['update', 'handler']);
    });

    it('uses the thread that requested the dump if the exception has no registers', () => {
      const more = { exception: { threadId: 0, code: 11 }, breakpad: { requestingThreadId: SCENE_THREAD } };
      const report = walk({ threads: [OTHER, HANDLER], ...more });
      assert.equal(report.crash_info.crashing_thread, 1);
      assert.deepEqual(functionsOf(report), ['handler', 'update']);
    });
  });

  it('walks the crashed thread even if it wrote the dump', () => {
    const report = walk({ threads: [HANDLER], breakpad: { dumpThreadId: SCENE_THREAD } });
    assert.deepEqual(
      report.threads[0]?.frames.map((frame) => frame.function),
      ['update', 'update'],
    );
  });

  it('does not walk the thread that wrote the dump', () => {
    const report = walk({ threads: [OTHER, HANDLER], breakpad: { dumpThreadId: 5 } });
    assert.deepEqual(
      report.threads.map(({ frame_count: count }) => count),
      [0, 2],
    );
  });

  it('walks the crashed thread first, and as many others as the limits allow', () => {
    const others = Array.from({ length: 5 }, (_, id) =>
      thread(id, { rip: 0x401010n, rsp: SP + BigInt(id + 1) * 0x1000n }),
    );
    const counts = (limits: Scene['limits']) =>
      walk({ threads: [...others, HANDLER] }, limits).threads.map(({ frame_count: count }) => count);
    assert.deepEqual(counts(undefined), [2, 2, 2, 2, 2, 2]);
    assert.deepEqual(counts({ threads: 3 }), [2, 2, 0, 0, 0, 2]);
    assert.deepEqual(counts({ allFrames: 5 }), [2, 1, 0, 0, 0, 2]);
    assert.match(walk({ threads: [...others, HANDLER] }, { threads: 3 }).warnings.join('\n'), /3 of the 6 threads/);
  });

  it('reads the last error of a Windows thread from its environment block', () => {
    const teb = 0x7ff0_0000n;
    const bytes = new Uint8Array(0x80);
    new DataView(bytes.buffer).setUint32(0x68, 2, true);
    const report = walkScene({
      os: 'windows',
      registers: { rip: 0x401010n, rsp: SP },
      more: { threads: [{ ...HANDLER, teb }], memory: [{ start: teb, bytes }] },
    });
    assert.equal(report.threads[0]?.last_error_value, 'ERROR_FILE_NOT_FOUND');
  });

  it('warns that a CPU is not supported, and reports the rest', () => {
    const report = walk({ system: { processorArchitecture: 0x8001, platformId: 0x8201 } });
    assert.equal(report.system_info.cpu_arch, 'cpu 0x8001');
    assert.equal(report.modules.length, 1);
    assert.deepEqual(report.warnings, ['the CPU is not supported, so no threads were walked']);
  });

  describe('with malicious symbols that inflate the report', () => {
    const calls = Array.from({ length: 20_000 }, (_, depth) => `INLINE ${depth} ${depth} 0 0 1000 100`);
    const deep = (name: string): SceneModule => ({
      name: 'game',
      base: 0x400000n,
      symbols: [
        `INLINE_ORIGIN 0 ${name}`,
        'FUNC 1000 100 0 update',
        ...calls,
        'STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa -8 + ^',
      ].join('\n'),
    });
    const walkDeep = (name: string, frames: number) =>
      walkScene({
        registers: { rip: 0x401010n, rsp: SP },
        stack: { at: SP, words: Array<bigint>(frames).fill(0x401020n) },
        modules: [deep(name)],
      });

    it('says in the frame, the warnings and the text that inlined functions are missing', () => {
      const report = walkDeep('blend', 1);
      const [frame] = report.threads[0]?.frames ?? [];
      assert.deepEqual([frame?.inlines.length, frame?.inlines_truncated], [100, true]);
      assert.deepEqual(report.warnings, ['2 frames have too many inlined functions, so some were left out']);
      assert.match(
        formatReport(report),
        /99 {2}game!blend.*\n.*inlining\n.*more inlined functions not shown\n100 {2}game!update/,
      );
    });

    it('limits the size of the report for any number of frames, and says which limit was reached', () => {
      const report = walkDeep('blend', 8000);
      assert.equal(report.threads[0]?.truncated, 'output');
      assert.ok(JSON.stringify(report).length < 1.5 * DEFAULT_LIMITS.output);
      assert.ok(report.threads[0].frames.length > 1000);
    });

    it('leaves out inlined functions first, then long names', () => {
      const long = 'n'.repeat(250_000);
      const report = walkDeep(long, 100);
      const frames = report.threads[0]?.frames ?? [];
      assert.deepEqual([frames.length, frames[0]?.inlines.length, frames[0]?.inlines_truncated], [2, 100, true]);
      assert.deepEqual([frames[1]?.function, frames[1]?.inlines, frames[1]?.inlines_truncated], ['update', [], true]);
      assert.ok(JSON.stringify(report).length < 1.5 * DEFAULT_LIMITS.output);
    });

    it('shares the limit among the threads, the crashed one first', () => {
      const others = [1, 2, 3].map((id) => thread(id, { rip: 0x401010n, rsp: SP + BigInt(id) * 0x1000n }));
      const limits = { output: 2500 };
      const report = walk({ threads: [...others, HANDLER] }, limits);
      assert.deepEqual(
        report.threads.map(({ frame_count: count, truncated }) => [count, truncated]),
        [
          [1, 'output'],
          [0, 'output'],
          [0, 'output'],
          [2, null],
        ],
      );
    });
  });
});
