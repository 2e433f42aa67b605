// The SQL of symbols: texts, stored once per content, and the modules and builds that use them.
import type { SymbolState } from '@chauffeur/contract/operations/symbols';
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';

export type SymbolRow = {
  symbol_uid: string;
  build_id: string;
  debug_file: string;
  debug_id: string;
  os: string;
  cpu: string;
  size: number;
  checksum: string;
  state: SymbolState;
  problem: string | null;
  uploaded_at: Date;
};

export type TextRow = {
  blob_key: string;
  state: SymbolState;
  cache_key: string | null;
  cache_version: number | null;
};

export type NewText = { checksum: string; size: number; storedSize: number; blobKey: string };
export type NewSymbol = {
  symbolUid: string;
  debugFile: string;
  debugId: string;
  os: string;
  cpu: string;
  checksum: string;
};

/** Serializes adding symbols and sweeping unused texts of one game. */
export async function lockSymbols(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`symbols/${gameId}`}, 0))`);
}

/**
 * Adds texts. An existing text keeps its blob unless it was unreadable, in which case it is retried with the new one.
 * Returns the checksums of the texts that use their new blob and have to be compiled.
 */
export async function insertTexts(tx: Tx, gameId: string, texts: readonly NewText[]): Promise<Set<string>> {
  const inserted = await rows(
    tx,
    sql<{ checksum: string }>`
      insert into symbol_texts (game_id, checksum, size, stored_size, blob_key)
      select ${gameId}, checksum, size, stored_size, blob_key
      from unnest(${texts.map(({ checksum }) => checksum)}::text[], ${texts.map(({ size }) => size)}::bigint[],
        ${texts.map(({ storedSize }) => storedSize)}::bigint[], ${texts.map(({ blobKey }) => blobKey)}::text[])
        as new (checksum, size, stored_size, blob_key)
      on conflict (game_id, checksum) do update
        set blob_key = excluded.blob_key, stored_size = excluded.stored_size, state = 'stored', problem = null, created_at = now()
        where symbol_texts.state = 'unreadable'
      returning checksum`,
  );
  return new Set(inserted.map(({ checksum }) => checksum));
}

/** Adds modules to a build, replacing those with the same file and debug id. */
export async function upsertSymbols(
  tx: Tx,
  { gameId, buildId, keyRef }: { gameId: string; buildId: string; keyRef: string },
  symbols: readonly NewSymbol[],
): Promise<void> {
  const column = (name: keyof NewSymbol) => symbols.map((symbol) => symbol[name]);
  await changed(
    tx,
    sql`
      insert into symbols (game_id, build_id, key_ref, symbol_uid, debug_file, debug_id, os, cpu, checksum)
      select ${gameId}, ${buildId}, ${keyRef}, new.*
      from unnest(${column('symbolUid')}::uuid[], ${column('debugFile')}::text[], ${column('debugId')}::text[],
        ${column('os')}::text[], ${column('cpu')}::text[], ${column('checksum')}::text[]) as new
      on conflict (game_id, build_id, lower(debug_file), debug_id) do update
        set debug_file = excluded.debug_file, os = excluded.os, cpu = excluded.cpu, checksum = excluded.checksum,
          key_ref = excluded.key_ref, uploaded_at = excluded.uploaded_at`,
  );
}

/** A page of a build's symbols, ordered by `place`, the lowercase file name, and the debug id. */
export function listSymbols(
  db: Db,
  gameId: string,
  buildId: string,
  { after, limit }: { after: { place: string; debugId: string } | null; limit: number },
): Promise<(SymbolRow & { place: string })[]> {
  const afterCursor =
    after === null ? sql`` : sql`and (lower(debug_file), debug_id) > (${after.place}::text, ${after.debugId}::text)`;
  return rows(
    db,
    sql<SymbolRow & { place: string }>`
      select ${symbolColumns}, lower(debug_file) as place
      from symbols join symbol_texts using (game_id, checksum)
      where game_id = ${gameId} and build_id = ${buildId} ${afterCursor}
      order by lower(debug_file), debug_id limit ${limit}`,
  );
}

/** The build's symbols with one of these texts, ordered by file name. */
export function symbolsOfTexts(
  db: Db,
  gameId: string,
  buildId: string,
  checksums: readonly string[],
): Promise<SymbolRow[]> {
  return rows(
    db,
    sql<SymbolRow>`
      select ${symbolColumns} from symbols join symbol_texts using (game_id, checksum)
      where game_id = ${gameId} and build_id = ${buildId} and checksum = any(${checksums}::text[])
      order by lower(debug_file), debug_id`,
  );
}

const symbolColumns = sql.raw(
  'symbol_uid, build_id, debug_file, debug_id, os, cpu, size, checksum, state, problem, uploaded_at',
);

/** Deletes one or all symbols of a build and returns their number. The sweep deletes texts that are no longer used. */
export function deleteSymbols(db: Db, gameId: string, buildId: string, symbolUid: string | null): Promise<number> {
  return changed(
    db,
    sql`delete from symbols where game_id = ${gameId} and build_id = ${buildId}
      and (${symbolUid}::uuid is null or symbol_uid = ${symbolUid}::uuid)`,
  );
}

export function findText(db: Db, gameId: string, checksum: string): Promise<TextRow | undefined> {
  return row(
    db,
    sql<TextRow>`select blob_key, state, cache_key, cache_version from symbol_texts
      where game_id = ${gameId} and checksum = ${checksum}`,
  );
}

export type CompiledText = {
  problem: string | null;
  /** Null if the text is unreadable. */
  cache: { key: string; size: number; version: number } | null;
};

/**
 * Records the result of compiling the text with the blob `blobKey`; false if it was compiled or replaced in the
 * meantime.
 */
export async function recordCompiled(
  tx: Tx,
  gameId: string,
  text: { checksum: string; blobKey: string; cacheVersion: number },
  { problem, cache }: CompiledText,
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update symbol_texts set state = ${cache === null ? 'unreadable' : 'compiled'}, problem = ${problem},
        cache_key = ${cache?.key ?? null}, cache_size = ${cache?.size ?? null}, cache_version = ${cache?.version ?? null}
      where game_id = ${gameId} and checksum = ${text.checksum} and blob_key = ${text.blobKey}
        and state <> 'unreadable' and cache_version is distinct from ${text.cacheVersion}`,
  );
  return count === 1;
}

