// Reads every stream of every dump of the corpus, and compares the content with the output of reference stackwalkers.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Minidump } from '../minidump.ts';
import { ModuleMap } from '../module-map.ts';
import { HANDLE_DATA } from './handle-data.ts';
import { LINUX_MAPS } from './linux-maps.ts';
import { LINUX_PROC_STATUS } from './linux-proc.ts';
import { MISC_INFO } from './misc-info.ts';
import { MODULES, type Module, UNLOADED_MODULES } from './modules.ts';
import { STREAMS } from './streams.ts';
import { SYSTEM_INFO } from './system-info.ts';
import { THREAD_NAMES, THREADS } from './threads.ts';

const CORPUS = new URL('../../../../../shared/corpus/', import.meta.url);
const skip = existsSync(CORPUS) ? false : 'skipped: corpus not found';
const CASES = skip ? [] : readdirSync(new URL('open/', CORPUS));
const HOSTILE = skip ? [] : readdirSync(new URL('hostile/', CORPUS));

/** The warnings of damaged dumps. */
const WARNINGS: Readonly<Record<string, readonly string[]>> = {
  // Edited by hand, which damaged a line of its memory maps.
  bp_linux_executable_stack: ['LinuxMapsStream: unreadable lines: 1'],
};

/** The part of the reference's output that is compared. */
type Reference = {
  readonly modules: readonly ReferenceModule[];
  readonly unloaded_modules: readonly { readonly filename: string; readonly base_addr: string }[];
  readonly system_info: {
    readonly os: string;
    readonly os_ver: string;
    readonly cpu_arch: string;
    readonly cpu_info: string | null;
    readonly cpu_count: number;
  };
  readonly handles: readonly ReferenceHandle[] | null;
  readonly linux_memory_map_count: number | null;
  readonly pid: number | null;
  readonly process_uptime: number | null;
  readonly threads: readonly { readonly thread_id: number; readonly thread_name: string | null }[];
};

type ReferenceHandle = {
  readonly handle: number;
  readonly type_name: string | null;
  readonly object_name: string | null;
};

type ReferenceModule = {
  readonly base_addr: string;
  readonly end_addr: string;
  readonly filename: string;
  readonly code_id: string;
  readonly debug_file: string;
  readonly debug_id: string;
  readonly version: string | null;
};

function readCase(name: string): { dump: Minidump; reference: Reference } {
  const folder = new URL(`open/${name}/`, CORPUS);
  const reference = JSON.parse(gunzipSync(readFileSync(new URL('rustminidump.json.gz', folder))).toString());
  return { dump: new Minidump(readFileSync(new URL('case.dmp', folder))), reference };
}

test('reads the streams of all corpus dumps, with warnings only for damaged ones', { skip }, () => {
  for (const name of CASES) {
    const { dump } = readCase(name);
    for (const kind of STREAMS) dump.stream(kind);
    assert.deepEqual(dump.warnings, WARNINGS[name] ?? [], name);
  }
});

test('reads the same ids, names, ranges and versions of modules as the reference', { skip }, () => {
  for (const name of CASES) {
    const { dump, reference } = readCase(name);
    assert.deepEqual(dump.stream(MODULES)?.map(toComparable), reference.modules.map(referenceToComparable), name);
    const unloaded = dump.stream(UNLOADED_MODULES)?.map(({ base, codeFile }) => [base, codeFile]) ?? [];
    assert.deepEqual(
      unloaded,
      reference.unloaded_modules.map((module) => [BigInt(module.base_addr), module.filename]),
      name,
    );
  }
});

test('reads the same modules as Breakpad, in the order of their addresses', { skip }, () => {
  for (const name of CASES) {
    const { dump } = readCase(name);
    const { byAddress, main } = new ModuleMap(dump.stream(MODULES) ?? []);
    const lines = byAddress.map((module) => formatBreakpadLine(module, module === main));
    assert.deepEqual(lines, readBreakpadModules(name), name);
  }
});

