// Turns the trace of a text report into the record of the API and into text, as a stack of a dump is.
import type { CrashStack, StackFrame } from '@chauffeur/contract/operations/crash-stacks';
import type { RelatedException, Trace, TraceException, TraceFrame } from '../text/trace.ts';
import type { FoundFiles } from './report-list.sql.ts';

/** The system is what the report says. */
export function traceStackOf(
  { format, main, related }: Trace,
  { os, arch, received_at }: Pick<FoundFiles, 'os' | 'arch' | 'received_at'>,
): CrashStack {
  return {
    format,
    written_at: received_at.toISOString(),
    reason: main.type || null,
    address: null,
    assertion: main.message || null,
    uptime_seconds: null,
    system: { os, os_version: '', cpu: arch, cpu_info: null, cpu_count: 0 },
    crashed: { thread_id: 0, name: null, frames: main.frames.map(frameOf), more_frames: 0, cut: false },
    related: related.map(({ relation, type, message, frames }) => ({
      relation,
      type,
      message,
      frames: frames.map(frameOf),
    })),
    registers: {},
    threads: [],
    more_threads: 0,
    modules: [],
    more_modules: 0,
    warnings: [],
  };
}

function frameOf({ path: _, ...frame }: TraceFrame): StackFrame {
  return { ...frame, trust: 'text', inlined: false };
}

const RELATIONS: Readonly<Record<RelatedException['relation'], string>> = {
  consequence: 'Led to',
  suppressed: 'Suppressed',
  handled: 'While handling',
  sibling: 'Also',
};

/** Formats a trace for a download, with the main exception first. */
export function formatTrace({ main, related }: Trace): string {
  const others = related.map((each) => `${RELATIONS[each.relation]}: ${formatException(each)}`);
  return `${[formatException(main), ...others].join('\n\n')}\n`;
}

function formatException({ type, message, frames }: TraceException): string {
  const head = [type, message].filter((text) => text !== '').join(': ') || 'Error';
  return [head, ...frames.map(formatFrame)].join('\n');
}

function formatFrame({ function: name, module, offset, file, line, column }: TraceFrame, index: number): string {
  const code = name ?? (offset === null ? '(unknown)' : offset);
  const position = [line, column].filter((each) => each !== null).join(':');
  const place = file === null ? '' : `  ${position === '' ? file : `${file}:${position}`}`;
  return `${String(index).padStart(3)}  ${module === null ? '' : `${module}!`}${code}${place}`;
}
