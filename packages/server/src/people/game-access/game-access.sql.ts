// The SQL of which people have access to a game, and of their roles. `games` is a view that excludes deleted games
// (migration 0025).
import type { SignInRequirement } from '@chauffeur/contract/required-sign-in';
import type { Role } from '@chauffeur/contract/roles';
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';
import { isUuid } from '../../kernel/secrets/ids.ts';

export type GameRow = {
  game_id: string;
  /** The owner who is responsible for it: one of the owners of its organisation. */
  owner_id: string;
  organisation_id: string;
  name: string;
  slug: string;
  visibility: 'public' | 'invisible' | 'draft';
  created_at: Date;
  /** When it first became public; null before. */
  published_at: Date | null;
};

/** A game with what its organisation requires of how people sign in. */
export type FoundGame = GameRow & { required_sign_in: SignInRequirement | null };

export type Member = {
  user_id: string;
  name: string;
  email: string;
  /** The highest of the others. */
  role: Role;
  /** The role on this game alone. */
  game_role: Role | null;
  organisation_role: Role | null;
};

export const columns = sql.raw('game_id, owner_id, organisation_id, name, slug, visibility, created_at, published_at');

/** Finds a game by uid, slug or former slug. A slug never has the form of a UUID. */
export async function findGame(db: Db, ref: string): Promise<FoundGame | null> {
  const condition = isUuid(ref)
    ? sql`game_id = ${ref}`
    : sql`game_id = (select game_id from game_slugs where slug = ${ref} limit 1)`;
  const found = await row(
    db,
    sql<FoundGame>`select ${columns}, ${requiredSignIn} as required_sign_in from games where ${condition}`,
  );
  return found ?? null;
}

const requiredSignIn = sql`(select required_sign_in from organisations
  where organisations.organisation_id = games.organisation_id)`;

/** Whether games of the organisation are open to someone who signed in like this. */
export const isOpen = (met: readonly SignInRequirement[]) =>
  sql`coalesce(${requiredSignIn}, '') = any(${['', ...met]}::text[])`;

/** Finds and locks a game until the transaction ends. */
export async function lockGame(tx: Tx, gameId: string): Promise<GameRow | null> {
  const game = await row(tx, sql<GameRow>`select ${columns} from games where game_id = ${gameId} for update`);
  return game ?? null;
}

/**
 * The games on which the person has a role; only those whose organisation requires nothing else than `met`, if given.
 */
export function listRoles(
  db: Db,
  userId: string,
  met: readonly SignInRequirement[] | null,
): Promise<{ game_id: string; role: Role }[]> {
  return rows(
    db,
    sql<{ game_id: string; role: Role }>`select game_id, role from games
      join (select game_id, role from game_members where user_id = ${userId}) as membership using (game_id)
      where ${met === null ? sql`true` : isOpen(met)}`,
  );
}

export function listMembers(db: Db, gameId: string): Promise<Member[]> {
  return rows(
    db,
    sql<Member>`select user_id, users.name, email, members.role,
        coalesce((select 'admin' from game_admins where game_admins.game_id = games.game_id and user_id = users.id),
          (select role from game_roles where game_roles.game_id = games.game_id and user_id = users.id)) as game_role,
        (select role from organisation_members as team
          where team.organisation_id = games.organisation_id and team.user_id = users.id) as organisation_role
      from games join game_members as members using (game_id) join users on users.id = members.user_id
      where game_id = ${gameId}
      order by user_id = owner_id desc, members.role = 'owner' desc, members.added_at, user_id`,
  );
}

/** The owners of the game whose accounts are not disabled; the one who is responsible for it is the first. */
export function listOwners(db: Db, gameId: string): Promise<{ user_id: string; name: string; email: string }[]> {
  return rows(
    db,
    sql<{ user_id: string; name: string; email: string }>`select users.id as user_id, users.name, email
      from games join organisation_members as team on team.organisation_id = games.organisation_id
        join users on users.id = team.user_id
      where game_id = ${gameId} and team.role = 'owner' and disabled_at is null
      order by users.id = owner_id desc, team.added_at, users.id`,
  );
}

