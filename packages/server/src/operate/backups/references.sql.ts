// The SQL of blob references: which blobs the rows of all features refer to.
import { sql } from 'kysely';
import { eventFileBlobs as eventFiles } from '../../analytics/events/events.ts';
import { reportBlobs as crashes, waitingBlobs as waiting } from '../../crash/crashes/crashes.ts';
import { symbolBlobs as symbols } from '../../crash/symbols/symbols.sql.ts';
import { changed, type Db, onlyRow, rows } from '../../kernel/database/db.ts';
import { gameFileBlobs as files } from '../../ship/files/files.sql.ts';
import { imageBlobs as media } from '../../ship/media/media.sql.ts';
import { patchBlobs as patches } from '../../ship/patches/patches.sql.ts';
import { openBlobs } from '../../ship/uploads/uploads.sql.ts';
import { videoBlobs as videos } from '../../ship/videos/videos.sql.ts';
import { ticketBlobs as tickets } from '../../shop/bugs/bugs.sql.ts';

/**
 * A blob that a row refers to. The size and the checksum are those of the unpacked content; null if they are unknown.
 */
export type BlobReference = {
  readonly key: string;
  readonly size: number | null;
  readonly sha256: string | null;
  readonly packing: 'gzip' | 'zstd' | null;
};

const references = sql`(${files} union all ${symbols} union all ${media} union all ${videos}
  union all ${patches} union all ${tickets} union all ${crashes} union all ${waiting} union all ${eventFiles})`;

/** Collects the references of all rows in a temporary table, from one snapshot. Returns their number. */
export function collectReferences(db: Db): Promise<number> {
  return rows(
    db,
    sql`create temporary table blob_references
      (key text collate "C" primary key, size bigint, sha256 text, packing text)`,
  ).then(() =>
    changed(
      db,
      sql`insert into blob_references select key, size, sha256, packing from ${references} as reference
        on conflict do nothing`,
    ),
  );
}

/** Yields the collected references in pages, ordered by key. */
export async function* pageReferences(db: Db, pageSize: number): AsyncGenerator<BlobReference[]> {
  for (let after = ''; ; ) {
    const page = await rows(
      db,
      sql<BlobReference>`select key, size, sha256, packing from blob_references
        where key > ${after} collate "C" order by key limit ${pageSize}`,
    );
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)!.key;
  }
}

/** Whether a row refers to the blob now. */
export async function isReferenced(db: Db, key: string): Promise<boolean> {
  const { found } = await onlyRow(
    db,
    sql<{ found: boolean }>`select exists (select from ${references} as reference where key = ${key}) as found`,
  );
  return found;
}

/** Returns the keys to which neither a collected reference nor an open upload refers. */
export async function withoutReference(db: Db, keys: readonly string[]): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ key: string }>`select key from unnest(${keys}::text[]) as listed (key)
      where not exists (select from blob_references where blob_references.key = listed.key collate "C")
        and key not in (${openBlobs})`,
  );
  return found.map(({ key }) => key);
}
