// Which names the files of a build may have, so that every system unpacks the same files. The command checks a folder by these rules, and the
// service each upload.
import type { Os } from './identity.ts';

/** Control characters, line breaks of Unicode, and what turns the direction of the text around it (UAX #9, section 2). */
const UNSAFE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;

/** Whether a name holds a character that makes it look like another one, or breaks the line in a list or a log. */
export function hasUnsafeCharacter(name: string): boolean {
  return UNSAFE.test(name);
}

/** Devices, whatever extension follows; Windows takes the superscript digits of Latin-1 for digits there. */
const DEVICES = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9\u00B9\u00B2\u00B3])$/i;
const MAX_SEGMENT = 255;

/** Why Windows cannot create a file or folder at `path`, which has `/` between its parts; null when it can. */
export function findWindowsProblem(path: string): string | null {
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    const [forbidden] = /[<>:"|?*]/.exec(segment) ?? [];
    if (forbidden !== undefined) return `no name may contain ${forbidden}`;
    if (/[. ]$/.test(segment)) return 'no name may end in a dot or a space';
    // `CON.txt` and `con .txt` are the device, too.
    const stem = (segment.split('.')[0] ?? '').trimEnd();
    if (DEVICES.test(stem)) return `${stem.toUpperCase()} is a device`;
    if (segment.length > MAX_SEGMENT) return `no name may be longer than ${MAX_SEGMENT} characters`;
  }
  return null;
}

/** Whether files whose names differ in case only are one file there. */
export function ignoresCase(os: Os | undefined): boolean {
  return os === 'windows' || os === 'macos';
}

/** `path` in the form in which the file system of `os` compares names; as it is where case matters or the system is not known. */
export function foldPath(path: string, os: Os | undefined): string {
  if (!ignoresCase(os)) return path;
  return (os === 'macos' ? path.normalize('NFC') : path).toLowerCase();
}
