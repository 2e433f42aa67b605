// What Breakpad’s and Crashpad’s forms say, by the names that their programs gave it.

import type { CrashFacts } from '../accept.ts';
import { factsOf } from './facts.ts';

/**
 * The names of each field, the most telling first: Breakpad’s and Crashpad’s `prod` and `ver`; Electron’s `_productName` and
 * `_version`, beside which `ver` is Electron’s own. Whatever is in none of them goes to the metadata under its own name.
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

/** They say which game and build it is, which the report knows already. */
const IDS = new Set(['app_id', 'build_id']);

/** The facts of a form’s annotations. */
export function factsOfAnnotations(fields: ReadonlyMap<string, string>, omissions: readonly string[]): CrashFacts {
  const taken = new Set<string>(IDS);
  const texts = Object.fromEntries(
    Object.entries(NAMES).map(([field, names]) => {
      const name = names.find((candidate) => (fields.get(candidate) ?? '') !== '');
      if (name !== undefined) taken.add(name);
      return [field, name === undefined ? undefined : fields.get(name)];
    }),
  );
  const isElectron = taken.has('_version') && fields.has('ver');
  if (isElectron) taken.add('ver');
  return factsOf({
    ...texts,
    ...(isElectron && { engine_version: fields.get('ver') }),
    ...(fields.has('anonymous') && { anonymous: /^(1|true|yes)$/i.test(fields.get('anonymous') ?? '') }),
    further: [...fields].filter(([name]) => !taken.has(name) && name !== 'anonymous'),
    omissions,
  });
}
