// Former addresses: slugs of games and organisations, and handles of developers. They keep leading to what had them until
// something else takes them.
import { sql } from 'kysely';
import { changed, type Tx } from '../kernel/database/db.ts';

/** How long the address of a deleted or renamed object is reserved: until old links have fallen out of use. */
export const RESERVED_DAYS = 90;
/** How many former addresses lead to an object. The newest are kept, so no one can collect addresses by renaming. */
const MAX_FORMER = 10;

/** A table of former addresses, its column with them, and the one with the id of what had them. */
type Kind = { readonly table: string; readonly address: string; readonly owner: string };

export const FORMER_SLUGS: Kind = { table: 'former_slugs', address: 'slug', owner: 'game_id' };
export const FORMER_HANDLES: Kind = { table: 'former_handles', address: 'handle', owner: 'user_id' };
export const FORMER_ORGANISATION_SLUGS: Kind = {
  table: 'former_organisation_slugs',
  address: 'slug',
  owner: 'organisation_id',
};

type FormerAddress = { owner: string; address: string; now: Date; reservedUntil: Date | null };

/** Records a former address. */
export async function keepFormerAddress(
  tx: Tx,
  kind: Kind,
  { owner, address, now, reservedUntil }: FormerAddress,
): Promise<void> {
  const [table, addressColumn, ownerColumn] = columnsOf(kind);
  await changed(
    tx,
    sql`insert into ${table} (${addressColumn}, ${ownerColumn}, renamed_at, reserved_until)
      values (${address}, ${owner}, ${now}, ${reservedUntil})
      on conflict (${addressColumn}) do update set ${ownerColumn} = excluded.${ownerColumn},
        renamed_at = excluded.renamed_at, reserved_until = excluded.reserved_until`,
  );
  await changed(
    tx,
    sql`delete from ${table} where ${ownerColumn} = ${owner} and ${addressColumn} in (
        select ${addressColumn} from ${table} where ${ownerColumn} = ${owner}
        order by renamed_at desc, ${addressColumn} offset ${MAX_FORMER})`,
  );
}

/** Stops the address from leading to what had it, because something else has it now. */
export async function endFormerAddress(tx: Tx, kind: Kind, address: string): Promise<void> {
  const [table, addressColumn] = columnsOf(kind);
  await changed(tx, sql`delete from ${table} where ${addressColumn} = ${address}`);
}

const columnsOf = ({ table, address, owner }: Kind) => [sql.table(table), sql.ref(address), sql.ref(owner)] as const;

/** The address is reserved, because something else that was renamed or deleted had it. */
export class ReservedAddressError extends Error {
  override readonly name = 'ReservedAddressError';
}