test('reads the same operating system and CPU as the reference', { skip }, () => {
  for (const name of CASES) {
    const { dump, reference } = readCase(name);
    const { cpu, cpuInfo, cpuCount, version, servicePack } = dump.stream(SYSTEM_INFO)!;
    const expected = reference.system_info;
    assert.deepEqual(
      { cpu, cpuInfo, cpuCount },
      { cpu: expected.cpu_arch, cpuInfo: expected.cpu_info ?? '', cpuCount: expected.cpu_count },
      name,
    );
    const release = `${version.major}.${version.minor}.${version.build} ${servicePack}`.trim();
    // Breakpad's Linux client writes no version numbers; the reference takes them from the output of `uname`.
    if (!release.startsWith('0.0.0')) assert.equal(release, expected.os_ver, name);
    else assert.ok(servicePack.startsWith(`Linux ${expected.os_ver}`), name);
  }
});

test('reads the same handles of Windows dumps as the reference', { skip }, () => {
  for (const name of CASES) {
    const { dump, reference } = readCase(name);
    const handles = dump.stream(HANDLE_DATA)?.map(({ handle, typeName, objectName }) => ({
      handle: Number(handle),
      type_name: typeName || null,
      object_name: objectName || null,
    }));
    if (reference.handles !== null) assert.deepEqual(handles, reference.handles, name);
  }
});

test('reads the same number of mappings of Linux dumps as the reference', { skip }, () => {
  for (const name of CASES) {
    const { dump, reference } = readCase(name);
    const count = reference.linux_memory_map_count;
    if (count !== null) assert.equal(dump.stream(LINUX_MAPS)?.length, count, name);
  }
});

test('reads the same threads, thread names, process id and uptime as the reference', { skip }, () => {
  for (const name of CASES) {
    const { dump, reference } = readCase(name);
    const names = dump.stream(THREAD_NAMES);
    assert.deepEqual(
      dump.stream(THREADS)?.map(({ id }) => [id, names?.get(id) ?? null]),
      reference.threads.map((thread) => [thread.thread_id, thread.thread_name]),
      name,
    );
    const created = dump.stream(MISC_INFO)?.processTimes?.create;
    const uptime = created === undefined ? null : dump.timestamp - created;
    assert.equal(uptime, reference.process_uptime, name);
    const fromProc = dump.stream(LINUX_PROC_STATUS)?.find(([key]) => key === 'Pid')?.[1];
    assert.equal(dump.stream(MISC_INFO)?.processId ?? Number(fromProc), reference.pid, name);
  }
});

test('throws only MinidumpErrors for hostile dumps', { skip }, () => {
  for (const name of HOSTILE) {
    try {
      const dump = new Minidump(readFileSync(new URL(`hostile/${name}/case.dmp`, CORPUS)));
      for (const kind of STREAMS) dump.stream(kind);
    } catch (error) {
      assert.equal((error as Error).name, 'MinidumpError', name);
    }
  }
});

function toComparable(module: Module) {
  return {
    base: module.base,
    end: module.base + BigInt(module.size),
    file: fileName(module.codeFile),
    codeId: module.codeId,
    debugFile: module.debugFile,
    debugId: module.debugId,
    version: module.version,
  };
}

/** `Module|game.exe|1.2.3.4|game.pdb|…0|0x400000|0x40ffff|1`: name, version, debug file and id, first and last address, main. */
function formatBreakpadLine({ base, size, codeFile, version = '', debugFile, debugId }: Module, main: boolean): string {
  const last = base + BigInt(size) - 1n;
  const range = `0x${base.toString(16).padStart(8, '0')}|0x${last.toString(16).padStart(8, '0')}`;
  return `Module|${fileName(codeFile)}|${version}|${debugFile}|${debugId}|${range}|${main ? 1 : 0}`;
}

function readBreakpadModules(name: string): string[] {
  const text = readFileSync(new URL(`open/${name}/stackwalk.m.txt`, CORPUS), 'utf8');
  // Breakpad prints a build id of zeros unchanged; here it is unknown.
  const lines = text.replaceAll(/\|0{33}\|/g, '||').split('\n');
  return lines.filter((line) => line.startsWith('Module|'));
}

function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? '';
}

/** The reference prints an unknown debug id as zeros, and only the file name of a path. */
function referenceToComparable(module: ReferenceModule): ReturnType<typeof toComparable> {
  return {
    base: BigInt(module.base_addr),
    end: BigInt(module.end_addr),
    file: module.filename,
    codeId: module.code_id,
    debugFile: module.debug_file,
    debugId: /^0+$/.test(module.debug_id) ? '' : module.debug_id,
    version: module.version ?? undefined,
  };
}
