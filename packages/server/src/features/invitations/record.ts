// How an invitation is shown to the owner who sent it and to the person with the link.
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/invitations';
import type { User } from '../../context.ts';
import { findObstacle } from './acceptable.ts';
import type { FoundInvitation, InvitationRow } from './invitations.sql.ts';

export type InvitationRecord = OutputOf<typeof contract.listInvitations>['invitations'][number];
export type InvitationView = OutputOf<typeof contract.getInvitation>;

export function recordOf(row: InvitationRow, now: Date): InvitationRecord {
  const { invitation_id, role, email, invited_by, invited_at, sent_at, expires_at } = row;
  return {
    invitation_uid: invitation_id,
    role,
    email,
    status: row.state === 'declined' ? 'declined' : isExpired(row, now) ? 'expired' : 'pending',
    invited_by,
    invited_at: invited_at.toISOString(),
    sent_at: sent_at.toISOString(),
    expires_at: expires_at.toISOString(),
  };
}

export function viewOf(row: FoundInvitation, user: User, now: Date): InvitationView {
  const { role, email, invited_by, invited_at, expires_at } = row;
  const obstacle = findObstacle(row, user, now);
  return {
    role,
    email,
    status: row.state === 'pending' && isExpired(row, now) ? 'expired' : row.state,
    game: { game_uid: row.game_id, slug: row.slug, name: row.game_name },
    invited_by,
    invited_at: invited_at.toISOString(),
    expires_at: expires_at.toISOString(),
    problem: obstacle && { code: obstacle.code, message: obstacle.message },
  };
}

function isExpired({ expires_at: end }: Pick<InvitationRow, 'expires_at'>, now: Date): boolean {
  return end <= now;
}
