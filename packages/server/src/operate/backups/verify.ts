// Checks every blob of the installation against its row, while the service runs.
import type pg from 'pg';
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { withSession } from '../../kernel/database/db.ts';
import { type BlobProblem, checkBlob } from './check-blob.ts';
import { forEachOfPage } from './for-each.ts';
import { collectReferences, isReferenced, pageReferences, withoutReference } from './references.sql.ts';

const PAGE = 500;

export type Verification = {
  /** The number of blobs that rows refer to. */
  readonly blobs: number;
  readonly problems: readonly BlobProblem[];
  /** The number of blobs that are older than a day and belong to no row. */
  readonly orphans: number;
};

export type VerifyReport = { problem(problem: BlobProblem): void; orphan(key: string): void };

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
