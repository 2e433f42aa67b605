// Formats entries of the audit log as lines of CSV (RFC 4180) and JSON.
import { timeOfId } from '../../kernel/secrets/ids.ts';
import type { EntryRow } from './audit.sql.ts';

const COLUMNS: Readonly<Record<string, (entry: EntryRow) => string | number | null>> = {
  at: ({ entry_id }) => new Date(timeOfId(entry_id)).toISOString(),
  kind: ({ actor_kind }) => actor_kind,
  who: ({ actor_name }) => actor_name,
  via: ({ via }) => via,
  operation: ({ operation }) => operation,
  game_uid: ({ about_game }) => about_game,
  game: ({ game_name }) => game_name,
  details: ({ details }) => JSON.stringify(details),
  changes: ({ changes }) => JSON.stringify(changes),
  outcome: ({ outcome }) => outcome,
  address: ({ address }) => address,
  client: ({ client }) => client,
  entry_id: ({ entry_id }) => entry_id,
};

export const HEADER = `${Object.keys(COLUMNS).join(',')}\r\n`;

export function csvLine(entry: EntryRow): string {
  return `${Object.values(COLUMNS)
    .map((read) => csvField(String(read(entry) ?? '')))
    .join(',')}\r\n`;
}

/** A spreadsheet would run a text as a formula if it begins with one of these, even in quotes. */
const FORMULA = /^[=+\-@\t\r]/;

export function csvField(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function jsonLine({ actor_kind, actor_id, actor_name, via, about_game, game_name, ...entry }: EntryRow): string {
  const line = {
    at: new Date(timeOfId(entry.entry_id)).toISOString(),
    actor: { kind: actor_kind, id: actor_id, name: actor_name, via },
    game: about_game === null ? null : { game_uid: about_game, name: game_name ?? '' },
    ...entry,
  };
  return `${JSON.stringify(line)}\n`;
}
