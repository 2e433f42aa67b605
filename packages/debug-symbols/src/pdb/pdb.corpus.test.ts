// Compares the symbols of real PDBs with the results of the reference converters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySource } from '../byte-source.ts';
import { runSteps } from '../threads/run-steps.ts';
import { openPdb } from './pdb.ts';
import { readPdb } from './read-pdb.ts';
import { CORPUS_MISSING, CollectingSink, listCases, readCasePdb, readCorpusText } from './test-symbols.ts';

/** What a symbol file says, in forms that are easy to compare. */
interface Symbols {
  module: string;
  /** `address size`, and the name. */
  functions: Map<string, string>;
  /** Path and line by address, for each byte. */
  lines: Map<number, string>;
  /** The depths and names of inlined functions by address, for each byte. */
  inlines: Map<number, string[]>;
  /** STACK WIN records with a program. */
  frames: Set<string>;
}

for (const name of listCases()) {
  test(`reads the same symbols as the reference from ${name}`, { skip: CORPUS_MISSING }, () => {
    const moved = readCorpusText(name, 'upstream-breakpad.sym.gz');
    const isMoved = name.includes('omap') && moved !== undefined;
    const reference = parse(
      isMoved
        ? moved
        : (readCorpusText(name, 'reference.pdb-only.sym.gz') ?? readCorpusText(name, 'reference.sym.gz') ?? ''),
    );
    const symbols = readSymbols(readCasePdb(name));
    assert.ok(reference.module.startsWith(symbols.module), reference.module);
    // Breakpad's own converter has other names, and a part of a function for padding between others.
    if (isMoved) checkShare([...reference.functions.keys()], symbols.functions, 0.99);
    else assert.deepEqual(symbols.functions, reference.functions);
    // The line that the reference gives to code inlined in several places is often wrong: see `function-lines.ts`.
    checkShare([...reference.lines].map(String), new Set([...symbols.lines].map(String)), 0.95);
    checkShare(formatChains(reference), new Set(formatChains(symbols)), 0.96);
    checkShare([...reference.frames], symbols.frames, 0.99);
  });
}

function checkShare(expected: string[], actual: { has(item: string): boolean }, share: number): void {
  const missing = expected.filter((item) => !actual.has(item));
  assert.ok(
    missing.length <= expected.length * (1 - share),
    `${missing.length} of ${expected.length} differ, such as ${missing.slice(0, 3).join('; ')}`,
  );
}

function readSymbols(bytes: Uint8Array): Symbols {
  const pdb = openPdb(new MemorySource(bytes));
  const sink = new CollectingSink();
  runSteps(readPdb(pdb, sink, { demangle: (name) => name }));
  const symbols = createSymbols();
  symbols.module = `MODULE windows ${pdb.cpu} ${pdb.debugId}`;
  for (const { address, size, name, lines, inlines } of sink.functions) {
    symbols.functions.set(formatPlace(address, size), name);
    for (const line of lines) paint(symbols.lines, line.address, line.size, `${sink.files[line.file]}:${line.line}`);
    for (const { depth, origin, ranges } of inlines) nest(symbols, ranges, `${depth} ${sink.origins[origin]}`);
  }
  for (const frame of sink.frames) {
    const { address, size, parameterSize, savedRegisterSize, localSize, program } = frame;
    if (frame.type !== 4) continue;
    const sizes = [address, size, parameterSize, savedRegisterSize, localSize].map((value) => value.toString(16));
    symbols.frames.add(`${sizes.join(' ')} ${program}`);
  }
  return symbols;
}

function parse(text: string): Symbols {
  const symbols = createSymbols();
  const files = new Map<string, string>();
  const origins = new Map<string, string>();
  for (const record of text.split(/\r?\n/)) {
    const fields = record.split(' ');
    if (fields[0] === 'MODULE') symbols.module = record;
    else if (fields[0] === 'FILE') files.set(fields[1]!, fields.slice(2).join(' '));
    else if (fields[0] === 'INLINE_ORIGIN') origins.set(fields[1]!, fields.slice(2).join(' '));
    else if (fields[0] === 'FUNC') {
      if (fields[1] === 'm') fields.splice(1, 1);
      const place = formatPlace(Number.parseInt(fields[1]!, 16), Number.parseInt(fields[2]!, 16));
      symbols.functions.set(place, fields.slice(4).join(' '));
    } else if (fields[0] === 'INLINE') {
      const ranges = fields.slice(5).map((value) => Number.parseInt(value, 16));
      nest(symbols, ranges, `${fields[1]} ${origins.get(fields[4]!)}`);
    } else if (record.startsWith('STACK WIN 4')) {
      const [address, size, , , parameters, registers, locals, , , ...program] = fields.slice(3);
      symbols.frames.add([address, size, parameters, registers, locals, program.join(' ').trim()].join(' '));
    } else if (/^[0-9a-f]+ [0-9a-f]+ \d+ \d+$/.test(record)) {
      const [address, size] = fields.slice(0, 2).map((value) => Number.parseInt(value, 16));
      paint(symbols.lines, address!, size!, `${files.get(fields[3]!)}:${fields[2]}`);
    }
  }
  return symbols;
}

function createSymbols(): Symbols {
  return { module: '', functions: new Map(), lines: new Map(), inlines: new Map(), frames: new Set() };
}

function formatPlace(address: number, size: number): string {
  return `${address.toString(16)} ${size.toString(16)}`;
}

function paint(bytes: Map<number, string>, address: number, size: number, text: string): void {
  for (let at = address; at < address + size; at++) bytes.set(at, text);
}

function nest({ inlines }: Symbols, ranges: readonly number[], call: string): void {
  for (let index = 0; index < ranges.length; index += 2) {
    const start = ranges[index]!;
    for (let at = start; at < start + ranges[index + 1]!; at++) {
      const calls = inlines.get(at);
      if (calls === undefined) inlines.set(at, [call]);
      else calls.push(call);
    }
  }
}

function formatChains({ inlines }: Symbols): string[] {
  return [...inlines].map(([address, calls]) => `${address.toString(16)} ${calls.toSorted().join(', ')}`);
}
