// What lists of operators' commands share: which part to list, and rows for people.
import { UsageError } from './fail.ts';

export type PageOptions = { limit: string; cursor?: string };

const MAX_LIMIT = 1000;

/** Throws UsageError for an invalid limit. */
export function parsePage({ limit, cursor }: PageOptions): { limit: number; cursor?: string } {
  const count = Number(limit);
  if (!/^\d+$/.test(limit) || count < 1 || count > MAX_LIMIT)
    throw new UsageError(`--limit: use a whole number from 1 to ${MAX_LIMIT}.`);
  return { limit: count, ...(cursor !== undefined && { cursor }) };
}

/** A line for each row, with two spaces between its fields, and how to continue. Names of people can contain anything. */
export function formatPage(rows: readonly (readonly string[])[], nextCursor: string | null): string {
  const lines = rows.map((row) => row.map((field) => field.replace(/[\p{Cc}\p{Cf}]/gu, ' ')).join('  '));
  const more = nextCursor === null ? [] : [`More with --cursor ${nextCursor}`];
  return [...(lines.length === 0 ? ['None found.'] : lines), ...more, ''].join('\n');
}
