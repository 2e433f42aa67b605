// The SQL of second factors, passkeys and trusted browsers, in addition to the statements of better-auth.
import { sql } from 'kysely';
import { changed, type Db, row, type Tx } from '../../kernel/database/db.ts';

/** What an account has besides its password. */
export type Factors = { totp: boolean; passkeys: number; sso: boolean; password: boolean };

/** Undefined if the account was deleted. */
export function readFactors(db: Db, userId: string): Promise<Factors | undefined> {
  return row(
    db,
    sql<Factors>`select two_factor_enabled as totp,
        (select count(*) from user_passkeys where user_id = users.id) as passkeys,
        exists (select from user_credentials where user_id = users.id and provider_id <> 'credential') as sso,
        exists (select from user_credentials where user_id = users.id and password is not null) as password
      from users where id = ${userId}`,
  );
}

/** Whether the account has an authenticator app or a passkey. */
export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  const found = await row(
    db,
    sql<{
      has: boolean;
    }>`select two_factor_enabled or exists (select from user_passkeys where user_id = users.id) as has
      from users where id = ${userId}`,
  );
  return found?.has === true;
}

export async function markTrustedBrowser(db: Db, sessionId: string): Promise<void> {
  await changed(db, sql`update user_sessions set sign_in_method = 'trusted_browser' where id = ${sessionId}`);
}

/**
 * Forgets the browsers that may skip the second factor, and sign-ins that wait for it. Both are stored with the account
 * id as their value.
 */
export async function forgetTrust(db: Db, userId: string): Promise<void> {
  await changed(
    db,
    sql`delete from user_verifications
      where value = ${userId} and (identifier like 'trust-device%' or identifier like '2fa%')`,
  );
}

/** The account's authenticator app, with its encrypted secret; undefined if it has none. */
export function readTotp(
  db: Db,
  userId: string,
): Promise<{ secret: string; last_used_step: number | null } | undefined> {
  return row(db, sql`select secret, last_used_step from user_two_factors where user_id = ${userId}`);
}

/** Marks the code of a time step as used. False if it, or a later one, was used before. */
export async function useStep(db: Db, userId: string, step: number): Promise<boolean> {
  const count = await changed(
    db,
    sql`update user_two_factors set last_used_step = ${step}
      where user_id = ${userId} and coalesce(last_used_step, -1) < ${step}`,
  );
  return count === 1;
}

/** Removes the authenticator app, the backup codes and all passkeys. Returns whether there was anything. */
export async function deleteFactors(tx: Tx, userId: string): Promise<boolean> {
  const counts = [
    await changed(tx, sql`delete from user_two_factors where user_id = ${userId}`),
    await changed(tx, sql`delete from user_passkeys where user_id = ${userId}`),
    await changed(
      tx,
      sql`update users set two_factor_enabled = false, updated_at = now()
      where id = ${userId} and two_factor_enabled`,
    ),
  ];
  return counts.some((count) => count > 0);
}
