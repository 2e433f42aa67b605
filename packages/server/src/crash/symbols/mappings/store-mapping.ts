// Stores scripts, source maps, and mappings of ProGuard, R8 and IL2CPP, and records what they belong to: a build, a
// release, or all builds with their debug id. Other features call `storeMapping` for each file, then `recordMappings`.
// The keys are `symbols/<game>/<id>.mapping.gz`.
import { createHash } from 'node:crypto';
import { ApiError, errors } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import { debugIdOf } from '@chauffeur/sentry/ids';
import { MappingFactsReader } from '@chauffeur/sentry/mappings/mapping-facts';
import { MAX_MAPPING_BYTES, type MappingKind } from '@chauffeur/sentry/mappings/mapping-kind';
import { mapUrlOf, scriptUrlOf } from '@chauffeur/sentry/mappings/script-url';
import type { Context } from '../../../context.ts';
import type { ByteSource } from '../../../kernel/blobs/store.ts';
import { type Db, type Tx, transact } from '../../../kernel/database/db.ts';
import { addJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { orDeletedBuild } from '../../../ship/builds/builds.ts';
import { enforceQuota, type FreeStorage } from '../../../ship/usage/usage.ts';
import {
  asStoreFailure,
  dropSymbolBlobs,
  formatFileName,
  SYMBOLS_PREFIX,
  storeFailure,
  storeGzipped,
  toShownName,
} from '../store-text.ts';
import { lockSymbols } from '../symbols.sql.ts';
import * as sql from './mappings.sql.ts';

export type MappingUpload = {
  readonly kind: MappingKind;
  /** The name in the upload, also of any length. */
  readonly fileName: string;
  readonly source: ByteSource;
  readonly storage: FreeStorage;
  /** A UUID in any form, if the caller knows one. Otherwise it is read from the file. */
  readonly debugId?: string;
  /** The build that the file belongs to, or the release that the uploader names. Without either, it serves all builds. */
  readonly buildId?: string;
  readonly release?: string;
  readonly dist?: string;
  /** Where players load a script or a source map from: a URL, or a path such as `~/assets/game.js`. */
  readonly url?: string;
  /** Where the source map of a script is, if the script itself doesn't say so: relative to it, or a URL. */
  readonly sourceMapUrl?: string;
};

/** A file with a durable blob that is not recorded yet. */
export type StoredMapping = sql.NewMapping;

const MAX_NAME_LENGTH = 200;

/**
 * Stores a file. Throws `tooLarge`, `storageLimitReached`, `symbolsNotStored`, and API errors of the source, after which
 * nothing is kept. Whether the file can be read is checked by a job.
 */
export async function storeMapping(ctx: Context, gameId: string, upload: MappingUpload): Promise<StoredMapping> {
  const { kind, fileName, source, storage, buildId = null } = upload;
  const blobKey = `${SYMBOLS_PREFIX}${gameId}/${newId()}.mapping.gz`;
  const hash = createHash('sha256');
  const reader = new MappingFactsReader(kind);
  let size = 0;
  async function* measured() {
    for await (const bytes of source) {
      size += bytes.length;
      if (size > MAX_MAPPING_BYTES) throw mappingTooLarge(fileName);
      hash.update(bytes);
      reader.write(bytes);
      yield bytes;
    }
  }
  let storedSize: number;
  try {
    storedSize = await storeGzipped(ctx, blobKey, measured(), storage);
  } catch (error) {
    await dropSymbolBlobs(ctx, [blobKey]);
    throw storeFailure(error);
  }
  const facts = reader.finish();
  const isOfScript = kind === 'script' || kind === 'source_map';
  const url = isOfScript ? scriptUrlOf(upload.url ?? '') : '';
  return {
    mappingUid: newId(),
    kind,
    buildId,
    debugId: debugIdOf(upload.debugId ?? '') ?? facts.debugId,
    release: nameOf(upload.release),
    dist: nameOf(upload.dist),
    url,
    mapUrl: facts.hasInlineMap ? url : mapUrlOf(url, facts.sourceMapUrl || (upload.sourceMapUrl ?? '')),
    fileName: toShownName(fileName.replace(/^.*[/\\]/s, '')),
    size,
    storedSize,
    checksum: hash.digest('hex'),
    blobKey,
  };
}

function nameOf(text = ''): string {
  return text.slice(0, MAX_NAME_LENGTH).replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '');
}

