// Rules for the file names in a build, so that it unpacks to the same files on every OS. The CLI checks folders by
// these rules, and the server checks uploads.
import type { Os } from './identity.ts';

/**
 * Device names, which are reserved with any extension. Windows also accepts the superscript digits of Latin-1 in them.
 */
const DEVICES = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9\u00B9\u00B2\u00B3])$/i;
const MAX_SEGMENT = 255;

/** Why Windows cannot create a file or folder at `path`, which is separated by `/`; null if it can. */
export function findWindowsProblem(path: string): string | null {
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    const [forbidden] = /[<>:"|?*]/.exec(segment) ?? [];
    if (forbidden !== undefined) return `no name may contain ${forbidden}`;
    if (/[. ]$/.test(segment)) return 'no name may end in a dot or a space';
    // `CON.txt` and `con .txt` also refer to the device.
    const stem = (segment.split('.')[0] ?? '').trimEnd();
    if (DEVICES.test(stem)) return `${stem.toUpperCase()} is a device`;
    if (segment.length > MAX_SEGMENT) return `no name may be longer than ${MAX_SEGMENT} characters`;
  }
  return null;
}

/** Whether names that differ only in case refer to the same file on `os`. */
export function ignoresCase(os: Os | undefined): boolean {
  return os === 'windows' || os === 'macos';
}

/** `path` as the file system of `os` compares it; unchanged if `os` is case-sensitive or unknown. */
export function foldPath(path: string, os: Os | undefined): string {
  if (!ignoresCase(os)) return path;
  return (os === 'macos' ? path.normalize('NFC') : path).toLowerCase();
}

/** The folder in which the updater keeps its own files, next to the files of the game. */
export const UPDATER_FOLDER = '.chauffeur';

/** The beginning of the second name that Windows gives to it. */
const SHORT_NAME = `${UPDATER_FOLDER.slice(1, 7)}~`;

/** Whether `path`, which is separated by `/`, is that folder or in it, on any system. */
export function isOfUpdater(path: string): boolean {
  const first = path.split('/').find((segment) => segment !== '' && segment !== '.') ?? '';
  const folded = first.normalize('NFKC').toLowerCase();
  return folded === UPDATER_FOLDER || folded.startsWith(SHORT_NAME);
}
