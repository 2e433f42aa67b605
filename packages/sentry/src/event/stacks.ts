// Reads stacks: frames of managed and native code, in the order of our own reports.
import { addressOf, formatAddress } from '../ids.ts';
import { redactAddress, redactText } from '../privacy.ts';
import { countOf, entriesOf, fieldOf, flagOf, isFields, lineOf, listOf, textOf } from '../values.ts';
import type { Pair, SentryFrame, SentryThread, Stack } from './event.ts';

export const STACK_LIMITS = {
  /** The limit for one stack. The innermost frames are kept: in an endless recursion, the others say nothing. */
  frames: 250,
  /** The limit for all stacks of an event together. */
  totalFrames: 20_000,
  threads: 512,
  nameLength: 512,
  fileLength: 512,
  sourceLines: 10,
  sourceLength: 250,
  registers: 64,
} as const;

const NO_STACK: Stack = { frames: [], moreFrames: 0, registers: [] };

/** What is left of the frames of all stacks of an event. */
export type FrameBudget = { frames: number };

/** A stack from an object with `frames`; empty without one. The caller sent the outermost frame first. */
export function stackOf(value: unknown, budget: FrameBudget): Stack {
  const sent = fieldOf(value, 'frames');
  if (!Array.isArray(sent) || sent.length === 0) return NO_STACK;
  const max = Math.min(STACK_LIMITS.frames, budget.frames);
  const all = (max === 0 ? [] : sent.slice(-max)).reverse().filter(isFields).map(frameOf);
  budget.frames -= all.length;
  return {
    frames: withoutClient(all),
    moreFrames: Math.max(0, sent.length - max),
    registers: registersOf(fieldOf(value, 'registers')),
    ...returnsOf(fieldOf(value, 'instruction_addr_adjustment')),
  };
}

/** Those of Android's tombstones are adjusted already, and Unity says whether those of IL2CPP are. */
function returnsOf(value: unknown): Pick<Stack, 'returns'> {
  const text = lineOf(value, 16);
  return text === 'all' || text === 'all_but_first' || text === 'none' ? { returns: text } : {};
}

/** Functions of the client for Rust, whose names begin with those of its crates. */
const CLIENT_FUNCTION = /^<?sentry_(?:core|panic|backtrace|contexts|tracing|log|anyhow|slog|tower|minidump)::/;

/**
 * A stack that a client took of itself begins with its own functions, which that of Rust sends if it doesn't know the
 * names of the compiler's version. What is between them, such as the standard library, is of no use either.
 */
function withoutClient(frames: readonly SentryFrame[]): readonly SentryFrame[] {
  const game = frames.findIndex(({ isInApp }) => isInApp === true);
  const before = game < 0 ? frames : frames.slice(0, game);
  const last = before.findLastIndex(({ function: name }) => CLIENT_FUNCTION.test(name));
  return last + 1 < frames.length ? frames.slice(last + 1) : frames;
}

function registersOf(value: unknown): Pair[] {
  return entriesOf(value, STACK_LIMITS.registers).flatMap(([name, register]) => {
    const address = addressOf(register);
    return address === null ? [] : [[lineOf(name, 16).toLowerCase(), formatAddress(address)] as const];
  });
}

/** Names that clients write for none. */
const UNNAMED = /^(?:\?+|<unknown>|\(unknown\)|<null>|unknown|(?:.{0,200}\.)?wasm-function\[\d{1,9}\])$/i;

function frameOf(frame: Readonly<Record<string, unknown>>): SentryFrame {
  const path = redactAddress(lineOf(frame.abs_path, STACK_LIMITS.fileLength));
  const file = redactAddress(lineOf(frame.filename, STACK_LIMITS.fileLength));
  const name = redactText(lineOf(frame.function, STACK_LIMITS.nameLength));
  return {
    function: UNNAMED.test(name) ? '' : name,
    module: lineOf(frame.module, STACK_LIMITS.nameLength),
    file: file || path,
    path: path === file ? '' : path,
    line: countOf(frame.lineno, 10_000_000) || null,
    column: countOf(frame.colno, 10_000_000),
    isInApp: flagOf(frame.in_app),
    platform: lineOf(frame.platform, 32).toLowerCase(),
    package: redactText(lineOf(frame.package, STACK_LIMITS.fileLength)),
    address: addressOf(frame.instruction_addr),
    relativeTo: relativeTo(frame.addr_mode),
    trust: lineOf(frame.trust, 32).toLowerCase(),
    source: sourceOf(frame),
  };
}

/** `rel:2` says that the address is relative to the third image. */
function relativeTo(value: unknown): number | null {
  const number = /^rel:(\d{1,5})$/.exec(lineOf(value, 16))?.[1];
  return number === undefined ? null : Number(number);
}

function sourceOf(frame: Readonly<Record<string, unknown>>): SentryFrame['source'] {
  const line = sourceLine(frame.context_line);
  const linesOf = (lines: unknown) => (Array.isArray(lines) ? lines : []);
  const before = linesOf(frame.pre_context).slice(-STACK_LIMITS.sourceLines).map(sourceLine);
  const after = linesOf(frame.post_context).slice(0, STACK_LIMITS.sourceLines).map(sourceLine);
  return line === '' && before.length === 0 && after.length === 0 ? null : { before, line, after };
}

function sourceLine(value: unknown): string {
  return redactText(textOf(value, STACK_LIMITS.sourceLength)).replace(/[\r\n]+$/, '');
}

/** The threads, the crashed one first if there are too many. */
export function threadsOf(value: unknown, budget: FrameBudget): SentryThread[] {
  const sent = listOf(value).filter(isFields);
  const isCrashed = (thread: Readonly<Record<string, unknown>>) => flagOf(thread.crashed) === true;
  const kept =
    sent.length > STACK_LIMITS.threads
      ? [...sent.filter(isCrashed), ...sent.filter((thread) => !isCrashed(thread))].slice(0, STACK_LIMITS.threads)
      : sent;
  return kept.map((thread) => ({
    id: lineOf(thread.id, 64),
    name: redactText(lineOf(thread.name, 128)),
    isCrashed: isCrashed(thread),
    isCurrent: flagOf(thread.current) === true,
    stack: stackOf(thread.stacktrace, budget),
  }));
}
