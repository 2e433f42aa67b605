// The SQL that compares texts with the values of filters, in which `*` matches any characters. Case does not matter.
import { type RawBuilder, sql } from 'kysely';

export function like(column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<unknown> {
  return sql`${column} ilike any(${patternsOf(values)}::text[])`;
}

/** The values as patterns of `ilike`. */
export function patternsOf(values: readonly string[]): string[] {
  return values.map((value) => value.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%'));
}
