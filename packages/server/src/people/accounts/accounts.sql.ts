// The SQL of accounts, in addition to the statements of better-auth.
import { sql } from 'kysely';
import type { User } from '../../context.ts';
import { changed, type Db, onlyRow, row, rows, type Tx, transact } from '../../kernel/database/db.ts';
import { newId, newSecret } from '../../kernel/secrets/ids.ts';

/** Returns the secret with this name. The first process to request it creates it. */
export async function keepServiceSecret(db: Db, name: string): Promise<string> {
  await changed(
    db,
    sql`insert into service_secrets (name, value) values (${name}, ${newSecret(48)}) on conflict do nothing`,
  );
  const { value } = await onlyRow(db, sql<{ value: string }>`select value from service_secrets where name = ${name}`);
  return value;
}

export async function findUser(db: Db, email: string): Promise<User | null> {
  const user = await row(
    db,
    sql<User>`select id, name, email, email_verified as "emailVerified" from users where email = ${email.trim().toLowerCase()}`,
  );
  return user ?? null;
}

/** The names of these accounts, by their ids. */
export async function findNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const users = await rows(db, sql<{ id: string; name: string }>`select id, name from users where id = any(${ids})`);
  return new Map(users.map(({ id, name }) => [id, name]));
}

export async function findUserById(db: Db, id: string): Promise<User | null> {
  const user = await row(
    db,
    sql<User>`select id, name, email, email_verified as "emailVerified" from users where id = ${id}`,
  );
  return user ?? null;
}

/** Those of these session tokens that are still valid. */
export async function listLiveSessions(db: Db, tokens: readonly string[], now: Date): Promise<ReadonlySet<string>> {
  if (tokens.length === 0) return new Set();
  const sessions = await rows(
    db,
    sql<{
      token: string;
    }>`select token from user_sessions where token = any(${tokens}::text[]) and expires_at > ${now}`,
  );
  return new Set(sessions.map(({ token }) => token));
}

/** Null for an account without a password. */
export async function readPasswordHash(db: Db, userId: string): Promise<string | null> {
  const credential = await row(
    db,
    sql<{ password: string | null }>`select password from user_credentials
      where user_id = ${userId} and provider_id = 'credential'`,
  );
  return credential?.password ?? null;
}

export async function isOperator(db: Db, id: string): Promise<boolean> {
  return (await row(db, sql`select from users where id = ${id} and operator`)) !== undefined;
}

export async function setOperator(db: Db, email: string, operator: boolean): Promise<void> {
  await changed(
    db,
    sql`update users set operator = ${operator}, updated_at = now() where email = ${email.trim().toLowerCase()}`,
  );
}

export type NewUser = { id: string; name: string; email: string; passwordHash: string; operator: boolean };

/** Inserts a verified account with a password, as better-auth does. Violates a unique index if the email is taken. */
export async function insertUser(tx: Tx, { id, name, email, passwordHash, operator }: NewUser): Promise<void> {
  await changed(
    tx,
    sql`insert into users (id, name, email, email_verified, operator) values (${id}, ${name}, ${email}, true, ${operator})`,
  );
  await changed(
    tx,
    sql`insert into user_credentials (id, user_id, account_id, provider_id, password)
      values (${newId()}, ${id}, ${id}, 'credential', ${passwordHash})`,
  );
}

/** Also marks the email as verified. Returns false if the account was deleted. */
export async function appointOperator(tx: Tx, userId: string): Promise<boolean> {
  const appointed = await changed(
    tx,
    sql`update users set operator = true, email_verified = true, updated_at = now() where id = ${userId}`,
  );
  return appointed > 0;
}

export async function markVerified(db: Db, email: string): Promise<void> {
  await changed(
    db,
    sql`update users set email_verified = true, updated_at = now() where email = ${email.trim().toLowerCase()}`,
  );
}

