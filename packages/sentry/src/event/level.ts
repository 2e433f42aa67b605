// How severe an event or a breadcrumb is.
import { lineOf } from '../values.ts';

const LEVELS = ['fatal', 'error', 'warning', 'info', 'debug'] as const;
export type Level = (typeof LEVELS)[number];

/** Names that clients and loggers use for the same. */
const ALIASES: Readonly<Record<string, Level>> = {
  critical: 'fatal',
  warn: 'warning',
  log: 'info',
  notice: 'info',
  trace: 'debug',
  verbose: 'debug',
};

/** Null for a name that is unknown or missing. */
export function levelOf(value: unknown): Level | null {
  const name = lineOf(value, 20).toLowerCase();
  const level = LEVELS.find((each) => each === name);
  return level ?? (Object.hasOwn(ALIASES, name) ? ALIASES[name]! : null);
}
