// Reads the annotations in the forms of Breakpad and Crashpad.
import { type CrashDetails, detailsOf, isReporterId } from './details.ts';

/**
 * Annotations that say why the program stopped, in order of preference: Chromium's fatal log message, what a game sends
 * itself, Android's abort message as Crashpad notes it, and those of Electron, Firefox and others.
 */
export const MESSAGE_FIELDS: readonly string[] = [
  ...['LOG_FATAL', 'message', 'error_message', 'abort_message', 'electron.v8-fatal.message', 'MozCrashReason'],
  ...['fatal_message', 'fatal_error', 'crash_message', 'assertion', 'assert_message'],
];

/**
 * The annotations for each field, in order of preference: `prod` and `ver` of Breakpad and Crashpad; `_productName` and
 * `_version` of Electron, whose `ver` is its own version. Other annotations go to the metadata.
 */
const NAMES = {
  app_name: ['_productName', 'app_name', 'prod', 'product', 'ProductName'],
  app_version: ['_version', 'app_version', 'ver', 'version', 'Version'],
  engine_version: ['engine_version'],
  os: ['os', 'plat', 'platform'],
  arch: ['arch', 'cpu'],
  message: MESSAGE_FIELDS,
  user_message: ['user_message', 'comments', 'Comments'],
} as const;

/** Not kept as metadata: the report has its game and build. */
const IDS = new Set(['app_id', 'build_id']);

const REPORTER_FIELDS: ReadonlySet<string> = new Set([
  ...Object.values(NAMES).flat(),
  ...IDS,
  ...['device_uid', 'session_id', 'anonymous', 'guid'],
]);

/** Whether an annotation is a field of the report, and so not metadata. */
export function isReporterField(name: string): boolean {
  return REPORTER_FIELDS.has(name);
}

/** `[4711:1:1126/133441.123456:FATAL:inventory.cc(42)] Check failed: …` → `Check failed: …`: Chromium's log format. */
export function withoutLogPrefix(text: string): string {
  return text.replace(/^\s*\[[\d:./]{0,64}:?(?:FATAL|ERROR)\b[^\]\n]{0,500}\]\s*/, '');
}

export function detailsOfAnnotations(fields: ReadonlyMap<string, string>, omissions: readonly string[]): CrashDetails {
  const used = new Set<string>(IDS);
  const { message, ...texts } = Object.fromEntries(
    Object.entries(NAMES).map(([field, names]) => {
      const name = names.find((candidate) => (fields.get(candidate) ?? '') !== '');
      if (name !== undefined) used.add(name);
      return [field, name === undefined ? undefined : fields.get(name)];
    }),
  );
  const ids = Object.fromEntries(
    ['device_uid', 'session_id'].flatMap((name) => (isReporterId(fields.get(name)) ? [[name, fields.get(name)]] : [])),
  );
  for (const name of Object.keys(ids)) used.add(name);
  const isElectron = used.has('_version') && fields.has('ver');
  if (isElectron) used.add('ver');
  return detailsOf({
    ...texts,
    ...(message !== undefined && { message: withoutLogPrefix(message).trim() }),
    ...ids,
    ...(isElectron && { engine_version: fields.get('ver') }),
    ...(fields.has('anonymous') && { anonymous: /^(1|true|yes)$/i.test(fields.get('anonymous') ?? '') }),
    further: [...fields].filter(([name]) => !used.has(name) && name !== 'anonymous'),
    omissions,
  });
}
