// Reads every stream of every dump of the corpus, and compares with what a reference stackwalker said of it.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Minidump } from '../minidump.ts';
import { ModuleMap } from '../module-map.ts';
import { HANDLE_DATA } from './handle-data.ts';
import { LINUX_MAPS } from './linux-maps.ts';
import { LINUX_PROC_STATUS } from './linux-proc-status.ts';
import { MISC_INFO } from './misc-info.ts';
import { MODULES, type Module } from './modules.ts';
import { STREAMS } from './streams.ts';
import { SYSTEM_INFO } from './system-info.ts';
import { THREAD_NAMES } from './thread-names.ts';
import { THREADS } from './threads.ts';
import { UNLOADED_MODULES } from './unloaded-modules.ts';

const CORPUS = new URL('../../../../../shared/corpus/', import.meta.url);
const skip = existsSync(CORPUS) ? false : 'skipped: corpus not found';
const CASES = skip ? [] : readdirSync(new URL('open/', CORPUS));
const HOSTILE = skip ? [] : readdirSync(new URL('hostile/', CORPUS));

/** Dumps that something is wrong with, and what. */
const WARNINGS: Readonly<Record<string, readonly string[]>> = {
  // Made by hand from another one, with a line of its maps left in pieces.
  bp_linux_executable_stack: ['LinuxMapsStream: 1 lines cannot be read'],
};

/** What the reference printed, as far as it is compared. */
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

test('The streams of all corpus dumps are read, without a warning where nothing is wrong.', { skip }, () => {
  for (const name of CASES) {
    const { dump } = readCase(name);
    for (const kind of STREAMS) dump.stream(kind);
    assert.deepEqual(dump.warnings, WARNINGS[name] ?? [], name);
  }
});

test('Modules of the corpus have the ids, names, places and versions that the reference gives them.', { skip }, () => {
  for (const name of CASES) {
    const { dump, reference } = readCase(name);
    assert.deepEqual(dump.stream(MODULES)?.map(inReferenceWords), reference.modules.map(comparable), name);
    const unloaded = dump.stream(UNLOADED_MODULES)?.map(({ base, codeFile }) => [base, codeFile]) ?? [];
    assert.deepEqual(
      unloaded,
      reference.unloaded_modules.map((module) => [BigInt(module.base_addr), module.filename]),
      name,
    );
  }
});

test('Modules of the corpus are also what Breakpad prints of them, in the order of their addresses.', { skip }, () => {
  for (const name of CASES) {
    const { dump } = readCase(name);
    const { byAddress, main } = new ModuleMap(dump.stream(MODULES) ?? []);
    const lines = byAddress.map((module) => inBreakpadWords(module, module === main));
    assert.deepEqual(lines, readBreakpadModules(name), name);
  }
});

test('The system and CPU of the corpus dumps are what the reference says.', { skip }, () => {
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
    // Breakpad’s writer on Linux gives no numbers; the reference then takes them out of the text of `uname`.
    if (!release.startsWith('0.0.0')) assert.equal(release, expected.os_ver, name);
    else assert.ok(servicePack.startsWith(`Linux ${expected.os_ver}`), name);
  }
});

test('The handles of the Windows corpus dumps are those of the reference.', { skip }, () => {
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

test('The mappings of the Linux corpus dumps are as many as the reference counts.', { skip }, () => {
  for (const name of CASES) {
    const { dump, reference } = readCase(name);
    const count = reference.linux_memory_map_count;
    if (count !== null) assert.equal(dump.stream(LINUX_MAPS)?.length, count, name);
  }
});

test('Threads, their names, process id and uptime of the corpus dumps are what the reference says.', { skip }, () => {
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

test('The hostile dumps throw nothing but a MinidumpError.', { skip }, () => {
  for (const name of HOSTILE) {
    try {
      const dump = new Minidump(readFileSync(new URL(`hostile/${name}/case.dmp`, CORPUS)));
      for (const kind of STREAMS) dump.stream(kind);
    } catch (error) {
      assert.equal((error as Error).name, 'MinidumpError', name);
    }
  }
});

function inReferenceWords(module: Module) {
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

/** `Module|game.exe|1.2.3.4|game.pdb|…0|0x400000|0x40ffff|1`: name, version, debug file and id, first and last byte, main. */
function inBreakpadWords({ base, size, codeFile, version = '', debugFile, debugId }: Module, main: boolean): string {
  const last = base + BigInt(size) - 1n;
  const place = `0x${base.toString(16).padStart(8, '0')}|0x${last.toString(16).padStart(8, '0')}`;
  return `Module|${fileName(codeFile)}|${version}|${debugFile}|${debugId}|${place}|${main ? 1 : 0}`;
}

function readBreakpadModules(name: string): string[] {
  const text = readFileSync(new URL(`open/${name}/stackwalk.m.txt`, CORPUS), 'utf8');
  // It prints a build id of zeros as the id that it is; for us it is unknown.
  const lines = text.replaceAll(/\|0{33}\|/g, '||').split('\n');
  return lines.filter((line) => line.startsWith('Module|'));
}

function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? '';
}

/** The reference writes an unknown debug id as zeros, and only the file’s name of a path. */
function comparable(module: ReferenceModule): ReturnType<typeof inReferenceWords> {
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
