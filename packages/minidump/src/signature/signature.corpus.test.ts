// Compares signatures with those of a reference generator for the same frames, and lists where ours differ and why.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Case, CORPUS_MISSING, readCases } from '../../test/corpus.ts';
import { frameOf } from '../../test/frame.ts';
import type { OsName } from '../streams/system-info.ts';
import { labelFrames } from './frames/label-frames.ts';
import { defaultLists } from './lists/signature-lists.ts';
import { makeSignature } from './signature.ts';

const FOLDER = join(import.meta.dirname, '../../../../../shared/corpus/open');

type Expected = { readonly signature: string; readonly normalized_frames: readonly string[] };

/** Dumps for which our signature differs from the reference on purpose: our signature, and the reason. */
const DIFFERENCES: Readonly<Record<string, readonly [ours: string, why: string]>> = {
  bp_linux_overflow: [
    'overflow',
    'abort() and the runtime frames around it are skipped; __fsetlocking is the nearest name in a stripped libc',
  ],
  bp_linux_raise_sigabrt: ['driver', 'the libpthread frames of an abort are skipped'],
  bp_linux_stacksmash: ['stack_smash', '__stack_chk_fail is a sentinel; the frames above it print the message'],
  cr_arm64_pure_virtual: ['ui::Widget::Init', 'the libc and libstdc++ frames of an abort are skipped'],
  cr_arm64_smashed_stack: [
    'ld-linux.so | libc.so.6 | ld-linux.so | serve',
    'the loader has one name for all CPUs and is a prefix',
  ],
  cr_arm64_uncaught_exception: [
    'abort',
    'pthread_key_delete is the nearest name in a stripped libc; the stack ends in libstdc++',
  ],
  cr_arm_div_zero: ['libc.so.6 | ~MinidumpWriter', 'a repeated module is named once'],
  cr_arm_requested: ['hang_report', 'the code that writes the dump is skipped'],
  cr_x86_64_pure_virtual: ['ui::Widget::Init', 'the libc and libstdc++ frames of an abort are skipped'],
  cr_x86_64_uncaught_exception: [
    'load_config',
    'this function threw the exception; pthread_key_delete is the nearest name, as above',
  ],
  cr_x86_requested: ['hang_report', 'the code that writes the dump is skipped'],
  sy_macos_arm64_truncated_cfi: [
    'libsystem_platform.dylib | trigger_crash',
    'a system library without symbols is a prefix',
  ],
};

/** Labels that differ from the reference's: our label, and the reason. */
const LABELS: Readonly<Record<string, readonly [ours: string, why: string]>> = {
  'google_breakpad::ConvertUTF8toUTF32 ': [
    'google_breakpad::ConvertUTF8toUTF32',
    'the space before [clone .cold] is removed too',
  ],
  'std::vector<T>& (anonymous namespace)::Cache<T>::get<T>': [
    '(anonymous namespace)::Cache<T>::get<T>',
    "the return type is removed even if the function's template arguments contain `operator()`",
  ],
  'main::$::operator() const::{lambda#1}::operator()': [
    'main::$::operator()::{lambda}::operator()',
    'const inside a path is removed too, and so is the number of a lambda',
  ],
  'libc-2.13.so': ['libc.so.6', 'one name for all versions'],
  'libc-2.19.so': ['libc.so.6', 'one name for all versions'],
  'libc-2.23.so': ['libc.so.6', 'one name for all versions'],
  'libpthread-2.19.so': ['libpthread.so.0', 'one name for all versions'],
  'ld-2.19.so': ['ld-linux.so', 'one name for all versions'],
  'ld-2.23.so': ['ld-linux.so', 'one name for all versions'],
  'ld-linux-x86-64.so.2': ['ld-linux.so', 'one name for all CPUs'],
  'ld-linux-aarch64.so.1': ['ld-linux.so', 'one name for all CPUs'],
  'ld-linux-armhf.so.3': ['ld-linux.so', 'one name for all CPUs'],
  'ld-linux.so.2': ['ld-linux.so', 'one name for all CPUs'],
  __libc_free: ['free', 'one name for all C libraries'],
};

describe('signatures of the corpus', { skip: CORPUS_MISSING }, () => {
  for (const dump of readCases()) {
    const expected = readExpected(dump.name);

    it(`${dump.name}: the labels match the reference`, () => {
      const labels = labelFrames(framesOf(dump), osOf(dump), defaultLists.trim).map(({ label }) => label);
      const theirs = expected.normalized_frames.map((label) => LABELS[label]?.[0] ?? label);
      assert.deepEqual(labels.slice(0, theirs.length), theirs);
    });

    it(`${dump.name}: the signature matches the reference, or differs on purpose`, () => {
      const { reason } = dump.breakpad;
      const { signature } = makeSignature({ os: osOf(dump), reason, frames: framesOf(dump) });
      assert.equal(signature, DIFFERENCES[dump.name]?.[0] ?? expected.signature);
    });
  }

  it('differ in every case listed in the table', () => {
    for (const [name, [ours]] of Object.entries(DIFFERENCES)) assert.notEqual(readExpected(name).signature, ours);
  });
});

function readExpected(name: string): Expected {
  return JSON.parse(readFileSync(join(FOLDER, name, 'signature.socorro.json'), 'utf8')) as Expected;
}

/** The frames from the machine-readable format. For a dump without a crash, those of its first thread, as in the reference. */
function framesOf({ name, breakpad }: Case) {
  const thread = String(breakpad.crashedThread ?? 0);
  const lines = readFileSync(join(FOLDER, name, 'stackwalk.m.txt'), 'utf8').split('\n');
  const rows = lines.map((line) => line.split('|')).filter((row) => row[0] === thread && row.length > 5);
  return rows.map(([, frame, module, name, file, line, offset]) =>
    frameOf({
      frame: Number(frame),
      offset: offset ?? '0x0',
      module: module || null,
      function: name || null,
      file: file || null,
      line: line ? Number(line) : null,
    }),
  );
}

function osOf({ os }: Case): OsName {
  return os === 'Windows NT' ? 'windows' : os.startsWith('Mac') ? 'macos' : 'linux';
}
