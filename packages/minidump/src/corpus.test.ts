// Compares the walker with two reference stackwalkers on real dumps, as far as both agree and neither guesses.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Case, CORPUS_MISSING, type ReferenceFrame, readCases, readHostile } from '../test/corpus.ts';
import { MinidumpError } from './error.ts';
import { processMinidump } from './process.ts';
import type { Frame, Report } from './report.ts';
import { SymbolDirectory } from './symbols/directory.ts';

describe('the corpus', { skip: CORPUS_MISSING }, () => {
  const cacheFolder = mkdtempSync(join(tmpdir(), 'minidump-corpus-'));
  const rows = new Map<string, Row>();
  after(() => {
    rmSync(cacheFolder, { recursive: true, force: true });
    process.stdout.write(formatTable(rows));
  });

  for (const testCase of readCases()) {
    it(`${testCase.name}: reason, crashed thread and frames match where the references agree`, () => {
      const report = walk(testCase, cacheFolder);
      const row = rowOf(rows, testCase);
      row.cases += 1;
      checkReason(testCase, report, row);
      const problems = compareThreads(testCase, report, row);
      assert.deepEqual(problems, []);
    });
  }

  for (const { name, dump } of readHostile()) {
    it(`${name}: returns a report or throws a MinidumpError`, () => {
      try {
        assert.ok(processMinidump(dump).threads.length >= 0);
      } catch (error) {
        assert.ok(error instanceof MinidumpError, String(error));
      }
    });
  }
});

function walk({ dump, symbols }: Case, cacheFolder: string): Report {
  const source = new SymbolDirectory(symbols === undefined ? [] : [symbols], { cacheFolder });
  try {
    return processMinidump(dump, { symbols: source });
  } finally {
    source.close();
  }
}

function checkReason({ breakpad, rust }: Case, report: Report, row: Row): void {
  assert.equal(report.crash_info.crashing_thread ?? undefined, rust.crashedThread ?? breakpad.crashedThread);
  const ours = withoutSpaces(report.crash_info.type ?? 'No crash');
  const agreed = withoutSpaces(breakpad.reason) === withoutSpaces(rust.reason);
  if (agreed) assert.equal(ours, withoutSpaces(rust.reason));
  if (agreed) row.reasons += 1;
}

/** The references put different spaces around the slash. */
function withoutSpaces(reason: string): string {
  return reason.replaceAll(' ', '');
}

function compareThreads({ breakpad, rust }: Case, report: Report, row: Row): string[] {
  const problems: string[] = [];
  for (const [index, thread] of report.threads.entries()) {
    const agreed = agreedFrames(breakpad.threads.get(index) ?? [], rust.threads.get(index) ?? []);
    const ours = thread.frames.flatMap(expandFrame);
    row.frames += agreed.length;
    for (const [number, expected] of agreed.entries()) {
      const actual = ours[number];
      if (actual !== undefined && isSame(actual, expected)) row.same += 1;
      else problems.push(`thread ${index} frame ${number}: ${formatFrame(actual)} instead of ${formatFrame(expected)}`);
    }
  }
  return problems;
}

/** The frames up to the first one where the references differ or both guess. */
function agreedFrames(a: readonly ReferenceFrame[], b: readonly ReferenceFrame[]): ReferenceFrame[] {
  const end = a.findIndex((frame, index) => {
    const other = b[index];
    return other === undefined || !isSame(frame, other) || (frame.guessed && other.guessed);
  });
  return a.slice(0, end < 0 ? a.length : end);
}

type Named = Omit<ReferenceFrame, 'guessed'>;

function isSame(a: Named, b: Named): boolean {
  return a.module === b.module && a.function === b.function && a.file === b.file && a.line === b.line;
}

function formatFrame(frame: Named | undefined): string {
  return frame === undefined ? 'nothing' : `${frame.module}!${frame.function} [${frame.file}:${frame.line}]`;
}

function expandFrame(frame: Frame): Named[] {
  return [...frame.inlines, frame].map(({ function: name, file, line }) => ({
    module: frame.module ?? '',
    function: name ?? '',
    file: file ?? '',
    line: line === null ? '' : String(line),
  }));
}

/** The results for one operating system and CPU. */
type Row = { cases: number; reasons: number; frames: number; same: number };

function rowOf(rows: Map<string, Row>, { os, cpu }: Case): Row {
  const key = `${os} ${cpu}`;
  const row = rows.get(key) ?? { cases: 0, reasons: 0, frames: 0, same: 0 };
  rows.set(key, row);
  return row;
}

function formatTable(rows: ReadonlyMap<string, Row>): string {
  const lines = [...rows].map(([key, { cases, reasons, frames, same }]) =>
    [key.padEnd(20), cases, reasons, frames, same].map((cell) => String(cell).padStart(8)).join(''),
  );
  const head = ['system'.padEnd(20), 'cases', 'reasons', 'frames', 'same'].map((cell) => cell.padStart(8)).join('');
  return `${[head, ...lines].join('\n')}\n`;
}
