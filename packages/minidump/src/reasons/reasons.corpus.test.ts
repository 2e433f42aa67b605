// Compares the reasons and crash addresses of real dumps with two reference stackwalkers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CORPUS_MISSING, readCases } from '../../test/corpus.ts';
import { Minidump } from '../minidump.ts';
import { EXCEPTION } from '../streams/exception.ts';
import { SYSTEM_INFO } from '../streams/system-info.ts';
import { type CrashReason, explainCrash } from './reasons.ts';

const FOLDER = join(import.meta.dirname, '../../../../../shared/corpus/open');

describe('crash reasons of the corpus', { skip: CORPUS_MISSING }, () => {
  for (const { name, dump, breakpad, rust } of readCases()) {
    it(`${name}: the reason is rust-minidump's, or Breakpad's if rust-minidump has no name for the code`, () => {
      const ours = explain(dump)?.type ?? 'No crash';
      const named = rust.reason.startsWith('unknown ') ? breakpad.reason : rust.reason;
      assert.equal(ours, named);
    });

    it(`${name}: the address is Breakpad's`, () => {
      const address = explain(dump)?.address;
      assert.equal(address === undefined ? '' : `0x${address.toString(16)}`, readAddress(name));
    });
  }
});

function explain(file: Uint8Array): CrashReason | undefined {
  const dump = new Minidump(file);
  const exception = dump.stream(EXCEPTION);
  return exception && explainCrash(exception, dump.stream(SYSTEM_INFO));
}

/** Reads the address from a line such as `Crash|SIGSEGV /SEGV_MAPERR|0x1c|0`; empty if the program did not crash. */
function readAddress(name: string): string | undefined {
  const lines = readFileSync(join(FOLDER, name, 'stackwalk.m.txt'), 'utf8').split('\n');
  return lines.find((line) => line.startsWith('Crash|'))?.split('|')[2];
}
