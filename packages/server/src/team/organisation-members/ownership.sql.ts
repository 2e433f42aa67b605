// The SQL of who owns games: the responsible owner and the organisation.
import { sql } from 'kysely';
import { changed, type Db, rows, type Tx } from '../../kernel/database/db.ts';

/** Makes another owner responsible for the games of the organisation, and returns their ids. */
export async function changeResponsible(
  tx: Tx,
  organisationId: string,
  { from, to }: { from: string; to: string },
): Promise<string[]> {
  const games = await rows(
    tx,
    sql<{ game_id: string }>`update games set owner_id = ${to}, updated_at = now()
      where organisation_id = ${organisationId} and owner_id = ${from} returning game_id`,
  );
  return games.map(({ game_id }) => game_id).toSorted();
}

/** Locks the organisations among these that the person owns, until the transaction ends. */
export function lockOwned(tx: Tx, ids: readonly string[], userId: string): Promise<{ organisation_id: string }[]> {
  return rows(
    tx,
    sql<{ organisation_id: string }>`select organisation_id from organisations
      where organisation_id = any(${ids}::uuid[]) and exists (
        select from organisation_members as own
        where own.organisation_id = organisations.organisation_id and own.user_id = ${userId} and own.role = 'owner')
      order by organisation_id for update`,
  );
}

/** Moves a game, whose responsible owner stays the same if they own the new organisation too. */
export async function moveGameRow(
  tx: Tx,
  gameId: string,
  { organisationId, owner }: { organisationId: string; owner: string },
): Promise<void> {
  await changed(
    tx,
    sql`update games set organisation_id = ${organisationId}, updated_at = now(),
        owner_id = case when exists (
          select from organisation_members as team
          where team.organisation_id = ${organisationId} and team.user_id = games.owner_id and team.role = 'owner')
          then owner_id else ${owner} end
      where game_id = ${gameId}`,
  );
}

type Owned = { organisation_id: string; other_owners: number; games: number };

/** Locks the organisations that the person owns until the transaction ends. */
export async function lockOrganisationsOf(tx: Tx, userId: string): Promise<Owned[]> {
  const locked = await rows(
    tx,
    sql<{ organisation_id: string }>`select organisation_id from organisations
      where organisation_id in (
        select organisation_id from organisation_members where user_id = ${userId} and role = 'owner')
      order by organisation_id for update`,
  );
  const ids = locked.map(({ organisation_id }) => organisation_id);
  return rows(
    tx,
    sql<Owned>`select organisation_id,
        (select count(*) from organisation_members as other
          where other.organisation_id = organisations.organisation_id and other.role = 'owner'
            and other.user_id <> ${userId}) as other_owners,
        (select count(*) from games where games.organisation_id = organisations.organisation_id) as games
      from organisations where organisation_id = any(${ids}::uuid[])`,
  );
}

/** The games of organisations that only this person owns. */
export function listGamesOfOnlyOwner(db: Db, userId: string): Promise<{ slug: string }[]> {
  return rows(
    db,
    sql<{ slug: string }>`select games.slug from games
        join organisation_members as own on own.organisation_id = games.organisation_id
      where own.user_id = ${userId} and own.role = 'owner' and not exists (
        select from organisation_members as other
        where other.organisation_id = games.organisation_id and other.role = 'owner' and other.user_id <> ${userId})
      order by games.slug`,
  );
}

/** Deletes an organisation. Violates a foreign key if it has games. */
export async function deleteEmptyOrganisation(tx: Tx, organisationId: string): Promise<void> {
  await changed(tx, sql`delete from organisations where organisation_id = ${organisationId}`);
}
