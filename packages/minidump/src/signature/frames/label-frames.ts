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
  /** Where in the module the frame is, `0x1a2b`, when the label is the module's name and says no more; null otherwise. */
  readonly offset: string | null;
};

/** The label; with the offset, where it has one, `game+0x1a2b`. */
export function placeOf({ label, offset }: LabelledFrame): string {
  return offset === null ? label : `${label}+${offset}`;
}

type Place = { readonly function: string | null; readonly file: string | null; readonly line: number | null };

/** The innermost MAX_FRAMES frames with their labels, inlined functions before the frame that they are in. `trim` gives variants one name. */
export function labelFrames(frames: readonly Frame[], os: OsName, trim: (label: string) => string): LabelledFrame[] {
  const labelled: LabelledFrame[] = [];
  for (const frame of frames) {
    for (const place of [...frame.inlines, frame]) {
      if (labelled.length === MAX_FRAMES) return labelled;
      const module = frame.module === null ? null : moduleLabel(frame.module, os);
      const label = labelOf(place, module, frame.offset);
      const offset = label === module && !isNamed(place) ? frame.module_offset : null;
      labelled.push({
        label: trim(label),
        index: labelled.length,
        hasFunction: isNamed(place),
        module,
        offset: offset === null ? null : shortAddress(offset),
      });
    }
  }
  return labelled;
}

function labelOf(place: Place, module: string | null, address: string): string {
  if (isNamed(place) || LINKER_CODE.test(place.function ?? ''))
    return cutTo(toPrintable(normalizeName(place.function as string, place.file)), MAX_LABEL);
  const file = place.file === null ? '' : toPrintable(baseName(place.file));
  if (file !== '' && place.line) return cutTo(`${file}#${place.line}`, MAX_LABEL);
  return module ?? `@${shortAddress(address)}`;
}

/** How writers of symbol files note that they have no name for code: `<.text ELF section in game>`. */
const SECTION = /^<[\w.$]+ ELF section in .*>$/;
/** Sections of an ELF file whose code the linker made. The lists know them by these names. */
const LINKER_CODE = /^<\.(?:i?plt|init|fini)[\w.]* ELF section in .*>$/;

function isNamed({ function: name }: Place): boolean {
  return name !== null && toPrintable(name) !== '' && !SECTION.test(name);
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
