// The SQL that ends invitations, for both of their tables, whose columns about the state are the same.
import { sql } from 'kysely';
import { changed, type Db, type Tx } from '../../kernel/database/db.ts';

/** Invitations of admins and transfers, and those with a role that the previous release doesn't know. */
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
