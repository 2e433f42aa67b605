// The SQL that reads and expires the audit log.
import { sql } from 'kysely';
import { changed, type Db, rows } from '../../kernel/database/db.ts';
import type { ActorKind } from '../../request/audit.sql.ts';

export type EntryRow = {
  entry_id: string;
  operation: string;
  actor_kind: ActorKind;
  actor_id: string | null;
  actor_name: string;
  via: string | null;
  about_game: string | null;
  game_name: string | null;
  details: Record<string, unknown>;
  changes: Record<string, { before?: unknown; after?: unknown }>;
  outcome: number;
  address: string | null;
  client: string | null;
};

/** What the entries are about: a game, an organisation with its games, or everything. */
export type Scope = { readonly game: string } | { readonly organisation: string } | 'service';

export type Filter = {
  readonly scope: Scope;
  readonly who: string | undefined;
  readonly kind: ActorKind | undefined;
  readonly what: string | undefined;
  /** The first id of the time. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly search: string | undefined;
};

const columns = sql.raw(
  'entry_id, operation, actor_kind, actor_id, actor_name, via, about_game, game_name, details, changes, outcome, address, client',
);

/** Newest first, after `before`. */
export function listEntries(
  db: Db,
  { scope, who, kind, what, from, to, search }: Filter,
  { before, limit }: { before: string | null; limit: number },
): Promise<EntryRow[]> {
  const conditions = [
    sql`true`,
    ...(before === null ? [] : [sql`entry_id < ${before}`]),
    ...(from === undefined ? [] : [sql`entry_id >= ${from}`]),
    ...(to === undefined ? [] : [sql`entry_id < ${to}`]),
    ...(kind === undefined ? [] : [sql`actor_kind = ${kind}`]),
    ...(what === undefined ? [] : [sql`(operation = ${what} or starts_with(operation, ${`${what}.`}))`]),
    ...(who === undefined ? [] : [sql`(${has(sql`actor_name`, who)} or ${has(sql`coalesce(via, '')`, who)})`]),
    ...(search === undefined
      ? []
      : [
          sql`(${sql.join(
            [
              sql`operation`,
              sql`actor_name`,
              sql`coalesce(via, '')`,
              sql`coalesce(game_name, '')`,
              sql`coalesce(address, '')`,
              sql`details::text`,
              sql`changes::text`,
            ].map((text) => has(text, search)),
            sql` or `,
          )})`,
        ]),
  ];
  const order = sql`order by entry_id desc limit ${limit}`;
  const parts = partsOf(scope).map(
    (part) => sql`(select ${columns} from audit_entries where ${sql.join([part, ...conditions], sql` and `)} ${order})`,
  );
  return rows(db, sql<EntryRow>`select ${columns} from (${sql.join(parts, sql` union all `)}) as entries ${order}`);
}

/** Each part has an index in the order of the entries, and no entry is in two of them. */
function partsOf(scope: Scope) {
  if (scope === 'service') return [sql`true`];
  if ('game' in scope) return [sql`about_game = ${scope.game}`];
  const { organisation: id } = scope;
  return [sql`about_organisation = ${id}`, sql`other_organisation = ${id}`];
}

/** Whether the text contains the part, in any letter case. */
function has(text: ReturnType<typeof sql>, part: string) {
  return sql`strpos(lower(${text}), lower(${part})) > 0`;
}

/** Deletes up to `limit` of the oldest entries before the id. Returns their number. */
export function forgetEntries(db: Db, before: string, limit: number): Promise<number> {
  return changed(
    db,
    sql`delete from audit_entries where entry_id in
      (select entry_id from audit_entries where entry_id < ${before} order by entry_id limit ${limit})`,
  );
}
