// Scenes for tests of the walker: a crash, described by registers, a stack and modules with symbols, written as a dump.
import type { CpuName } from '../src/contexts/cpu.ts';
import { type ProcessOptions, processMinidump } from '../src/process.ts';
import type { Frame, Report } from '../src/report.ts';
import type { OsName } from '../src/streams/system-info.ts';
import { openSymbolCache } from '../src/symbols/cache/cache.ts';
import { MemoryRangeReader } from '../src/symbols/cache/range-reader.ts';
import { SymbolCompiler } from '../src/symbols/compiler/compiler.ts';
import type { ModuleSymbols, SymbolSource } from '../src/symbols/module-symbols.ts';
import {
  type RegisterValues,
  writeAmd64Context,
  writeArm64Context,
  writeArmContext,
  writeX86Context,
} from './dump-writer/contexts.ts';
import type { DumpDescription, MemoryDescription } from './dump-writer/description.ts';
import { writeDump } from './dump-writer/dump-writer.ts';

export type SceneModule = {
  readonly name: string;
  readonly base: bigint;
  readonly size?: number;
  /** Records of a symbol file, without its MODULE line. */
  readonly symbols?: string;
};

/** Memory as words of the CPU, starting at an address. */
export type Words = { readonly at: bigint; readonly words: readonly (bigint | number)[] };

export type Scene = {
  readonly cpu?: CpuName;
  readonly os?: OsName;
  readonly registers: RegisterValues;
  readonly stack?: Words;
  /** Additional memory regions. */
  readonly memory?: readonly Words[];
  readonly modules?: readonly SceneModule[];
  readonly limits?: ProcessOptions['limits'];
  /** Other parts of the dump. */
  readonly more?: Partial<DumpDescription>;
};

const CPUS = {
  x86: { architecture: 0, write: writeX86Context },
  amd64: { architecture: 9, write: writeAmd64Context },
  arm: { architecture: 5, write: writeArmContext },
  arm64: { architecture: 12, write: writeArm64Context },
} as const;

const PLATFORMS: Partial<Record<OsName, number>> = {
  windows: 2,
  macos: 0x8101,
  ios: 0x8102,
  linux: 0x8201,
  android: 0x8203,
};

export const SCENE_THREAD = 77;

/** Walks the scene, which has one thread, the crashed one. */
export function walkScene(scene: Scene): Report {
  const { limits } = scene;
  return processMinidump(writeScene(scene), { symbols: symbolsOf(scene), ...(limits && { limits }) });
}

/** Returns frames as `game!draw scan`; without a function as `game+0x10 scan`, without a module as `0x10 scan`. */
export function framesOf(scene: Scene): string[] {
  return (walkScene(scene).threads[0]?.frames ?? []).map(formatFrame);
}

function formatFrame({ module, function: name, trust, offset, module_offset: moduleOffset }: Frame): string {
  const short = (hex: string | null) => `0x${BigInt(hex ?? 0).toString(16)}`;
  if (module === null) return `${short(offset)} ${trust}`;
  return `${module}${name === null ? `+${short(moduleOffset)}` : `!${name}`} ${trust}`;
}

export function writeScene({
  cpu = 'amd64',
  os = 'linux',
  registers,
  stack,
  memory = [],
  modules = [],
  more,
}: Scene): Uint8Array {
  const { architecture, write } = CPUS[cpu];
  const wordSize = cpu === 'amd64' || cpu === 'arm64' ? 8 : 4;
  const context = write(registers);
  const pieces = memory.map((words) => toMemory(words, wordSize));
  const stackPiece = stack && toMemory(stack, wordSize);
  return writeDump({
    system: { processorArchitecture: architecture, platformId: PLATFORMS[os] ?? 0x8201, cpuCount: 1 },
    threads: [{ id: SCENE_THREAD, context, ...(stackPiece && { stack: stackPiece }) }],
    exception: { threadId: SCENE_THREAD, code: 11, flags: 1, context },
    modules: modules.map(({ name, base, size = 0x10000 }) => ({ name, base, size })),
    memory: pieces,
    ...more,
  });
}

function toMemory({ at, words }: Words, wordSize: 4 | 8): MemoryDescription {
  const bytes = new Uint8Array(words.length * wordSize);
  const view = new DataView(bytes.buffer);
  for (const [index, word] of words.entries()) {
    if (wordSize === 8) view.setBigUint64(index * 8, BigInt.asUintN(64, BigInt(word)), true);
    else view.setUint32(index * 4, Number(word), true);
  }
  return { start: at, bytes };
}

/** Provides the symbols of the modules, by module name. */
export function symbolsOf({
  modules = [],
  cpu = 'amd64',
  os = 'linux',
}: Pick<Scene, 'modules' | 'cpu' | 'os'>): SymbolSource {
  const compiled = new Map<string, ModuleSymbols>();
  for (const { name, symbols } of modules) {
    if (symbols !== undefined)
      compiled.set(name, compile(`MODULE ${os} ${cpu} ${'0'.repeat(33)} ${name}\n${symbols}\n`));
  }
  return { find: ({ codeFile }) => compiled.get(codeFile) };
}

/** Compiles the text of a symbol file in memory. */
export function compile(text: string): ModuleSymbols {
  const pieces: Uint8Array[] = [];
  const compiler = new SymbolCompiler({ write: (bytes) => pieces.push(Uint8Array.from(bytes)) });
  compiler.write(Buffer.from(text));
  compiler.finish();
  return openSymbolCache(new MemoryRangeReader(Buffer.concat(pieces)));
}
