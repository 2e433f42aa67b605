// Reads the annotations in the forms of Breakpad and Crashpad.
import type { CrashDetails } from '../accept.ts';
import { detailsOf, isReporterId } from './details.ts';

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
  message: ['message', 'error_message', 'abort_message'],
  user_message: ['user_message', 'comments', 'Comments'],
} as const;

/** Not kept as metadata: the report has its game and build. */
const IDS = new Set(['app_id', 'build_id']);

export function detailsOfAnnotations(fields: ReadonlyMap<string, string>, omissions: readonly string[]): CrashDetails {
  const used = new Set<string>(IDS);
  const texts = Object.fromEntries(
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
    ...ids,
    ...(isElectron && { engine_version: fields.get('ver') }),
    ...(fields.has('anonymous') && { anonymous: /^(1|true|yes)$/i.test(fields.get('anonymous') ?? '') }),
    further: [...fields].filter(([name]) => !used.has(name) && name !== 'anonymous'),
    omissions,
  });
}
