// A small C++ game for four toolchains, which really crashes here: programs of Linux as they are, and those of Windows and
// macOS, which call nothing of their systems, in a loader of our own. What the crash leaves becomes a dump.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeAmd64Context } from '../../packages/minidump/test/dump-writer/contexts.ts';
import type { ModuleDescription } from '../../packages/minidump/test/dump-writer/description.ts';
import { writeDump } from '../../packages/minidump/test/dump-writer/dump-writer.ts';
import { type ProgramImage, readMachoImage, readPeImage } from './program-image.ts';

const run = promisify(execFile);

export const SOURCES = join(import.meta.dirname, '..', 'native-game');
const PARTS = ['knight', 'main', 'world'];
const FLAGS = ['-std=c++17', '-g', '-O2'];
/** Visual Studio and Xcode always write unwind tables. */
const FREESTANDING = [
  ...['-ffreestanding', '-fno-stack-protector', '-fno-exceptions', '-fno-rtti', '-nostdinc++', '-funwind-tables'],
];

export const NO_COMPILERS = 'skipped: needs an x86-64 CPU and gcc, g++, clang, lld and llvm';

/** Whether everything is there. With CI=true, throws if a program is missing. */
export async function hasCompilers(): Promise<boolean> {
  const programs = ['gcc', 'g++', 'clang++', 'lld', 'lld-link', 'dsymutil', 'readelf', 'objcopy', 'strip'];
  return arch() === 'x64' && hasPrograms(programs);
}

/** With CI=true, throws if a program is missing. */
export async function hasPrograms(programs: readonly string[]): Promise<boolean> {
  const missing: string[] = [];
  for (const program of programs) await run('which', [program]).catch(() => missing.push(program));
  if (missing.length > 0 && process.env.CI === 'true') throw new Error(`not found: ${missing.join(', ')}`);
  return missing.length === 0;
}

export type NativeGame = {
  /** What the build leaves behind: the program, and debug files next to it. */
  readonly folder: string;
  readonly program: string;
  /** The program as players have it. */
  readonly played: string;
  /** Plays the game until it crashes. Returns a dump as a crash reporter writes it. */
  crash(): Promise<Uint8Array<ArrayBuffer>>;
};

export type Toolchain = {
  readonly name: string;
  readonly os: 'linux' | 'windows' | 'macos';
  build(folder: string): Promise<NativeGame>;
};

export const TOOLCHAINS: readonly Toolchain[] = [
  { name: 'GCC', os: 'linux', build: (folder) => buildForLinux(folder, 'g++') },
  { name: 'Clang', os: 'linux', build: (folder) => buildForLinux(folder, 'clang++') },
  { name: 'Clang and lld-link, with a PDB', os: 'windows', build: buildForWindows },
  { name: 'Clang and dsymutil, with a dSYM', os: 'macos', build: buildForMac },
];

/** Players have a stripped copy, which the crash is of. */
export async function buildForLinux(
  work: string,
  compiler: 'g++' | 'clang++',
  flags: readonly string[] = [],
): Promise<NativeGame> {
  const { folder, players } = await foldersIn(work);
  const [program, played] = [join(folder, 'game'), join(players, 'game')];
  const recorder = await buildRecorder(players);
  const sources = PARTS.map((part) => join(SOURCES, `${part}.cc`));
  await run(compiler, [...FLAGS, ...flags, '-Wl,--build-id', ...sources, recorder, '-o', program]);
  await run('strip', ['-o', played, program]);
  return {
    folder,
    program,
    played,
    async crash() {
      const record = await recordCrash(played, (path) => [path], join(players, 'record'));
      const modules = await mappedModules(record.maps);
      // A dump begins with the program.
      modules.sort((a, b) => Number(b.name === played) - Number(a.name === played));
      return dumpOf(record, { system: 0x8201, code: record.signal, modules, maps: record.maps });
    },
  };
}

