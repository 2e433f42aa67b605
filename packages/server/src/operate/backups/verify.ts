// Checks every blob of the installation against its row, while the service runs.

import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import type pg from 'pg';
import type { Context } from '../../context.ts';
import { BlobCursor } from '../../kernel/blobs/blob-bytes.ts';
import { bytesOf } from '../../kernel/blobs/byte-source.ts';
import { BlobMissingError, type BlobStore } from '../../kernel/blobs/store.ts';
import { DAY } from '../../kernel/clock.ts';
import { withSession } from '../../kernel/database/db.ts';
import { forEachOfPage } from './backup-files.ts';
import {
  type BlobReference,
  collectReferences,
  isReferenced,
  pageReferences,
  withoutReference,
} from './references.sql.ts';

const PAGE = 500;

type Verification = {
  /** The number of blobs that rows refer to. */
  readonly blobs: number;
  readonly problems: readonly BlobProblem[];
  /** The number of blobs that are older than a day and belong to no row. */
  readonly orphans: number;
};

type VerifyReport = { problem(problem: BlobProblem): void; orphan(key: string): void };

/**
 * Reads each blob that a row refers to, and compares its size and its checksum with the row, as far as the row has
 * them. Rows that change in the meantime cause no findings.
 */
export function verifyBlobs(ctx: Context, pool: pg.Pool, report: VerifyReport): Promise<Verification> {
  return withSession(pool, async ({ db }) => {
    const problems: BlobProblem[] = [];
    const blobs = await collectReferences(db);
    for await (const page of pageReferences(db, PAGE)) {
      await forEachOfPage(page, async (reference) => {
        const problem = await checkBlob(ctx.blobs, reference);
        if (problem === null || !(await isReferenced(ctx.db, reference.key))) return;
        problems.push(problem);
        report.problem(problem);
      });
    }
    let orphans = 0;
    for await (const keys of pageOldKeys(ctx)) {
      for (const key of await withoutReference(db, keys)) {
        orphans += 1;
        report.orphan(key);
      }
    }
    return { blobs, problems, orphans };
  });
}

/** A blob is written before its row, so younger blobs may still get one. */
async function* pageOldKeys({ blobs, clock }: Context): AsyncGenerator<string[]> {
  const before = clock.now().getTime() - DAY;
  let page: string[] = [];
  for await (const { key, modifiedAt } of blobs.list('')) {
    if (modifiedAt.getTime() < before) page.push(key);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** `detail` says what is wrong with a damaged blob. */
type BlobProblem = { readonly key: string; readonly problem: 'missing' | 'damaged'; readonly detail: string };

const UNPACKERS = { gzip: createGunzip, zstd: createZstdDecompress };

/** Reads the blob and returns what is wrong with it; null if it is intact. Errors of the blob store pass through. */
async function checkBlob(blobs: BlobStore, reference: BlobReference): Promise<BlobProblem | null> {
  const { key, size, sha256, packing } = reference;
  const stored = await blobs.stat(key);
  if (stored === null) return { key, problem: 'missing', detail: 'there is no such blob' };
  if (packing === null && size !== null && stored.size !== size) return damaged(key, stored.size, size);
  try {
    const content = await readContent(blobs, reference, stored.size);
    if (content === null) return { key, problem: 'damaged', detail: `cannot be unpacked` };
    if (size !== null && content.size !== size) return damaged(key, content.size, size);
    const isSame = sha256 === null || content.sha256 === sha256;
    return isSame ? null : { key, problem: 'damaged', detail: `SHA-256 ${content.sha256} instead of ${sha256}` };
  } catch (error) {
    if (error instanceof BlobMissingError) return { key, problem: 'missing', detail: 'there is no such blob' };
    throw error;
  }
}

function damaged(key: string, size: number, expected: number): BlobProblem {
  return { key, problem: 'damaged', detail: `${size} bytes instead of ${expected}` };
}

/** The size and the checksum of the unpacked content; null if the blob cannot be unpacked. */
async function readContent(
  blobs: BlobStore,
  { key, packing }: BlobReference,
  storedSize: number,
): Promise<{ size: number; sha256: string } | null> {
  const hash = createHash('sha256');
  let size = 0;
  const stored = new BlobCursor(blobs, key, storedSize).stream(storedSize);
  let failure: unknown;
  async function* guarded(): AsyncGenerator<Buffer> {
    try {
      yield* stored;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  try {
    for await (const bytes of packing === null ? guarded() : unpack(guarded(), packing)) {
      size += bytes.length;
      hash.update(bytes);
    }
  } catch (error) {
    // An error of the blob store says nothing about the blob.
    if (failure !== undefined || packing === null) throw failure ?? error;
    return null;
  }
  return { size, sha256: hash.digest('hex') };
}

function unpack(source: AsyncIterable<Buffer>, packing: 'gzip' | 'zstd'): AsyncIterable<Uint8Array> {
  const unpacker = UNPACKERS[packing]();
  pipeline(source, unpacker, () => undefined);
  return bytesOf(() => unpacker);
}
