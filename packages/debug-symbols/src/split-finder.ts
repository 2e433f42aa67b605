// Looks for split units in `.dwp` and `.dwo` files.
import { dirname, join } from 'node:path';
import type { SplitFinder } from './dwarf/read-dwarf.ts';
import { SplitFile } from './dwarf/split-dwarf.ts';
import { Elf } from './elf/elf.ts';
import { detectFormat } from './file-format.ts';
import type { OpenFiles } from './open-files.ts';
import { lastPart } from './paths.ts';

export type SplitPlaces = {
  /** The program and its debug file, next to which split files are. */
  readonly paths: readonly string[];
  /** Whether files next to them are looked for. */
  readonly findsCounterparts: boolean;
  /** Files that are searched before those. */
  readonly splitFiles: readonly string[];
  readonly littleEndian: boolean;
};

export function splitFinder(places: SplitPlaces, files: OpenFiles): SplitFinder {
  const { paths, findsCounterparts, splitFiles, littleEndian } = places;
  const opened = new Map<string, SplitFile | undefined>();
  const open = (path: string) => {
    if (!opened.has(path)) opened.set(path, openSplit(path, littleEndian, files));
    return opened.get(path);
  };
  const packages = splitFiles.filter((path) => path.endsWith('.dwp'));
  return (skeleton) => {
    const { dwoName, folder } = skeleton;
    const name = dwoName === undefined ? undefined : lastPart(dwoName);
    const given = [...packages, ...splitFiles.filter((path) => lastPart(path) === name)];
    const neighbours =
      dwoName === undefined
        ? []
        : [join(folder, dwoName), ...paths.map((path) => join(dirname(path), lastPart(dwoName)))];
    const near = findsCounterparts ? [...paths.map((each) => `${each}.dwp`), ...neighbours] : [];
    for (const path of [...given, ...near]) {
      const unit = open(path)?.unitOf(skeleton);
      if (unit !== undefined) return unit;
    }
    return undefined;
  };
}

function openSplit(path: string, littleEndian: boolean, files: OpenFiles): SplitFile | undefined {
  const source = files.tryOpen(path);
  if (source === undefined || detectFormat(source) !== 'elf') return undefined;
  const elf = new Elf(source, files.scratch);
  return new SplitFile((section) => elf.contents(section), littleEndian);
}
