// Walks the threads of one dump, and holds what they share: modules, symbols and limits.
import { CPUS } from './contexts/contexts.ts';
import type { Cpu } from './contexts/cpu.ts';
import { type CrashedThread, findCrashedThread, registersOf } from './crash.ts';
import { describeFrame } from './describe.ts';
import { memoryOf } from './memory.ts';
import type { Minidump } from './minidump.ts';
import { ModuleMap } from './module-map.ts';
import { nameWin32Error } from './reasons/reasons.ts';
import type { Thread as ThreadReport } from './report.ts';
import { readStackMemory } from './stack-memory.ts';
import { BREAKPAD_INFO } from './streams/breakpad-info.ts';
import { MODULES, type Module, UNLOADED_MODULES } from './streams/modules.ts';
import { SYSTEM_INFO, type SystemInfo } from './streams/system-info.ts';
import { type DumpThread, THREAD_NAMES } from './streams/threads.ts';
import { LoadedSymbols } from './symbols/loaded-symbols.ts';
import type { SymbolSource } from './symbols/module-symbols.ts';
import type { UnwindContext } from './unwind/unwinder.ts';
import { type Walk, type WalkLimits, walkStack } from './unwind/walk.ts';

/** Limits on the work for one dump. The report says which ones were reached. */
export type Limits = WalkLimits & {
  /** Maximum number of threads to walk. The crashed thread is always walked. */
  readonly threads: number;
  /** Maximum number of frames in all threads together. */
  readonly allFrames: number;
  /** Maximum number of characters of unwind rules and scanned stack words, in all threads together. */
  readonly steps: number;
  /** Approximate maximum size of all frames in the report, in characters. */
  readonly output: number;
  /** Maximum number of bytes of each thread's stack that the report contains; 0 for none. */
  readonly stackMemory: number;
  /** The limit of `stackMemory` for all threads together. The crashed thread comes first. */
  readonly allStackMemory: number;
};

export class Walker {
  readonly system: SystemInfo | undefined;
  readonly modules: readonly Module[];
  readonly loaded: LoadedSymbols;
  readonly crashed: CrashedThread;
  readonly #dump: Minidump;
  readonly #limits: Limits;
  readonly #context: UnwindContext | undefined;
  #framesLeft: number;
  #framesWithMoreInlines = 0;

