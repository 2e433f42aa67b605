// Turns log lines into lines for people, for a server that runs in a terminal.
import { styleText } from 'node:util';
import type { DestinationStream } from 'pino';

const STYLES: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};
/** Shown before the message, or not at all. */
const HEAD = new Set(['level', 'time', 'msg', 'err']);
/** The text of a nested field is cut to this many characters. */
const MAX_FIELD = 200;

type Line = Readonly<Record<string, unknown>> & {
  readonly level?: string;
  readonly time?: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
};

/** A destination for `createLog` that writes formatted lines with `write`. */
export function terminalLines(write: (text: string) => void): DestinationStream {
  return { write: (json) => write(formatLine(json)) };
}

/**
 * A log line as `12:30:05 warn  the message  game=… state=…`, with the local time, and for an error its stack in the
 * lines below.
 */
function formatLine(json: string): string {
  const line = JSON.parse(json) as Line;
  const { level = 'info', time, msg = '', err } = line;
  const fields = Object.entries(line)
    .filter(([name]) => !HEAD.has(name))
    .map(([name, value]) => `${name}=${formatField(value)}`);
  const clock = time === undefined ? '' : new Date(time).toTimeString().slice(0, 8);
  const style = STYLES[level];
  const name = level.padEnd(5);
  // Each part on one line: a message may contain what a client sent.
  const text = [clock, style === undefined ? name : styleText(style, name), oneLine(msg), ...fields.map(dim)].join(' ');
  return err === undefined ? `${text}\n` : `${text}\n${indent(err.stack ?? err.message ?? '')}\n`;
}

function formatField(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return oneLine(text.length > MAX_FIELD ? `${text.slice(0, MAX_FIELD)}…` : text);
}

function dim(text: string): string {
  return styleText('dim', text);
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${oneLine(line)}`)
    .join('\n');
}

/** Removes control characters, which could change what the terminal shows. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
}
