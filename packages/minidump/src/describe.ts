// Converts the results of a walk into the format of the report.
import { baseName } from './base-name.ts';
import type { Cpu, Registers } from './contexts/cpu.ts';
import type { Frame, Hex, ModuleReport, SystemInfoReport, UnloadedModuleReport } from './report.ts';
import type { Module, UnloadedModule } from './streams/modules.ts';
import type { OsName, SystemInfo } from './streams/system-info.ts';
import type { Outcome } from './symbols/loaded-symbols.ts';
import type { StackFrame } from './unwind/unwinder.ts';

const OS_TITLES: Readonly<Record<OsName, string>> = {
  windows: 'Windows NT',
  macos: 'Mac OS X',
  ios: 'iOS',
  linux: 'Linux',
  android: 'Android',
  solaris: 'Solaris',
  ps3: 'PS3',
  nacl: 'NaCl',
  fuchsia: 'Fuchsia',
  unknown: 'unknown',
};

/** Formats a number as `0x` and lower-case hex digits, padded to a word of `wordSize` bytes. */
export function toHex(value: bigint | number, wordSize: number): Hex {
  return `0x${value.toString(16).padStart(wordSize * 2, '0')}`;
}

export function describeSystem(system: SystemInfo | undefined): SystemInfoReport {
  if (system === undefined)
    return { os: OS_TITLES.unknown, os_ver: '', cpu_arch: 'unknown', cpu_info: null, cpu_count: 0 };
  const { os, platformId, version, servicePack, cpu, processorArchitecture, cpuInfo, cpuCount } = system;
  return {
    os: os === 'unknown' ? `unknown 0x${platformId.toString(16)}` : OS_TITLES[os],
    os_ver: describeVersion(version, servicePack),
    cpu_arch: cpu ?? `cpu 0x${processorArchitecture.toString(16)}`,
    cpu_info: cpuInfo === '' ? null : cpuInfo,
    cpu_count: cpuCount,
  };
}

/** Breakpad's Linux client writes no version numbers, only the output of `uname`: `Linux 6.1.0-13-amd64 #1 SMP …`. */
function describeVersion({ major, minor, build }: SystemInfo['version'], servicePack: string): string {
  if (major === 0 && minor === 0 && build === 0 && servicePack !== '') return servicePack.replace(/^Linux /, '');
  return `${major}.${minor}.${build} ${servicePack}`.trim();
}

export function describeModule(module: Module, outcome: Outcome | undefined, wordSize: number): ModuleReport {
  return {
    base_addr: toHex(module.base, wordSize),
    end_addr: toHex(module.base + BigInt(module.size), wordSize),
    filename: baseName(module.codeFile),
    code_file: module.codeFile,
    code_id: module.codeId,
    debug_file: module.debugFile,
    debug_id: module.debugId,
    version: module.version ?? null,
    symbols: outcome?.state ?? 'not_needed',
    symbol_problem: outcome?.state === 'corrupt' ? outcome.problem : null,
  };
}

export function describeUnloaded({ base, size, codeFile }: UnloadedModule, wordSize: number): UnloadedModuleReport {
  const end = base + BigInt(size);
  return { base_addr: toHex(base, wordSize), end_addr: toHex(end, wordSize), filename: baseName(codeFile) };
}

export function describeFrame(frame: StackFrame, index: number, cpu: Cpu, unloaded: readonly UnloadedModule[]): Frame {
  const { instruction, module, place, registers } = frame;
  const offset = module && instruction - module.base;
  const functionOffset = place?.function === undefined ? undefined : Number(offset) - place.functionStart;
  return {
    frame: index,
    trust: frame.trust,
    offset: toHex(instruction, cpu.wordSize),
    return_address: toHex(registers.get(cpu.instructionPointer)!, cpu.wordSize),
    module: module === undefined ? null : baseName(module.codeFile),
    module_offset: offset === undefined ? null : toHex(offset, cpu.wordSize),
    function: place?.function ?? null,
    function_offset: functionOffset === undefined ? null : toHex(functionOffset, cpu.wordSize),
    file: place?.file ?? null,
    line: place?.line ?? null,
    line_offset: place?.lineStart === undefined ? null : Number(offset) - place.lineStart,
    inlines: (place?.inlines ?? []).map(({ function: name, file, line }) => ({
      function: name,
      file: file ?? null,
      line: line ?? null,
    })),
    ...(place?.hasMoreInlines && { inlines_truncated: true }),
    missing_symbols: frame.symbols === undefined,
    unloaded_modules: module === undefined ? describeUnloadedAt(instruction, unloaded, cpu.wordSize) : [],
    registers: describeRegisters(registers, cpu),
  };
}

/** The unloaded modules that contained the address, each once with all possible offsets. */
function describeUnloadedAt(
  address: bigint,
  unloaded: readonly UnloadedModule[],
  wordSize: number,
): Frame['unloaded_modules'] {
  const candidates = unloaded.filter(({ base, size }) => address >= base && address < base + BigInt(size));
  const byName = Map.groupBy(candidates, ({ codeFile }) => baseName(codeFile));
  return [...byName].map(([module, ranges]) => ({
    module,
    offsets: [...new Set(ranges.map(({ base }) => toHex(address - base, wordSize)))],
  }));
}

function describeRegisters(registers: Registers, { registers: names, wordSize }: Cpu): Record<string, Hex> {
  const described: Record<string, Hex> = {};
  for (const name of names) {
    const value = registers.get(name);
    if (value !== undefined) described[name] = toHex(value, wordSize);
  }
  return described;
}