export async function readHandle(db: Db, userId: string): Promise<string | null> {
  const { handle } = await onlyRow(db, sql<{ handle: string | null }>`select handle from users where id = ${userId}`);
  return handle;
}

/** The handle, which only this transaction can change until it ends. */
export async function lockHandle(tx: Tx, userId: string): Promise<string | null> {
  const { handle } = await onlyRow(
    tx,
    sql<{ handle: string | null }>`select handle from users where id = ${userId} for no key update`,
  );
  return handle;
}

/** Violates the unique index if another account has the handle. */
export async function updateHandle(db: Db, userId: string, handle: string | null): Promise<void> {
  await changed(db, sql`update users set handle = ${handle}, updated_at = now() where id = ${userId}`);
}

/** Whether the handle is a former one of another account's, and reserved at `now`. */
export async function isReservedHandle(db: Db, handle: string, userId: string, now: Date): Promise<boolean> {
  const reservation = await row(
    db,
    sql`select from former_handles where handle = ${handle} and reserved_until > ${now} and user_id <> ${userId}`,
  );
  return reservation !== undefined;
}

/** Deletes unused password reset links. They are stored with this prefix and the account id as their value. */
export async function forgetResetLinks(db: Db, userId: string): Promise<void> {
  await changed(db, sql`delete from user_verifications where value = ${userId} and identifier like 'reset-password%'`);
}

/**
 * Deletes the account with everything that belongs only to it; its bug tickets stay with their games, without its name.
 * Violates a foreign key if it owns a game.
 */
export async function deleteUser(db: Db, userId: string): Promise<void> {
  await transact(db, async (tx) => {
    await changed(tx, sql`update bug_tickets set filed_by = '' where user_id = ${userId}`);
    await changed(tx, sql`delete from users where id = ${userId}`);
  });
}

/** Returns how many of them had not expired. */
export async function deleteSessions(db: Db, userId: string): Promise<number> {
  const { ended } = await onlyRow(
    db,
    sql<{ ended: number }>`with ended as (delete from user_sessions where user_id = ${userId} returning expires_at)
      select count(*) as ended from ended where expires_at > now()`,
  );
  return ended;
}

export async function deleteSession(db: Db, sessionId: string): Promise<void> {
  await changed(db, sql`delete from user_sessions where id = ${sessionId}`);
}

/** Undefined if the account was deleted. */
export function findSignInState(
  db: Db,
  userId: string,
): Promise<{ disabled: boolean; has_second_factor: boolean } | undefined> {
  return row(
    db,
    sql<{ disabled: boolean; has_second_factor: boolean }>`select disabled_at is not null as disabled,
        two_factor_enabled or exists (select from user_passkeys where user_id = users.id) as has_second_factor
      from users where id = ${userId}`,
  );
}

/**
 * Locks the account, so that a session that is being stored at the same time is found and deleted afterwards. Returns
 * undefined if there is no such account.
 */
export function lockUser(
  tx: Tx,
  userId: string,
): Promise<{ id: string; email: string; operator: boolean; disabled: boolean } | undefined> {
  return row(
    tx,
    sql<{ id: string; email: string; operator: boolean; disabled: boolean }>`select id, email, operator,
        disabled_at is not null as disabled
      from users where id = ${userId} for update`,
  );
}

/** The operators who can sign in. They stay operators until the transaction ends. */
export async function lockActiveOperators(tx: Tx): Promise<string[]> {
  const found = await rows(
    tx,
    sql<{ id: string }>`select id from users where operator and disabled_at is null order by id for update`,
  );
  return found.map(({ id }) => id);
}

export function listActiveOperators(db: Db): Promise<{ email: string }[]> {
  return rows(
    db,
    sql<{
      email: string;
    }>`select email from users where operator and disabled_at is null and email_verified order by id`,
  );
}

export async function setAccountDisabled(tx: Tx, userId: string, at: Date | null): Promise<void> {
  await changed(tx, sql`update users set disabled_at = ${at}, updated_at = now() where id = ${userId}`);
}
