// What is stored of a trace in the row of its report, for lists, the search and the report's page.
import type { Trace, TraceFrame } from '../text/trace.ts';

/** A frame as the column `frames` has it, like those of dumps. */
type StoredFrame = Pick<TraceFrame, 'function' | 'module' | 'file' | 'line' | 'offset'> & {
  /** The text says so; nothing was walked. */
  readonly trust: 'text';
  readonly inlined: false;
};

export type StoredTrace = {
  readonly trace: Trace | null;
  readonly frames: readonly StoredFrame[] | null;
  /** The names of all functions, each once. */
  readonly functions: readonly string[];
};

const MAX_FUNCTIONS = 256;

export function storedTraceOf(trace: Trace | null): StoredTrace {
  if (trace === null) return { trace, frames: null, functions: [] };
  const all = [trace.main, ...trace.related].flatMap(({ frames }) => frames);
  const names = new Set(all.flatMap(({ function: name }) => name ?? []));
  return { trace, frames: trace.main.frames.map(storedFrame), functions: [...names].slice(0, MAX_FUNCTIONS) };
}

function storedFrame({ function: name, module, file, line, offset }: TraceFrame): StoredFrame {
  return { function: name, module, file, line, offset, trust: 'text', inlined: false };
}
