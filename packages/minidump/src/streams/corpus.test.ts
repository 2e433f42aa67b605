// Reads every stream of every dump of the corpus, and compares with what a reference stackwalker said of it.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Minidump } from '../minidump.ts';
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
  readonly pid: number | null;
  readonly process_uptime: number | null;
  readonly threads: readonly { readonly thread_id: number; readonly thread_name: string | null }[];
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

test('The streams of all corpus dumps are read without a warning.', { skip }, () => {
  for (const name of CASES) {
    const { dump } = readCase(name);
    for (const kind of STREAMS) dump.stream(kind);
    assert.deepEqual(dump.warnings, [], name);
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
    const pid = dump.stream(MISC_INFO)?.processId;
    if (pid !== undefined) assert.equal(pid, reference.pid, name);
  }
});

test('The hostile dumps throw nothing but a MinidumpError.', { skip }, () => {
  for (const name of HOSTILE) {
    try {
      const dump = new Minidump(readFileSync(new URL(`hostile/${name}`, CORPUS)));
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
    file: module.codeFile.split(/[/\\]/).at(-1),
    codeId: module.codeId,
    debugFile: module.debugFile,
    debugId: module.debugId,
    version: module.version,
  };
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