/** The program and the libraries of the system that it uses. */
async function mappedModules(maps: string): Promise<(ModuleDescription & { name: string })[]> {
  const ranges = maps.split('\n').flatMap((line) => {
    const [, start, end, name] = /^([0-9a-f]+)-([0-9a-f]+) .* (\/.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ start: BigInt(`0x${start}`), end: BigInt(`0x${end}`), name }];
  });
  const modules: (ModuleDescription & { name: string })[] = [];
  for (const [name, parts] of Map.groupBy(ranges, (range) => range.name)) {
    const base = parts[0]!.start;
    const codeView = { kind: 'elf', buildId: await buildIdOf(name) } as const;
    modules.push({ name, base, size: Number(parts.at(-1)!.end - base), codeView });
  }
  return modules;
}

/** The build id of an ELF file, in lower case; '' if it has none. */
export async function buildIdOf(path: string): Promise<string> {
  const { stdout } = await run('readelf', ['-n', path]);
  return /Build ID: ([0-9a-f]+)/.exec(stdout)?.[1] ?? '';
}

/** Moves what debug files have in common to another file, to which they then refer. Returns its path. */
export async function shareDebugInformation(files: readonly string[], to: string): Promise<string> {
  await run('dwz', ['-m', to, ...files]);
  return to;
}

/** Writes the debug information of an ELF program to a separate file, without the code. Returns its path. */
export async function splitDebugFile(program: string): Promise<string> {
  await run('objcopy', ['--only-keep-debug', program, `${program}.debug`]);
  return `${program}.debug`;
}

/** Without debug information, the program has no id of a PDB either. */
export async function buildForWindows(work: string, { hasDebug = true } = {}): Promise<NativeGame> {
  const { folder, players } = await foldersIn(work);
  const program = join(folder, 'game.exe');
  const target = ['--target=x86_64-pc-windows-msvc', '-gcodeview', ...FREESTANDING];
  const objects = await compileParts(players, target);
  const link = ['/nodefaultlib', '/entry:entry_point', '/subsystem:console', ...(hasDebug ? ['/debug'] : [])];
  await run('lld-link', [...link, `/out:${program}`, ...objects]);
  return {
    folder,
    program,
    played: program,
    async crash() {
      const image = readPeImage(await readFile(program));
      const { record, module } = await crashImage(players, { program, system: 'windows', image });
      const codeView = image.guid !== '' && ({ kind: 'pdb70', ...idOf(image), file: 'C:\\build\\game.pdb' } as const);
      const name = 'C:\\Games\\Knights\\game.exe';
      const modules = [{ ...module, name, timestamp: image.timestamp, ...(codeView && { codeView }) }];
      return dumpOf(record, { system: 2, code: 0xc0000005, parameters: [0n, record.address], modules });
    },
  };
}

async function buildForMac(work: string): Promise<NativeGame> {
  const { folder, players } = await foldersIn(work);
  const program = join(folder, 'game');
  const objects = await compileParts(players, ['--target=x86_64-apple-macos11.0', ...FREESTANDING]);
  const link = ['-flavor', 'darwin', '-arch', 'x86_64', '-platform_version', 'macos', '11.0', '11.0', '-e', '_main'];
  await run('lld', [...link, '-undefined', 'dynamic_lookup', '-o', program, ...objects]);
  await run('dsymutil', [program, '-o', `${program}.dSYM`]);
  return {
    folder,
    program,
    played: program,
    async crash() {
      const image = readMachoImage(await readFile(program));
      const { record, module } = await crashImage(players, { program, system: 'macos', image });
      const name = '/Applications/Knights.app/Contents/MacOS/game';
      const codeView = { kind: 'pdb70', ...idOf(image), file: 'game' } as const;
      return dumpOf(record, { system: 0x8101, code: 1, flags: 1, modules: [{ ...module, name, codeView }] });
    },
  };
}

const idOf = ({ guid, age }: ProgramImage) => ({ guid, age });

