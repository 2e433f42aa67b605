// Labels the frames of a stack: one name for each frame, the same in every build and for every player.
import { baseName } from '../../base-name.ts';
import type { Frame } from '../../report.ts';
import type { OsName } from '../../streams/system-info.ts';
import { normalizeName } from '../names/normalize-name.ts';
import { cutTo, toPrintable } from '../printable.ts';

/** How many frames a signature considers, including inlined functions. */
const MAX_FRAMES = 40;
/** Characters; a signature has no room for more. */
const MAX_LABEL = 255;

export type LabelledFrame = {
  /** The function, else `file#line`, else the module, else `@` and the address. */
  readonly label: string;
  /** Position in the labels, from 0, the innermost. */
  readonly index: number;
  readonly hasFunction: boolean;
  /** The module as a label; null if there is none. */
  readonly module: string | null;
  /** Whether the module is in a folder of the operating system. */
  readonly isSystem: boolean;
  /** The offset in the module, such as `0x1a2b`, if the label is only the module's name; otherwise null. */
  readonly offset: string | null;
};

/** Returns the label, with the offset if there is one: `game+0x1a2b`. */
export function placeOf({ label, offset }: LabelledFrame): string {
  return offset === null ? label : `${label}+${offset}`;
}

type Place = { readonly function: string | null; readonly file: string | null; readonly line: number | null };

/**
 * Labels the innermost MAX_FRAMES frames, with inlined functions before the frame that contains them. `trim` maps
 * variants of a label to their common name. `isSystem` says which frames are in code of the OS; none if omitted.
 */
export function labelFrames(
  frames: readonly Frame[],
  os: OsName,
  trim: (label: string) => string,
  isSystem: (frame: Frame) => boolean = () => false,
): LabelledFrame[] {
  const labelled: LabelledFrame[] = [];
  for (const frame of frames) {
    const inSystem = isSystem(frame);
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
        isSystem: inSystem,
        offset: offset === null ? null : shortAddress(offset),
      });
    }
  }
  return labelled;
}

function labelOf(place: Place, module: string | null, address: string): string {
  if (isNamed(place) || LINKER_CODE.test(place.function ?? ''))
    return cutTo(toPrintable(normalizeName(place.function as string, place.file)), MAX_LABEL);
  const file = place.file === null ? '' : toPrintable(withoutFolders(place.file));
  if (file !== '' && place.line) return cutTo(`${file}#${place.line}`, MAX_LABEL);
  return module ?? `@${shortAddress(address)}`;
}

/** The name that some symbol writers use for code without a name: `<.text ELF section in game>`. */
const SECTION = /^<[\w.$]+ ELF section in .*>$/;
/** ELF sections with linker-generated code. The signature lists contain these names. */
const LINKER_CODE = /^<\.(?:i?plt|init|fini)[\w.]* ELF section in .*>$/;

function isNamed({ function: name }: Place): boolean {
  return name !== null && toPrintable(name) !== '' && !SECTION.test(name);
}

/** Windows ignores case, but dumps do not: `KERNEL32.DLL` in one version, `kernel32.dll` in the next. */
function moduleLabel(module: string, os: OsName): string | null {
  const name = cutTo(toPrintable(withoutFolders(module)), MAX_LABEL);
  return name === '' ? null : os === 'windows' ? name.toLowerCase() : name;
}

/** Removes the folders, which are specific to a build machine. */
function withoutFolders(path: string): string {
  return baseName(path.replace(/[/\\]+$/, ''));
}

function shortAddress(address: string): string {
  return cutTo(toPrintable(address.replace(/^0x0+(?=.)/, '0x')), MAX_LABEL);
}
