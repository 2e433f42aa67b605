// The SQL of look-ups at symbol servers: which modules wait, which worker has which, and what came of it.
import { CACHE_VERSION } from '@chauffeur/minidump/symbols/cache/footer';
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../../kernel/database/db.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import type { LookupModule } from './layouts.ts';

export type LookupRow = {
  lookup_id: string;
  debug_file: string;
  debug_id: string;
  code_file: string;
  code_id: string;
  state: 'waiting' | 'found' | 'absent';
  asked: string[];
  tries: number;
  absences: number;
  waiting_since: Date;
  due_at: Date;
  symbol_id: string | null;
};

const columns = sql.raw(
  'lookup_id, debug_file, debug_id, code_file, code_id, state, asked, tries, absences, waiting_since, due_at, symbol_id',
);

/** The modules as rows of `wanted`. */
const wanted = (modules: readonly LookupModule[]) => sql`unnest(${modules.map(({ debugFile }) => debugFile)}::text[],
  ${modules.map(({ debugId }) => debugId)}::text[], ${modules.map(({ codeFile }) => codeFile)}::text[],
  ${modules.map(({ codeId }) => codeId)}::text[]) as wanted (debug_file, debug_id, code_file, code_id)`;

const isWanted = sql`lower(symbol_lookups.debug_file) = lower(wanted.debug_file)
  and symbol_lookups.debug_id = wanted.debug_id and lower(symbol_lookups.code_file) = lower(wanted.code_file)
  and symbol_lookups.code_id = wanted.code_id`;

/** The look-ups of these modules, in any order. */
export function findLookups(db: Db, modules: readonly LookupModule[]): Promise<LookupRow[]> {
  return rows(
    db,
    sql<LookupRow>`select ${columns} from symbol_lookups
      where (lower(debug_file), debug_id, lower(code_file), code_id) in (
        select lower(wanted.debug_file), wanted.debug_id, lower(wanted.code_file), wanted.code_id
        from ${wanted(modules)})`,
  );
}

export async function insertLookups(tx: Tx, modules: readonly LookupModule[], now: Date): Promise<void> {
  await changed(
    tx,
    sql`insert into symbol_lookups (lookup_id, debug_file, debug_id, code_file, code_id, waiting_since, due_at)
      select wanted.lookup_id, wanted.debug_file, wanted.debug_id, wanted.code_file, wanted.code_id, ${now}, ${now}
      from unnest(${modules.map(() => newId())}::uuid[], ${modules.map(({ debugFile }) => debugFile)}::text[],
        ${modules.map(({ debugId }) => debugId)}::text[], ${modules.map(({ codeFile }) => codeFile)}::text[],
        ${modules.map(({ codeId }) => codeId)}::text[])
        as wanted (lookup_id, debug_file, debug_id, code_file, code_id)
      on conflict do nothing`,
  );
}

/** Lets finished look-ups wait again. A look-up that is due asks all sources, and others only new ones. */
export async function reviveLookups(tx: Tx, lookupIds: readonly string[], now: Date): Promise<void> {
  await changed(
    tx,
    sql`update symbol_lookups set state = 'waiting', problem = null, tries = 0, waiting_since = ${now}, due_at = ${now},
        asked = case when state = 'found' or due_at <= ${now} then '{}' else asked end
      where lookup_id = any(${lookupIds}::uuid[]) and state <> 'waiting'`,
  );
}

/** Notes that reports of the game miss these modules, unless their symbols are compiled. */
export async function addWaitingGame(tx: Tx, gameId: string, modules: readonly LookupModule[]): Promise<void> {
  await changed(
    tx,
    sql`insert into symbol_lookup_games (lookup_id, game_id)
      select lookup_id, ${gameId}::uuid from ${wanted(modules)} join symbol_lookups on ${isWanted}
      where not exists (
        select from system_symbols where symbol_id = symbol_lookups.symbol_id and cache_version = ${CACHE_VERSION})
      on conflict do nothing`,
  );
}

/**
 * Takes a look-up that is due, unless `atOnce` of them are taken already. Processes that take one at the same time wait
 * for each other, so that they count right.
 */
