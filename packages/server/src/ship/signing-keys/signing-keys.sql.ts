// The SQL of signing keys.
import { sql } from 'kysely';
import { changed, type Db, row, rows } from '../../kernel/database/db.ts';

export type SigningKeyRow = {
  key_id: string;
  generation: number;
  public_key: Buffer;
  sealed_private_key: Buffer;
  succession: Buffer | null;
  created_at: Date;
};

const columns = sql.raw('key_id, generation, public_key, sealed_private_key, succession, created_at');

/** All keys, newest first. */
export function listSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  return rows(db, sql<SigningKeyRow>`select ${columns} from signing_keys order by generation desc`);
}

export function newestSigningKey(db: Db): Promise<SigningKeyRow | undefined> {
  return row(db, sql<SigningKeyRow>`select ${columns} from signing_keys order by generation desc limit 1`);
}

/** Returns false if another process has added a key of this generation. */
export async function insertSigningKey(db: Db, key: SigningKeyRow): Promise<boolean> {
  const count = await changed(
    db,
    sql`insert into signing_keys (${columns})
      values (${key.key_id}, ${key.generation}, ${key.public_key}, ${key.sealed_private_key}, ${key.succession},
        ${key.created_at})
      on conflict (generation) do nothing`,
  );
  return count === 1;
}