/** The modules of a text: usually one, unless builds spell its name differently. */
export function modulesOfText(
  db: Db,
  gameId: string,
  checksum: string,
): Promise<{ debug_file: string; debug_id: string }[]> {
  return rows(
    db,
    sql<{ debug_file: string; debug_id: string }>`select distinct debug_file, debug_id from symbols
      where game_id = ${gameId} and checksum = ${checksum}`,
  );
}

export async function replaceToken(db: Db, gameId: string, tokenHash: Buffer, prefix: string): Promise<void> {
  await changed(
    db,
    sql`insert into symbol_tokens (game_id, token_hash, prefix) values (${gameId}, ${tokenHash}, ${prefix})
      on conflict (game_id) do update set token_hash = excluded.token_hash, prefix = excluded.prefix, created_at = now()`,
  );
}

export async function deleteToken(tx: Tx, gameId: string): Promise<void> {
  await changed(tx, sql`delete from symbol_tokens where game_id = ${gameId}`);
}

/** The games with texts that no build uses anymore. */
export async function gamesWithUnusedTexts(db: Db): Promise<string[]> {
  const games = await rows(db, sql<{ game_id: string }>`select distinct game_id from symbol_texts where ${isUnused}`);
  return games.map(({ game_id }) => game_id);
}

/** Deletes a game's unused texts and returns the keys of their blobs. Requires `lockSymbols`. */
export async function deleteUnusedTexts(tx: Tx, gameId: string): Promise<string[]> {
  const deleted = await rows(
    tx,
    sql<{ blob_key: string; cache_key: string | null }>`delete from symbol_texts
      where game_id = ${gameId} and ${isUnused} returning blob_key, cache_key`,
  );
  return deleted.flatMap(({ blob_key, cache_key }) => (cache_key === null ? [blob_key] : [blob_key, cache_key]));
}

const isUnused = sql`not exists (select from symbols
  where symbols.game_id = symbol_texts.game_id and symbols.checksum = symbol_texts.checksum)`;

/** Returns the blob keys that a text refers to. */
export async function referencedKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const referenced = await rows(
    db,
    sql<{ key: string }>`
      select blob_key as key from symbol_texts where blob_key = any(${keys}::text[])
      union all select cache_key from symbol_texts where cache_key = any(${keys}::text[])`,
  );
  return new Set(referenced.map(({ key }) => key));
}

/** The blobs that rows refer to. Sizes and checksums of texts are those of the unpacked text. */
export const blobReferences = sql`select blob_key as key, size, checksum as sha256, 'gzip' as packing from symbol_texts
  union all select cache_key, cache_size, null, null from symbol_texts where cache_key is not null`;
