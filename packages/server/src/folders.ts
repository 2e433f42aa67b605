// The folders of files that the server ships with, besides its code. They are found relative to this file, which is at the
// same depth in a checkout and in a release.
import { fileURLToPath } from 'node:url';

/** Whether this is a checkout of the sources, and not a release. */
export const IS_CHECKOUT = import.meta.url.endsWith('.ts');
/** Outside a checkout, npx would look for a package of this name on npm. */
export const SERVER_COMMAND = IS_CHECKOUT ? 'npx chauffeur-server' : 'chauffeur-server';

/** Numbered SQL files. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../migrations/', import.meta.url));
/** The built website. */
export const WEBSITE_FOLDER = fileURLToPath(new URL('../../web/dist/', import.meta.url));
/** The scripts of a checkout. */
export const SCRIPTS_FOLDER = fileURLToPath(new URL('../../../scripts/', import.meta.url));
/** The built `chauffeur` command. */
export const CLI_FOLDER = fileURLToPath(new URL('../../cli/dist/', import.meta.url));
