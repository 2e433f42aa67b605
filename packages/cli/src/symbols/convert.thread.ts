// A thread that converts native files to symbol files, and counts what is in symbol files.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { convertFileInThreads } from '@chauffeur/debug-symbols/convert-file';
import { identityRecords } from '@chauffeur/debug-symbols/identity';
import type { Module, ThreadOrder, ThreadReply, ThreadTask } from './threads.ts';

const PORTION_BYTES = 1024 * 1024;

parentPort?.on('message', async (order: ThreadOrder) => parentPort?.postMessage(await replyTo(order)));

async function replyTo({ task, threads }: ThreadOrder): Promise<ThreadReply> {
  try {
    return { module: task.kind === 'convert' ? await convert(task, threads) : count(task.path) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

async function convert(task: ThreadTask & { kind: 'convert' }, threads: number): Promise<Module> {
  const { path, out, maxBytes, counterpart, cpu, splitFiles } = task;
  const {
    identity,
    writer,
    counterpart: found,
  } = await convertFileInThreads(path, {
    ...{ splitFiles, threads },
    ...(counterpart !== undefined && { counterpart }),
    ...(cpu !== undefined && { cpu }),
  });
  const file = new HashedFile(out, maxBytes);
  try {
    for (const records of writer.write(identityRecords(identity))) file.write(records);
  } finally {
    file.close();
    writer.close();
  }
  return {
    ...{ path: out, ...file.result() },
    ...{ cpu: identity.cpu, debugFile: identity.name, debugId: identity.debugId, codeId: identity.codeId ?? null },
    counterpart: found ?? null,
  };
}

/** A new symbol file that is written in portions of whole lines, with its size, its SHA-256 and what is in it. */
class HashedFile {
  readonly #descriptor: number;
  readonly #maxBytes: number;
  readonly #hash = createHash('sha256');
  readonly #counts: Counts = { functions: 0, publics: 0, lines: 0, frames: 0 };
  #size = 0;
  #pending = '';

  constructor(path: string, maxBytes: number) {
    this.#descriptor = openSync(path, 'wx', 0o600);
    this.#maxBytes = maxBytes;
  }

  write(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= PORTION_BYTES) this.#flush();
  }

  close(): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#descriptor);
    }
  }

  result() {
    return { size: this.#size, sha256: this.#hash.digest('hex'), ...resultOf(this.#counts) };
  }

  #flush(): void {
    const bytes = Buffer.from(this.#pending);
    this.#pending = '';
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) throw new Error('its symbols are larger than the server accepts');
    this.#hash.update(bytes);
    countRecords(bytes, this.#counts);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done);
  }
}

const LINE_END = 0x0a;
const MODULE = /^MODULE[ \t]+\S+[ \t]+(\S+)[ \t]+(\S+)[ \t]+(.+?)\r?\n/;
const CODE_ID = /^INFO CODE_ID (\S+)/m;

/** Counts the records of a symbol file. */
function count(path: string): Module {
  const counts: Counts = { functions: 0, publics: 0, lines: 0, frames: 0 };
  const hash = createHash('sha256');
  let size = 0;
  let start = '';
  for (const portion of portionsOf(path)) {
    if (size === 0) start = portion.toString('utf8', 0, 4096);
    hash.update(portion);
    size += portion.length;
    countRecords(portion, counts);
  }
  const [, cpu = '', debugId = '', debugFile = ''] = MODULE.exec(start) ?? [];
  return {
    ...{ path, size, sha256: hash.digest('hex'), ...resultOf(counts) },
    ...{ cpu, debugFile, debugId, codeId: CODE_ID.exec(start)?.[1] ?? null, counterpart: null },
  };
}

/** Yields the file in whole lines, apart from lines that are longer than a portion. */
function* portionsOf(path: string): Generator<Buffer> {
  const descriptor = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(PORTION_BYTES);
    for (let kept = 0; ; ) {
      const read = readSync(descriptor, buffer, kept, buffer.length - kept, null);
      const filled = kept + read;
      const lastLine = buffer.lastIndexOf(LINE_END, filled - 1);
      const end = read === 0 || lastLine < 0 ? filled : lastLine + 1;
      if (filled === 0) return;
      yield buffer.subarray(0, end);
      buffer.copyWithin(0, end, filled);
      kept = filled - end;
      if (read === 0) return;
    }
  } finally {
    closeSync(descriptor);
  }
}

type Counts = { functions: number; publics: number; lines: number; frames: number };

function resultOf({ functions, publics, lines, frames }: Counts) {
  return { functions, publics, lines, hasUnwind: frames > 0 };
}

function countRecords(portion: Buffer, counts: Counts): void {
  for (let at = 0; at < portion.length; ) {
    const first = portion[at]!;
    if (isLine(first)) counts.lines += 1;
    else if (startsWith(portion, at, 'FUNC ')) counts.functions += 1;
    else if (startsWith(portion, at, 'PUBLIC ')) counts.publics += 1;
    else if (startsWith(portion, at, 'STACK ')) counts.frames += 1;
    const end = portion.indexOf(LINE_END, at);
    if (end < 0) return;
    at = end + 1;
  }
}

/** A record of a line begins with its address, in small letters. */
function isLine(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66);
}

function startsWith(bytes: Buffer, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}
