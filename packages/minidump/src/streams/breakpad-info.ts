// The streams that Breakpad's client adds: BreakpadInfoStream with the threads that wrote and that requested the dump,
// and AssertionInfoStream.
import type { StreamKind } from '../minidump.ts';
import { decodeUtf16 } from './strings.ts';

type BreakpadInfo = {
  /** The thread that wrote the dump, which is not interesting itself; undefined if another process wrote it. */
  readonly dumpThreadId: number | undefined;
  /** The thread that crashed or requested the dump. */
  readonly requestingThreadId: number | undefined;
};

const HAS_DUMP_THREAD = 0x1;
const HAS_REQUESTING_THREAD = 0x2;

export const BREAKPAD_INFO: StreamKind<BreakpadInfo> = {
  type: 0x47670001,
  name: 'BreakpadInfoStream',
  read: ({ bytes }) => {
    const validity = bytes.u32(0);
    return {
      dumpThreadId: (validity & HAS_DUMP_THREAD) !== 0 ? bytes.u32(4) : undefined,
      requestingThreadId: (validity & HAS_REQUESTING_THREAD) !== 0 ? bytes.u32(8) : undefined,
    };
  },
};

// AssertionInfoStream: an error that the Windows C runtime detected, as recorded by Breakpad.

type Assertion = {
  /** The three texts are '' in release builds of the C runtime, which do not provide them. */
  readonly expression: string;
  readonly function: string;
  readonly file: string;
  readonly line: number;
  readonly kind: 'unknown' | 'invalid parameter' | 'pure virtual call';
};

const TEXT_SIZE = 256;
const KINDS: ReadonlyMap<number, Assertion['kind']> = new Map([
  [1, 'invalid parameter'],
  [2, 'pure virtual call'],
]);

/** Undefined for a stream of zeros, which Breakpad writes if there was no assertion. */
export const ASSERTION: StreamKind<Assertion | undefined> = {
  type: 0x47670002,
  name: 'AssertionInfoStream',
  read: ({ bytes }) => {
    const cursor = bytes.cursor();
    const text = () => decodeUtf16(cursor.window(TEXT_SIZE));
    const [expression, callee, file] = [text(), text(), text()];
    const line = cursor.u32();
    const kind = KINDS.get(cursor.u32()) ?? 'unknown';
    const empty = kind === 'unknown' && expression === '' && callee === '' && file === '' && line === 0;
    return empty ? undefined : { expression, function: callee, file, line, kind };
  },
};
