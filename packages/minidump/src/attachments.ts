// Describes what programs, crash reporters and operating systems add to a dump besides threads and memory.
import { baseName } from './base-name.ts';
import type { Minidump } from './minidump.ts';
import type { CrashpadReport, MacCrashInfoReport, Report } from './report.ts';
import { ASSERTION } from './streams/breakpad-info.ts';
import { CRASHPAD_INFO, type CrashpadModule } from './streams/crashpad-info.ts';
import { HANDLE_DATA } from './streams/handle-data.ts';
import { LINUX_MAPS } from './streams/linux-maps.ts';
import { LINUX_LSB_RELEASE } from './streams/linux-proc.ts';
import { MAC_CRASH_INFO } from './streams/mac-crash-info.ts';
import { MEMORY_INFO } from './streams/memory.ts';
import { MODULES } from './streams/modules.ts';

type Attachments = Pick<Report, 'crashpad' | 'mac_crash_info' | 'lsb_release' | 'handle_count' | 'memory_map_count'>;

export function describeAttachments(dump: Minidump): Attachments {
  const release = dump.stream(LINUX_LSB_RELEASE);
  return {
    crashpad: describeCrashpad(dump),
    mac_crash_info: (dump.stream(MAC_CRASH_INFO) ?? []).map(
      ({ modulePath, message, message2 }): MacCrashInfoReport => ({ module: baseName(modulePath), message, message2 }),
    ),
    lsb_release: release === undefined ? null : toObject(release),
    handle_count: dump.stream(HANDLE_DATA)?.length ?? null,
    memory_map_count: (dump.stream(LINUX_MAPS) ?? dump.stream(MEMORY_INFO))?.length ?? null,
  };
}

/** `pure virtual call`, `invalid parameter: size > 0 in grow (vector.c:12)`; null if the dump has no assertion. */
export function describeAssertion(dump: Minidump): string | null {
  const assertion = dump.stream(ASSERTION);
  if (assertion === undefined) return null;
  const { kind, expression, function: name, file, line } = assertion;
  const failure = [kind === 'unknown' ? 'assertion' : kind, expression].filter((part) => part !== '').join(': ');
  const location = file === '' ? '' : ` (${baseName(file)}:${line})`;
  return `${failure}${name === '' ? '' : ` in ${name}`}${location}`;
}

function describeCrashpad(dump: Minidump): CrashpadReport | null {
  const info = dump.stream(CRASHPAD_INFO);
  if (info === undefined) return null;
  return {
    report_id: info.reportId,
    client_id: info.clientId,
    annotations: toObject(info.simpleAnnotations),
    modules: info.modules.map((module) => describeModuleAnnotations(dump, module)),
  };
}

function describeModuleAnnotations(dump: Minidump, module: CrashpadModule): CrashpadReport['modules'][number] {
  const file = dump.stream(MODULES)?.[module.moduleIndex]?.codeFile;
  const texts = module.annotationObjects.flatMap(({ name, value }): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return {
    module: file === undefined ? null : baseName(file),
    annotations: toObject([...module.simpleAnnotations, ...texts]),
    list: module.listAnnotations,
  };
}

/** The keys come from the dump. An object without a prototype accepts any key, even `__proto__`. */
function toObject(pairs: Iterable<readonly [string, string]>): Record<string, string> {
  const object: Record<string, string> = Object.create(null);
  for (const [key, value] of pairs) object[key] = value;
  return object;
}
