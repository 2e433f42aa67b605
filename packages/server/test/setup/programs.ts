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