function mappingTooLarge(name: string): ApiError {
  return errors.tooLarge(
    `${formatFileName(name)} is larger than ${MAX_MAPPING_BYTES / MIB} MB, the limit for a script or a mapping. Leave it out.`,
  );
}

/**
 * Records stored files, all or none, and enqueues the jobs that check them and process reports again that miss them.
 * Files with the same address replace each other. Throws `storageLimitReached`, `unknownBuildOfFile` and
 * `symbolsNotStored`. Blobs that aren't needed are deleted.
 */
export async function recordMappings(
  ctx: Context,
  gameId: string,
  { keyRef, mappings }: { readonly keyRef: string; readonly mappings: readonly StoredMapping[] },
): Promise<sql.RecordedMapping[]> {
  const keys = mappings.map(({ blobKey }) => blobKey);
  const recorded = await transact(ctx.db, async (tx) => {
    await lockSymbols(tx, gameId);
    const rows = await insertMappings(tx, gameId, keyRef, mappings);
    if (rows.length > 0) await enforceQuota(ctx, tx, gameId);
    return rows;
  }).catch(async (cause) => {
    const error = orDeletedBuild(cause);
    // An ApiError means that nothing was recorded.
    if (error instanceof ApiError) await dropSymbolBlobs(ctx, keys);
    throw asStoreFailure(error);
  });
  const used = new Set(recorded.map(({ blob_key }) => blob_key));
  await dropSymbolBlobs(
    ctx,
    keys.filter((key) => !used.has(key)),
  );
  return recorded;
}

/** Adds the rows and jobs of stored files. Requires `lockSymbols`. */
export async function insertMappings(
  tx: Tx,
  gameId: string,
  keyRef: string,
  mappings: readonly StoredMapping[],
): Promise<sql.RecordedMapping[]> {
  if (mappings.length === 0) return [];
  const byAddress = new Map(mappings.map((mapping) => [addressOf(mapping), mapping]));
  const byContent = new Map(mappings.map((mapping) => [`${mapping.kind} ${mapping.checksum}`, mapping]));
  const distinct = [...byAddress.values()].map((mapping) => {
    const { blobKey, storedSize } = byContent.get(`${mapping.kind} ${mapping.checksum}`)!;
    return { ...mapping, blobKey, storedSize };
  });
  const rows = await sql.upsertMappings(tx, gameId, keyRef, distinct);
  for (const { checksum } of rows.filter(({ state }) => state === 'stored')) await enqueueCheck(tx, gameId, checksum);
  for (const { checksum } of rows.filter(({ state }) => state === 'compiled'))
    await enqueueMappingsArrived(tx, gameId, checksum);
  return rows;
}

function addressOf({ kind, buildId, debugId, release, dist, url, fileName }: sql.MappingAddress): string {
  return JSON.stringify([kind, buildId, debugId, release, dist, url, fileName]);
}

export type ContentPayload = { gameId: string; checksum: string };

/** With delays of e^n seconds, the attempts cover an outage of about a day. */
export const checkMappingJob = defineJob<ContentPayload>('mappings:check', { attempts: 12, lane: 'long' });

function enqueueCheck(db: Db, gameId: string, checksum: string): Promise<void> {
  return addJob(db, checkMappingJob, { gameId, checksum }, `${checkMappingJob.task}/${gameId}/${checksum}`);
}

/** A content has become usable, so reports without it can be processed again. */
export const mappingsArrivedJob = defineJob<ContentPayload>('mappings:arrived', { attempts: 6, lane: 'long' });

export function enqueueMappingsArrived(db: Db, gameId: string, checksum: string): Promise<void> {
  return addJob(db, mappingsArrivedJob, { gameId, checksum }, `${mappingsArrivedJob.task}/${gameId}/${checksum}`);
}
