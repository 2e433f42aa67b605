// Formats the report as text, in the layout of Breakpad's minidump_stackwalk.
import { baseName } from './base-name.ts';
import type { CrashInfo, Frame, InlineFrame, ModuleReport, Report, Thread, Trust } from './report.ts';

/** The wording of minidump_stackwalk, which its users know. */
const FOUND_BY: Readonly<Record<Trust, string>> = {
  context: 'given as instruction pointer in context',
  signal: 'registers saved for the signal handler',
  cfi: 'call frame info',
  cfi_scan: 'call frame info with scanning',
  leaf: 'simulating a return from leaf function',
  frame_pointer: "previous frame's frame pointer",
  scan: 'stack scanning',
};

const LINE_WIDTH = 80;

/** Formats the whole report, ending with a line break. Unprintable characters are replaced: they could control a terminal. */
export function formatReport(report: Report): string {
  const blocks = [
    formatSystem(report),
    formatCrash(report),
    ...orderThreads(report).map((index) => formatThread(report.threads[index]!, index, report.crash_info)),
    formatModules(report),
    formatUnloaded(report),
    report.warnings.length === 0 ? '' : ['Warnings:', ...report.warnings.map((warning) => `  ${warning}`)].join('\n'),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`.replace(UNPRINTABLE, '\u{fffd}');
}

/** Control characters except the line break, and characters that change the writing direction. */
const UNPRINTABLE = /[^\P{C}\n]/gu;

function formatSystem({ system_info: system }: Report): string {
  const count = system.cpu_count === 1 ? '1 CPU' : `${system.cpu_count} CPUs`;
  return [
    `Operating system: ${system.os}`,
    `                  ${system.os_ver}`,
    `CPU: ${system.cpu_arch}`,
    ...(system.cpu_info === null ? [] : [`     ${system.cpu_info}`]),
    `     ${count}`,
  ].join('\n');
}

function formatCrash({ crash_info: crash, signature, process_uptime: uptime }: Report): string {
  const lines =
    crash.type === null
      ? ['No crash']
      : [`Crash reason:  ${crash.type}`, `Crash address: ${shorten(crash.address ?? '0x0')}`];
  if (crash.assertion !== null) lines.push(`Assertion:     ${crash.assertion}`);
  lines.push(`Signature:     ${signature.signature}`);
  lines.push(`Process uptime: ${uptime === null ? 'not available' : `${uptime} seconds`}`);
  return lines.join('\n');
}

/** The crashed thread first. */
function orderThreads({ threads, crash_info: { crashing_thread: crashed } }: Report): number[] {
  return [...threads.keys()].toSorted((a, b) => Number(b === crashed) - Number(a === crashed));
}

function formatThread(thread: Thread, index: number, crash: CrashInfo): string {
  const isCrashed = index === crash.crashing_thread;
  const mark = !isCrashed ? '' : crash.type === null ? ' (requested the dump)' : ' (crashed)';
  const name = thread.thread_name === null ? '' : ` ${thread.thread_name}`;
  const lines = [`Thread ${index}${name}${mark} - tid: ${thread.thread_id}`];
  if (thread.last_error_value !== null) lines.push(`Last error: ${thread.last_error_value}`);
  if (thread.frames.length === 0) lines.push(' <no frames>');
  let number = 0;
  for (const frame of thread.frames) {
    for (const inline of frame.inlines) lines.push(...formatInline(inline, number++, frame));
    if (frame.inlines_truncated) lines.push('    … more inlined functions not shown');
    lines.push(...formatFrame(frame, number++));
  }
  if (thread.truncated !== null) lines.push(` … the walk stopped at the ${thread.truncated} limit`);
  return lines.join('\n');
}

function formatInline({ function: name, file, line }: InlineFrame, number: number, frame: Frame): string[] {
  const place = file === null || line === null ? '' : ` [${baseName(file)} : ${line}]`;
  return [`${pad(number)}  ${frame.module}!${name}${place}`, '    Found by: inlining'];
}

function formatFrame(frame: Frame, number: number): string[] {
  const registers = formatRegisters(frame.registers);
  return [`${pad(number)}  ${formatPlace(frame)}`, ...registers, `    Found by: ${FOUND_BY[frame.trust]}`];
}

function formatPlace(frame: Frame): string {
  const { module, module_offset: moduleOffset, function: name, function_offset: functionOffset, file, line } = frame;
  if (module === null) return [shorten(frame.offset), ...frame.unloaded_modules.map(formatUnloadedAt)].join(' ');
  if (name === null) return `${module} + ${shorten(moduleOffset ?? '0x0')}`;
  if (file === null || line === null) return `${module}!${name} + ${shorten(functionOffset ?? '0x0')}`;
  return `${module}!${name} [${baseName(file)} : ${line} + 0x${(frame.line_offset ?? 0).toString(16)}]`;
}

function formatUnloadedAt({ module, offsets }: Frame['unloaded_modules'][number]): string {
  return `(unloaded ${module}@${offsets.map(shorten).join('|')})`;
}

function formatRegisters(registers: Frame['registers']): string[] {
  const lines: string[] = [];
  let line = '   ';
  for (const [name, value] of Object.entries(registers)) {
    const next = ` ${name.padStart(3)} = ${value}`;
    if (line.length + next.length > LINE_WIDTH) {
      lines.push(line);
      line = '   ';
    }
    line += next;
  }
  return line.trim() === '' ? lines : [...lines, line];
}

function formatModules({ modules, main_module: main }: Report): string {
  const lines = modules.map((module, index) => {
    const marks = [index === main ? '(main)' : '', formatSymbols(module)].filter((mark) => mark !== '');
    const range = `${module.base_addr} - ${module.end_addr}`;
    return [range, module.filename, module.version ?? '???', ...marks].join('  ');
  });
  return ['Loaded modules:', ...lines].join('\n');
}

function formatSymbols({ symbols, symbol_problem: problem, debug_file: file, debug_id: id }: ModuleReport): string {
  if (symbols === 'missing') return `(WARNING: No symbols, ${file}, ${id})`;
  return symbols === 'corrupt' ? `(WARNING: Corrupt symbols, ${file}, ${id}: ${problem})` : '';
}

function formatUnloaded({ unloaded_modules: modules }: Report): string {
  if (modules.length === 0) return '';
  const lines = modules.map((module) => `${module.base_addr} - ${module.end_addr}  ${module.filename}`);
  return ['Unloaded modules:', ...lines].join('\n');
}

function pad(number: number): string {
  return String(number).padStart(2);
}

/** Removes leading zeros: `0x14`. */
function shorten(hex: string): string {
  return `0x${hex.slice(2).replace(/^0+(?=.)/, '')}`;
}