export async function claimLookup(
  tx: Tx,
  { now, until, atOnce }: { now: Date; until: Date; atOnce: number },
): Promise<LookupRow | undefined> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended('symbol lookups', 0))`);
  return row(
    tx,
    sql<LookupRow>`update symbol_lookups set claimed_until = ${until} where lookup_id = (
        select lookup_id from symbol_lookups
        where state = 'waiting' and due_at <= ${now} and (claimed_until is null or claimed_until <= ${now})
          and (select count(*) from symbol_lookups where state = 'waiting' and claimed_until > ${now}) < ${atOnce}
        order by due_at, lookup_id limit 1
      ) returning ${columns}`,
  );
}

/** Keeps a look-up that is claimed. */
export async function renewClaim(db: Db, lookupId: string, until: Date): Promise<void> {
  await changed(
    db,
    sql`update symbol_lookups set claimed_until = ${until} where lookup_id = ${lookupId} and claimed_until is not null`,
  );
}

/** Gives a look-up back unchanged. */
export async function releaseLookup(db: Db, lookupId: string): Promise<void> {
  await changed(db, sql`update symbol_lookups set claimed_until = null where lookup_id = ${lookupId}`);
}

export type LookupChange = {
  readonly state: LookupRow['state'];
  readonly problem: string | null;
  readonly asked: readonly string[];
  readonly tries: number;
  readonly absences: number;
  readonly dueAt: Date;
  readonly symbolId: string | null;
};

/** Records what came of a look-up. It may have been deleted in the meantime. */
export async function saveLookup(
  db: Db,
  lookupId: string,
  { state, problem, asked, tries, absences, dueAt, symbolId }: LookupChange,
): Promise<void> {
  await changed(
    db,
    sql`update symbol_lookups set state = ${state}, problem = ${problem}, asked = ${asked}::text[], tries = ${tries},
        absences = ${absences}, due_at = ${dueAt}, symbol_id = ${symbolId}, claimed_until = null
      where lookup_id = ${lookupId}`,
  );
}

export type WaitingGame = { game_id: string; debug_file: string; debug_id: string; code_id: string };

/** Removes the games that wait for these symbols, and returns them with the modules that they miss. */
export function takeWaitingGames(tx: Tx, symbolId: string): Promise<WaitingGame[]> {
  return rows(
    tx,
    sql<WaitingGame>`delete from symbol_lookup_games using symbol_lookups
      where symbol_lookup_games.lookup_id = symbol_lookups.lookup_id and symbol_id = ${symbolId}
      returning game_id, debug_file, debug_id, code_id`,
  );
}

export function lookupsOfSymbols(db: Db, symbolId: string): Promise<LookupRow[]> {
  return rows(db, sql<LookupRow>`select ${columns} from symbol_lookups where symbol_id = ${symbolId}`);
}

/** The states of modules by the names and ids that reports list, in order; null for a module without a look-up. */
export function readLookupStates(
  db: Db,
  modules: readonly { debugFile: string; id: string }[],
): Promise<{ state: LookupRow['state'] | null }[]> {
  return rows(
    db,
    sql<{ state: LookupRow['state'] | null }>`select state
      from unnest(${modules.map(({ debugFile }) => debugFile)}::text[], ${modules.map(({ id }) => id)}::text[])
        with ordinality as listed (debug_file, id, no)
      left join lateral (
        select state from symbol_lookups
        where lower(debug_file) = lower(listed.debug_file)
          and (debug_id = listed.id or (debug_id = '' and ltrim(code_id, '0') = lower(listed.id)))
        order by state = 'waiting' desc, due_at desc limit 1
      ) latest on true
      order by no`,
  );
}

/** Forgets look-ups whose result is old or was deleted; without sources, all of them. */
export function forgetLookups(db: Db, { before, all }: { before: Date; all: boolean }): Promise<number> {
  return changed(
    db,
    sql`delete from symbol_lookups where ${all} or (state = 'found' and symbol_id is null)
      or (state = 'absent' and due_at < ${before})`,
  );
}

/** Returns how often in a row it has failed now. */
export async function countSourceFailure(db: Db, source: string, problem: string): Promise<number> {
  const { failures } = await onlyRow(
    db,
    sql<{ failures: number }>`insert into symbol_sources (source, failures, problem) values (${source}, 1, ${problem})
      on conflict (source) do update set failures = symbol_sources.failures + 1, problem = excluded.problem
      returning failures`,
  );
  return failures;
}

export async function pauseSource(db: Db, source: string, until: Date): Promise<void> {
  await changed(
    db,
    sql`update symbol_sources set paused_until = greatest(paused_until, ${until}) where source = ${source}`,
  );
}

/** The source responds. */
export async function clearSourceFailures(db: Db, source: string): Promise<void> {
  await changed(db, sql`delete from symbol_sources where source = ${source}`);
}

/** Forgets sources that are no longer in the settings. */
export async function forgetOtherSources(db: Db, sources: readonly string[]): Promise<void> {
  await changed(db, sql`delete from symbol_sources where source <> all(${sources}::text[])`);
}
