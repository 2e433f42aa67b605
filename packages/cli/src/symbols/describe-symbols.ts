// Shows modules in a table.
import { formatNumber } from '@chauffeur/contract/format';
import { formatCount, tableOf } from '../output.ts';
import type { ModuleRow, SentSymbols } from './send-symbols.ts';

const STATES: Readonly<Record<ModuleRow['state'], string>> = {
  uploaded: 'uploaded',
  present: 'already there',
  not_used: 'not used',
  not_sent: 'would be uploaded',
  empty: 'nothing to upload',
};

const KINDS: Readonly<Record<Exclude<ModuleRow['kind'], 'symbols'>, string>> = {
  script: 'script',
  source_map: 'source map',
  proguard: 'ProGuard mapping',
  il2cpp: 'IL2CPP lines',
};

const HEADINGS = ['module', 'id', 'functions', 'lines', 'unwind', 'status'];
const NUMBERS = [2, 3];

/** A table for people. */
export function tableOfModules(modules: readonly ModuleRow[]): string[] {
  const cpus = Map.groupBy(modules, ({ debug_file: name }) => name);
  const nameOf = ({ kind, debug_file: name, cpu }: ModuleRow) => {
    if (kind !== 'symbols') return `${printable(name)} (${KINDS[kind]})`;
    return cpus.get(name)?.some((other) => other.cpu !== cpu) ? `${printable(name)} (${cpu})` : printable(name);
  };
  const rows = [
    HEADINGS,
    ...modules.map((module) => [
      nameOf(module),
      module.debug_id,
      formatOr(module.functions),
      formatOr(module.lines),
      module.unwind === null ? '–' : module.unwind ? 'yes' : 'no',
      STATES[module.state],
    ]),
  ];
  for (const column of NUMBERS) {
    const width = Math.max(...rows.map((row) => row[column]!.length));
    for (const row of rows) row[column] = row[column]!.padStart(width);
  }
  return tableOf(rows);
}

/** What happened, in a sentence. */
export function describeSent({ symbols, modules }: SentSymbols, isDryRun: boolean): string {
  const fresh = modules.filter(({ state }) => state === 'not_sent').length;
  if (isDryRun)
    return `${formatCount(fresh, 'symbol file')} would be uploaded. Nothing was sent, because of --dry-run.`;
  return symbols.length > 0 ? `Uploaded ${formatCount(symbols.length, 'symbol file')}.` : 'Nothing to upload.';
}

/** What scripts read about an uploaded file. */
export function pipedRows({ symbols }: SentSymbols): string[] {
  return symbols.map(({ symbol_uid: uid, debug_id: id, debug_file: name }) => `${uid}  ${id}  ${name}`);
}

/** The result as --json prints it. */
export function dataOf({ symbols, skipped, not_used: unused, modules, warnings }: SentSymbols) {
  return {
    ...{ symbols, skipped, modules },
    ...(unused.length > 0 && { not_used: unused }),
    ...(warnings.length > 0 && { warnings }),
  };
}

function formatOr(value: number | null): string {
  return value === null ? '–' : formatNumber(value);
}

/** Names in files can contain anything. */
function printable(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
