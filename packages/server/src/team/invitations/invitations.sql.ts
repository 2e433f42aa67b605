// The SQL of invitations of admins and of transfers, and what both kinds of invitations share: their tables have the
// same columns about the state.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

export type InvitationRow = {
  game_id: string;
  invitation_id: string;
  role: 'admin' | 'owner';
  email: string;
  inviter_id: string | null;
  invited_by: string;
  state: 'pending' | 'accepted' | 'declined' | 'withdrawn';
  invited_at: Date;
  sent_at: Date;
  expires_at: Date;
};

/** An invitation with its game, which is not deleted. */
export type FoundInvitation = InvitationRow & { slug: string; game_name: string };

const columns = sql.raw(
  'game_id, invitation_id, role, email, inviter_id, invited_by, state, invited_at, sent_at, expires_at',
);

export type NewInvitation = Pick<InvitationRow, 'game_id' | 'invitation_id' | 'role' | 'email' | 'invited_by'> & {
  inviter_id: string;
  token_hash: Buffer;
  now: Date;
  expires_at: Date;
};

export function insertInvitation(tx: Tx, invitation: NewInvitation): Promise<InvitationRow> {
  const { game_id, invitation_id, role, email, inviter_id, invited_by, token_hash, now, expires_at } = invitation;
  return onlyRow(
    tx,
    sql<InvitationRow>`insert into game_invitations (game_id, invitation_id, role, email, token_hash, inviter_id, invited_by,
        invited_at, sent_at, expires_at)
      values (${game_id}, ${invitation_id}, ${role}, ${email}, ${token_hash}, ${inviter_id}, ${invited_by}, ${now}, ${now},
        ${expires_at})
      returning ${columns}`,
  );
}

/** Replaces the token, so the link in the earlier email stops working. */
export function renewInvitation(
  tx: Tx,
  invitationId: string,
  { tokenHash, now, expiresAt }: { tokenHash: Buffer; now: Date; expiresAt: Date },
): Promise<InvitationRow> {
  return onlyRow(
    tx,
    sql<InvitationRow>`update game_invitations set token_hash = ${tokenHash}, sent_at = ${now}, expires_at = ${expiresAt}
      where invitation_id = ${invitationId} returning ${columns}`,
  );
}

export function findPendingInvitation(
  tx: Tx,
  gameId: string,
  role: 'admin' | 'owner',
  email: string | null,
): Promise<InvitationRow | undefined> {
  return row(
    tx,
    sql<InvitationRow>`select ${columns} from game_invitations
      where game_id = ${gameId} and role = ${role} and state = 'pending' and (${email}::text is null or email = ${email})`,
  );
}

/** Pending and declined invitations, newest first. */
export function listOpenInvitations(db: Db, gameId: string, limit: number): Promise<InvitationRow[]> {
  return rows(
    db,
    sql<InvitationRow>`select ${columns} from game_invitations
      where game_id = ${gameId} and state in ('pending', 'declined') order by invitation_id desc limit ${limit}`,
  );
}

/** Finds and locks an invitation of the game until the transaction ends. */
export function lockInvitation(tx: Tx, gameId: string, invitationId: string): Promise<InvitationRow | undefined> {
  return row(
    tx,
    sql<InvitationRow>`select ${columns} from game_invitations
      where game_id = ${gameId} and invitation_id = ${invitationId} for update`,
  );
}

const ofToken = (tokenHash: Buffer) =>
  sql`select ${columns}, games.slug, games.name as game_name from game_invitations join games using (game_id)
    where token_hash = ${tokenHash}`;

export function findByToken(db: Db, tokenHash: Buffer): Promise<FoundInvitation | undefined> {
  return row(db, sql<FoundInvitation>`${ofToken(tokenHash)}`);
}

/** Finds and locks an invitation by its token until the transaction ends. */
export function lockByToken(tx: Tx, tokenHash: Buffer): Promise<FoundInvitation | undefined> {
  return row(tx, sql<FoundInvitation>`${ofToken(tokenHash)} for update of game_invitations`);
}

export const { endInvitation, withdrawAll, forgetInvitations } = endingsOf('game_invitations');

/** The tables of invitations of admins and transfers, and of those with a role that version 0.2 doesn't know. */
type InvitationTable = 'game_invitations' | 'team_invitations';

export function endingsOf(name: InvitationTable) {
  const table = sql.table(name);
  return {
    async endInvitation(
      tx: Tx,
      invitationId: string,
      state: 'accepted' | 'declined' | 'withdrawn',
      now: Date,
    ): Promise<void> {
      await changed(
        tx,
        sql`update ${table} set state = ${state}, ended_at = ${now} where invitation_id = ${invitationId}`,
      );
    },

    /** Withdraws all pending invitations to a game, whose new owner decides whom to invite. */
    async withdrawAll(tx: Tx, gameId: string, now: Date): Promise<void> {
      await changed(
        tx,
        sql`update ${table} set state = 'withdrawn', ended_at = ${now} where game_id = ${gameId} and state = 'pending'`,
      );
    },

    /** Deletes the invitations that ended or expired before the given time. */
    forgetInvitations(db: Db, before: Date): Promise<number> {
      return changed(
        db,
        sql`delete from ${table} where expires_at < ${before} and (ended_at is null or ended_at < ${before})`,
      );
    },
  };
}
