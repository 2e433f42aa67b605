// The programs that tests start as processes: from their bundles if the run of the tests built them, and from the
// sources otherwise.
import { fileURLToPath } from 'node:url';

/** The environment variables in which the global setup stores the paths of the bundles. */
export const SERVER_BUNDLE = 'CHAUFFEUR_TEST_SERVER';
export const COMMAND_BUNDLE = 'CHAUFFEUR_TEST_COMMAND';

/** `chauffeur-server`. */
export const SERVER = process.env[SERVER_BUNDLE] ?? fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** `chauffeur`. */
export const COMMAND =
  process.env[COMMAND_BUNDLE] ?? fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url));

/** Settings of a server and of the command. Those of the tests are kept. */
const SETTINGS = /^(?:CHAUFFEUR_(?!TEST_)|SERVICE_|DATABASE_URL$)/;

/**
 * The environment of a program: that of this process with these settings, and without the settings for another server
 * that a person's shell may have.
 */
export function environmentWith(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const ambient = Object.entries(process.env).filter(([name]) => !SETTINGS.test(name));
  return { ...Object.fromEntries(ambient), ...settings };
}