async function foldersIn(work: string): Promise<{ folder: string; players: string }> {
  const [folder, players] = [join(work, 'build'), join(work, 'players')];
  for (const path of [folder, players]) await mkdir(path, { recursive: true });
  return { folder, players };
}

async function compileParts(to: string, flags: readonly string[]): Promise<string[]> {
  const objects = PARTS.map((part) => ({ source: join(SOURCES, `${part}.cc`), object: join(to, `${part}.o`) }));
  for (const { source, object } of objects) await run('clang++', [...flags, ...FLAGS, '-c', source, '-o', object]);
  return objects.map(({ object }) => object);
}

async function buildRecorder(to: string): Promise<string> {
  const object = join(to, 'crash-recorder.o');
  await run('gcc', ['-O1', '-Wall', '-Wextra', '-Werror', '-c', join(SOURCES, 'crash-recorder.c'), '-o', object]);
  return object;
}

type Loaded = {
  readonly program: string;
  readonly system: 'windows' | 'macos';
  readonly image: ProgramImage;
};

async function crashImage(
  work: string,
  { program, system, image }: Loaded,
): Promise<{ record: CrashRecord; module: Pick<ModuleDescription, 'base' | 'size'> }> {
  const loader = join(work, 'run-image');
  const flags = ['-O1', '-Wall', '-Wextra', '-Werror'];
  await run('gcc', [...flags, join(SOURCES, 'run-image.c'), await buildRecorder(work), '-o', loader]);
  const segments = image.segments.map(({ address, offset, fileSize, memorySize }) =>
    [address, offset, fileSize, memorySize].map((number) => number.toString(16)).join(':'),
  );
  const args = (path: string) => [program, path, system, image.entry.toString(16), ...segments];
  const record = await recordCrash(loader, args, join(work, 'record'));
  return { record, module: { base: image.base, size: image.size } };
}

type CrashRecord = {
  readonly signal: number;
  readonly address: bigint;
  readonly registers: Readonly<Record<string, bigint>>;
  readonly stack: { readonly start: bigint; readonly bytes: Uint8Array };
  /** The text of `/proc/self/maps`. */
  readonly maps: string;
};

/** The registers that `crash-recorder.c` writes, in its order. */
const REGISTERS = 'rip rsp rbp rax rbx rcx rdx rsi rdi r8 r9 r10 r11 r12 r13 r14 r15'.split(' ');

/** Runs a program until it crashes. */
async function recordCrash(program: string, args: (path: string) => string[], path: string): Promise<CrashRecord> {
  const child = spawn(program, args(path), { stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  if (signal !== 'SIGSEGV') throw new Error(`${program} ended with ${code ?? signal} instead of crashing`);
  const bytes = await readFile(path);
  const word = (index: number) => bytes.readBigUInt64LE(8 * index);
  const registers = Object.fromEntries(REGISTERS.map((name, index) => [name, word(2 + index)]));
  const head = 2 + REGISTERS.length;
  const [stackAt, size] = [8 * (head + 2), Number(word(head + 1))];
  return {
    signal: Number(word(0)),
    address: word(1),
    registers,
    stack: { start: word(head), bytes: bytes.subarray(stackAt, stackAt + size) },
    maps: bytes.toString('utf8', stackAt + size),
  };
}

type Facts = {
  /** The platform in the dump. */
  readonly system: number;
  readonly code: number;
  readonly flags?: number;
  readonly parameters?: readonly bigint[];
  readonly modules: readonly ModuleDescription[];
  readonly maps?: string;
};

function dumpOf(
  { registers, address, stack }: CrashRecord,
  { system, modules, maps, ...exception }: Facts,
): Uint8Array<ArrayBuffer> {
  const context = writeAmd64Context(registers);
  return new Uint8Array(
    writeDump({
      system: { processorArchitecture: 9, platformId: system, cpuCount: 4 },
      threads: [{ id: 1, context, stack }],
      exception: { threadId: 1, address, context, ...exception },
      modules,
      ...(maps !== undefined && { linux: { maps } }),
    }),
  );
}