  constructor(dump: Minidump, source: SymbolSource | undefined, limits: Limits) {
    this.#dump = dump;
    this.#limits = limits;
    this.#framesLeft = limits.allFrames;
    this.system = dump.stream(SYSTEM_INFO);
    this.modules = dump.stream(MODULES) ?? [];
    this.loaded = new LoadedSymbols(source);
    this.#context = this.#createContext();
    this.crashed = findCrashedThread(dump, this.#context?.cpu);
  }

  /** The size of an address, in bytes. */
  get wordSize(): 4 | 8 {
    return this.#context?.cpu.wordSize ?? 8;
  }

  /**
   * Walks all threads, the crashed one first so that the others do not use up its limits. Returns them in the dump's
   * order.
   */
  walkThreads(): ThreadReport[] {
    const { threads, index: crashed } = this.crashed;
    const reports: ThreadReport[] = [];
    const order = threads.map((_, index) => index).toSorted((a, b) => Number(b === crashed) - Number(a === crashed));
    for (const [turn, index] of order.entries()) {
      const thread = threads[index]!;
      reports[index] =
        turn < this.#limits.threads ? this.#walkThread(thread, index) : this.#describe(thread, undefined);
    }
    if (threads.length > this.#limits.threads) {
      this.#dump.warn(`${threads.length - this.#limits.threads} of the ${threads.length} threads were not walked`);
    }
    if (this.#framesWithMoreInlines > 0)
      this.#dump.warn(`${this.#framesWithMoreInlines} frames have too many inlined functions, so some were left out`);
    return this.#limits.stackMemory === 0 ? reports : this.#withStackMemory(reports, order);
  }

  /** Runs after all threads were walked, so that the walks have the budget first. */
  #withStackMemory(reports: readonly ThreadReport[], order: readonly number[]): ThreadReport[] {
    const all = [...reports];
    const context = this.#context;
    let bytesLeft = this.#limits.allStackMemory;
    for (const index of order) {
      const report = reports[index]!;
      const pointer = context && report.frames[0]?.registers[context.cpu.stackPointer];
      const maxBytes = Math.min(this.#limits.stackMemory, bytesLeft);
      const stack = context && pointer ? readStackMemory(BigInt(pointer), maxBytes, context, this.loaded) : null;
      bytesLeft -= (stack?.words.length ?? 0) / 2;
      all[index] = { ...report, stack };
    }
    return all;
  }

  #createContext(): UnwindContext | undefined {
    const { system } = this;
    if (system?.cpu === undefined) {
      this.#dump.warn(
        system === undefined
          ? 'the dump has no system information, so no threads were walked'
          : 'the CPU is not supported, so no threads were walked',
      );
      return undefined;
    }
    return {
      os: system.os,
      cpu: CPUS[system.cpu],
      modules: new ModuleMap(this.modules),
      memory: memoryOf(this.#dump),
      symbolsOf: (module) => this.loaded.of(module),
      budget: { steps: this.#limits.steps, output: this.#limits.output },
    };
  }

  #walkThread(thread: DumpThread, index: number): ThreadReport {
    const context = this.#context;
    const exception = index === this.crashed.index ? this.crashed.exception : undefined;
    // The stack of the thread that wrote the dump says nothing about the program, unless that thread crashed itself.
    const isDumper = exception === undefined && this.#dump.stream(BREAKPAD_INFO)?.dumpThreadId === thread.id;
    if (context === undefined || isDumper) return this.#describe(thread, undefined);
    const registers = registersOf(this.#dump, context.cpu, thread, exception);
    if (registers === undefined) return this.#describe(thread, undefined);
    const limits = { ...this.#limits, frames: Math.min(this.#limits.frames, this.#framesLeft) };
    const walk = this.#walkNothing(context) ?? walkStack(registers, context, limits);
    this.#framesLeft -= walk.frames.length;
    this.#framesWithMoreInlines += walk.frames.filter(({ place }) => place?.hasMoreInlines).length;
    return this.#describe(thread, walk);
  }

  #walkNothing({ budget }: UnwindContext): Walk | undefined {
    if (this.#framesLeft <= 0) return { frames: [], truncated: 'frames' };
    return budget.output <= 0 ? { frames: [], truncated: 'output' } : undefined;
  }

  #describe(thread: DumpThread, walk: Walk | undefined): ThreadReport {
    const unloaded = this.#dump.stream(UNLOADED_MODULES) ?? [];
    const cpu = this.#context?.cpu;
    const frames =
      cpu === undefined ? [] : (walk?.frames ?? []).map((frame, index) => describeFrame(frame, index, cpu, unloaded));
    return {
      thread_id: thread.id,
      thread_name: this.#dump.stream(THREAD_NAMES)?.get(thread.id) ?? null,
      last_error_value: this.#lastError(thread, cpu),
      frame_count: frames.length,
      frames,
      truncated: walk?.truncated ?? null,
      ...(walk?.incomplete && { incomplete: true }),
    };
  }

  /** What GetLastError would return in the thread: a field of its environment block (TEB), if the dump contains it. */
  #lastError({ teb }: DumpThread, cpu: Cpu | undefined): string | null {
    if (this.system?.os !== 'windows' || cpu === undefined || teb === 0n) return null;
    const value = this.#context?.memory.word(teb + (cpu.wordSize === 8 ? 0x68n : 0x34n), 4);
    return value === undefined ? null : nameWin32Error(Number(value));
  }
}
