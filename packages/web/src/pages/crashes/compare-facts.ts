// The facts of two reports that are compared, a row for each.
import { formatPlatform } from '@chauffeur/contract/format';
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import type { Crash } from './use-crash.ts';

export type ComparedFact = { readonly name: string; readonly a: string; readonly b: string };

type Side = { readonly crash: Crash; readonly stack: CrashStack | undefined };

/** Facts that neither report has are left out. The metadata comes last, in the order of its keys. */
export function compareFacts(a: Side, b: Side): ComparedFact[] {
  const [left, right] = [factsOf(a), factsOf(b)];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names]
    .map((name) => ({ name, a: left.get(name) ?? '', b: right.get(name) ?? '' }))
    .filter((fact) => fact.a !== '' || fact.b !== '');
}

function factsOf({ crash, stack }: Side): Map<string, string> {
  const facts: [string, string][] = [
    ['Version', crash.version],
    ['Reason', crash.reason ?? ''],
    ['Address', crash.crash_address ?? ''],
    ['Message', crash.message],
    ['Player message', crash.user_message],
    ['Platform', crash.os === '' ? '' : formatPlatform(crash)],
    ['Engine', crash.engine_version],
    ['OS version', stack?.system.os_version ?? ''],
    ['CPU', [stack?.system.cpu, stack?.system.cpu_info].filter(Boolean).join(', ')],
    ['CPU cores', stack === undefined ? '' : String(stack.system.cpu_count)],
    ['Uptime', stack?.uptime_seconds == null ? '' : `${Math.round(stack.uptime_seconds)} s`],
  ];
  const metadata = Object.entries(crash.metadata)
    .toSorted(([x], [y]) => x.localeCompare(y))
    .map(([key, value]): [string, string] => [`Metadata: ${key}`, String(value)]);
  return new Map([...facts, ...metadata]);
}
