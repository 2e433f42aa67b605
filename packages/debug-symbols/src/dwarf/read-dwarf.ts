// Reads the functions of the units of a file with DWARF.
import { DebugSymbolsError } from '../error.ts';
import { TAG } from './constants.ts';
import type { DwarfFile } from './dwarf-file.ts';
import { type Module, readFunctions } from './functions.ts';
import { readLineFiles, readLineTable } from './line-program.ts';
import { Unit } from './unit.ts';
import type { UnitHeader } from './unit-header.ts';

/** Finds the split unit of a skeleton, in a `.dwp` or `.dwo` file. */
export type SplitFinder = (skeleton: Unit) => Unit | undefined;

/** Reads the units from the one with the index `start` to `end`. A damaged one is skipped, or read up to the damage. */
export function readUnits(
  file: DwarfFile,
  { start, end }: { start: number; end: number },
  module: Module,
  findSplit: SplitFinder,
): void {
  for (const header of file.units.slice(start, end)) {
    if (header.isType) continue;
    try {
      readUnit(file, header, module, findSplit);
    } catch (error) {
      if (!(error instanceof DebugSymbolsError)) throw error;
    }
  }
}

function readUnit(file: DwarfFile, header: UnitHeader, module: Module, findSplit: SplitFinder): void {
  const unit = new Unit(file, header);
  if (unit.tag === TAG.partialUnit) return;
  const { addressSize } = header.encoding;
  const { linesAt } = unit;
  const place = linesAt === undefined ? undefined : { file, offset: linesAt, folder: unit.folder, addressSize };
  const lines = place && readLineTable(place, module.isCode);
  const split = unit.dwoName === undefined ? undefined : findSplit(unit);
  if (split === undefined) {
    readFunctions(unit, { lines, files: lines?.files ?? [] }, module);
    return;
  }
  const splitPlace = split.linesAt !== undefined && {
    ...{ file: split.file, offset: split.linesAt, folder: split.folder, addressSize },
  };
  const files = splitPlace === false ? [] : readLineFiles(splitPlace);
  readFunctions(split, { lines, files: files.length > 0 ? files : (lines?.files ?? []) }, module);
}