export type Reachable = { readonly user_id: string; readonly email: string; readonly role: Role };

/** The members who get emails about the game: those whose accounts are not disabled. */
export function listReachable(db: Db, gameId: string): Promise<Reachable[]> {
  return rows(
    db,
    sql<Reachable>`select user_id, email, role from game_members join users on users.id = user_id
      where game_id = ${gameId} and disabled_at is null order by added_at, user_id`,
  );
}

/** Sets the person's role on this game alone. Admins have a separate table; see migration 0055. */
export async function setRole(tx: Tx, gameId: string, userId: string, role: Exclude<Role, 'owner'>): Promise<void> {
  await deleteRole(tx, gameId, userId);
  await changed(
    tx,
    role === 'admin'
      ? sql`insert into game_admins (game_id, user_id) values (${gameId}, ${userId}) on conflict do nothing`
      : sql`insert into game_roles (game_id, user_id, role) values (${gameId}, ${userId}, ${role})
          on conflict (game_id, user_id) do update set role = excluded.role`,
  );
}

/** Removes the person's role on this game alone. False if they had none. */
export async function deleteRole(db: Db, gameId: string, userId: string): Promise<boolean> {
  const ofPerson = sql`game_id = ${gameId} and user_id = ${userId}`;
  const lower = await changed(db, sql`delete from game_roles where ${ofPerson}`);
  const admin = await changed(db, sql`delete from game_admins where ${ofPerson}`);
  return lower + admin > 0;
}

/** Makes `to` the owner of the game, in their own organisation, and `from`, a former owner, an admin. */
export async function changeOwner(tx: Tx, gameId: string, { from, to }: { from: string; to: string }): Promise<void> {
  // A trigger sets their own organisation.
  await changed(
    tx,
    sql`update games set owner_id = ${to}, organisation_id = null, updated_at = now() where game_id = ${gameId}`,
  );
  await deleteRole(tx, gameId, to);
  await setRole(tx, gameId, from, 'admin');
}

/** The highest role of the person on the game; null if they have none. */
export async function roleOnGame(db: Db, gameId: string, userId: string): Promise<Role | null> {
  const membership = await row(
    db,
    sql<{ role: Role }>`select role from game_members where game_id = ${gameId} and user_id = ${userId}`,
  );
  return membership?.role ?? null;
}

export type Membership = {
  readonly game_id: string;
  readonly user_id: string;
  readonly required_sign_in: SignInRequirement | null;
  readonly has_second_factor: boolean;
};

/** The roles that these people have on these games, by `game user`. */
export async function listMemberships(
  db: Db,
  pairs: readonly { readonly gameId: string; readonly userId: string }[],
): Promise<ReadonlyMap<string, Membership>> {
  if (pairs.length === 0) return new Map();
  const gameIds = [...new Set(pairs.map(({ gameId }) => gameId))];
  const userIds = [...new Set(pairs.map(({ userId }) => userId))];
  const members = await rows(
    db,
    sql<Membership>`select game_id, user_id, ${requiredSignIn} as required_sign_in,
        two_factor_enabled or exists (select from user_passkeys where user_passkeys.user_id = users.id) as has_second_factor
      from games join (
        select game_id, user_id from game_members
          where game_id = any(${gameIds}::uuid[]) and user_id = any(${userIds}::text[])
      ) as members using (game_id) join users on users.id = user_id`,
  );
  return new Map(members.map((member) => [`${member.game_id} ${member.user_id}`, member]));
}

export function readOwner(db: Db, gameId: string) {
  return row(
    db,
    sql<{
      name: string;
      slug: string;
      visibility: string;
      owner_name: string;
      owner_handle: string | null;
      owner_verified: boolean;
    }>`
      select games.name, slug, visibility, users.name as owner_name, handle as owner_handle, email_verified as owner_verified
      from games join users on users.id = owner_id where game_id = ${gameId}`,
  );
}
