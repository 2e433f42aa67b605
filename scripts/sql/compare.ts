// Compares the columns that a statement returns with the row type that is declared for it.
import type { Field, Kind } from './declare.ts';
import type { Column } from './describe.ts';

/** What the driver makes of a value (kernel/database/db.ts); types that are not listed become a string. */
const KINDS: Readonly<Record<string, Kind>> = {
  bool: 'boolean',
  bytea: 'bytes',
  date: 'Date',
  float4: 'number',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  oid: 'number',
  timestamp: 'Date',
  timestamptz: 'Date',
};

/** Arrays that the driver reads; others stay text. An int8 in an array becomes a string. */
const ELEMENTS: Readonly<Record<string, Kind>> = {
  ...KINDS,
  bpchar: 'string',
  int8: 'string',
  json: 'other',
  jsonb: 'other',
  numeric: 'number',
  text: 'string',
  uuid: 'string',
  varchar: 'string',
};

/** What the driver returns for a type of PostgreSQL; null for JSON, which can be anything but a time or bytes. */
export function kindOf(type: string): Kind | null {
  if (type === 'json' || type === 'jsonb') return null;
  const element = /^(.*)\[\]$/.exec(type)?.[1];
  if (element === undefined) return KINDS[type] ?? 'string';
  const kind = ELEMENTS[element];
  return kind === undefined ? 'string' : `${kind}[]`;
}

/** A sentence for each mismatch. */
export function compare(columns: readonly Column[], fields: readonly Field[]): string[] {
  const findings: string[] = [];
  for (const { name, text, kinds, nullable, optional } of fields) {
    const column = columns.findLast((column) => column.name === name);
    if (column === undefined) {
      if (!optional) findings.push(`${name} is declared, but the statement doesn't return it`);
      continue;
    }
    const from = column.origin === undefined ? name : `${name} (${column.origin})`;
    if (!fits(column.type, kinds))
      findings.push(
        `${from} is declared as ${text}, but its type ${column.type} arrives as ${kindOf(column.type) ?? 'JSON'}`,
      );
    else if (column.nullable === true && !nullable) findings.push(`${from} is declared as ${text}, but it can be null`);
    else if (column.nullable === false && nullable && kinds.length > 0)
      findings.push(`${from} is declared as ${text}, but it is never null`);
  }
  return findings;
}

function fits(type: string, kinds: readonly Kind[]): boolean {
  if (kinds.length === 0) return true;
  const kind = kindOf(type);
  if (kind === null) return kinds.every((declared) => declared !== 'Date' && declared !== 'bytes');
  return kinds.every((declared) => declared === kind);
}
