// The SQL of games and their members.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows } from '../../kernel/db.ts';
import { isUuid } from '../../kernel/ids.ts';

export type GameRow = {
  game_id: string;
  owner_id: string;
  name: string;
  slug: string;
  visibility: 'public' | 'invisible' | 'draft';
  created_at: Date;
};

type Member = { user_id: string; name: string; email: string; role: 'owner' | 'admin' };

const columns = sql.raw('game_id, owner_id, name, slug, visibility, created_at');

export function insertGame(
  db: Db,
  game: { gameId: string; ownerId: string; name: string; slug: string; visibility: string },
): Promise<GameRow> {
  return onlyRow(
    db,
    sql<GameRow>`insert into games (game_id, owner_id, name, slug, visibility)
      values (${game.gameId}, ${game.ownerId}, ${game.name}, ${game.slug}, ${game.visibility}) returning ${columns}`,
  );
}

export function updateGame(
  db: Db,
  gameId: string,
  next: { name: string; slug: string; visibility: string },
): Promise<GameRow> {
  return onlyRow(
    db,
    sql<GameRow>`update games set name = ${next.name}, slug = ${next.slug}, visibility = ${next.visibility}, updated_at = now()
      where game_id = ${gameId} returning ${columns}`,
  );
}

/** A slug has the form of a UUID for nobody: a uid is never taken for a slug. */
export async function findGame(db: Db, ref: string): Promise<GameRow | null> {
  const condition = isUuid(ref) ? sql`game_id = ${ref}` : sql`slug = ${ref}`;
  return (await row(db, sql<GameRow>`select ${columns} from games where ${condition}`)) ?? null;
}

export function listGamesOf(db: Db, userId: string): Promise<GameRow[]> {
  return rows(
    db,
    sql<GameRow>`select ${columns} from games
      where owner_id = ${userId} or game_id in (select game_id from game_admins where user_id = ${userId})
      order by created_at desc, game_id desc`,
  );
}

export function listMembers(db: Db, gameId: string): Promise<Member[]> {
  return rows(
    db,
    sql<Member>`
      select users.id as user_id, users.name, email, 'owner' as role from games join users on users.id = owner_id where game_id = ${gameId}
      union all
      (select users.id, users.name, email, 'admin' from game_admins join users on users.id = user_id where game_id = ${gameId} order by added_at)`,
  );
}

export async function insertAdmin(db: Db, gameId: string, userId: string): Promise<void> {
  await changed(
    db,
    sql`insert into game_admins (game_id, user_id) values (${gameId}, ${userId}) on conflict do nothing`,
  );
}

export async function deleteAdmin(db: Db, gameId: string, userId: string): Promise<void> {
  await changed(db, sql`delete from game_admins where game_id = ${gameId} and user_id = ${userId}`);
}

export async function isAdmin(db: Db, gameId: string, userId: string): Promise<boolean> {
  return (
    (await row(db, sql`select 1 from game_admins where game_id = ${gameId} and user_id = ${userId}`)) !== undefined
  );
}

export function readOwner(db: Db, gameId: string) {
  return onlyRow(
    db,
    sql<{ name: string; slug: string; visibility: string; owner_name: string; owner_verified: boolean }>`
      select games.name, slug, visibility, users.name as owner_name, email_verified as owner_verified
      from games join users on users.id = owner_id where game_id = ${gameId}`,
  );
}
