// The labels of a stack's frames: one name for each, the same for each build and each player.

import type { Frame } from '../../report.ts';
import type { OsName } from '../../streams/system-info.ts';
import { normalizeName } from '../names/normalize-name.ts';
import { cutTo, toPrintable } from '../printable.ts';

/** Frames that a signature looks at, inlined functions counted. */
export const MAX_FRAMES = 40;
/** A signature has no room for more. */
const MAX_LABEL = 255;

export type LabelledFrame = {
  /** The function, else `file#line`, else the module, else `@` and the address. */
  readonly label: string;
  /** Counts the frames that have a label from 0, the innermost. */
  readonly index: number;
  readonly hasFunction: boolean;
  /** The module as a label; null where there is none. */
  readonly module: string | null;
};

type Place = { readonly function: string | null; readonly file: string | null; readonly line: number | null };

/** The innermost MAX_FRAMES frames with their labels, inlined functions before the frame that they are in. `trim` gives variants one name. */
export function labelFrames(frames: readonly Frame[], os: OsName, trim: (label: string) => string): LabelledFrame[] {
  const labelled: LabelledFrame[] = [];
  for (const frame of frames) {
    for (const place of [...frame.inlines, frame]) {
      if (labelled.length === MAX_FRAMES) return labelled;
      const module = frame.module === null ? null : moduleLabel(frame.module, os);
      const label = trim(labelOf(place, module, frame.offset));
      labelled.push({ label, index: labelled.length, hasFunction: isNamed(place), module });
    }
  }
  return labelled;
}

function labelOf(place: Place, module: string | null, address: string): string {
  if (isNamed(place)) return cutTo(toPrintable(normalizeName(place.function as string, place.file)), MAX_LABEL);
  const file = place.file === null ? '' : toPrintable(baseName(place.file));
  if (file !== '' && place.line) return cutTo(`${file}#${place.line}`, MAX_LABEL);
  return module ?? `@${shortAddress(address)}`;
}

function isNamed(place: Place): boolean {
  return place.function !== null && toPrintable(place.function) !== '';
}

/** Windows does not tell cases apart, and players' dumps do: `KERNEL32.DLL` on one version, `kernel32.dll` on the next. */
function moduleLabel(module: string, os: OsName): string | null {
  const name = cutTo(toPrintable(baseName(module)), MAX_LABEL);
  return name === '' ? null : os === 'windows' ? name.toLowerCase() : name;
}

/** The name without its folders, which are those of a build machine. */
function baseName(path: string): string {
  const plain = path.replace(/[/\\]+$/, '');
  return plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('\\')) + 1);
}

function shortAddress(address: string): string {
  return cutTo(toPrintable(address.replace(/^0x0+(?=.)/, '0x')), MAX_LABEL);
}
