// How an invitation is shown to the owner who sent it and to the person with the link.
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/invitations';
import type { Role } from '@chauffeur/contract/roles';
import type { User } from '../../context.ts';
import { findObstacle } from './acceptable.ts';
import type { FoundInvitation, InvitationRow } from './invitations.sql.ts';
import type { FoundTeamInvitation } from './team-invitations.sql.ts';

export type InvitationRecord = OutputOf<typeof contract.listInvitations>['invitations'][number];
type Row = Omit<InvitationRow, 'game_id' | 'role'> & { role: Role };
export type InvitationView = OutputOf<typeof contract.getInvitation>;

export function recordOf(row: Row, now: Date): InvitationRecord {
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
  const game = { game_uid: row.game_id, slug: row.slug, name: row.game_name };
  return { ...partOf(row, user, now), game, organisation: null };
}

export function teamViewOf(row: FoundTeamInvitation, user: User, now: Date): InvitationView {
  const { game_id: game, organisation_id: organisation, slug, target_name: name } = row;
  return {
    ...partOf(row, user, now),
    game: game === null ? null : { game_uid: game, slug: slug ?? '', name },
    organisation: organisation === null ? null : { organisation_uid: organisation, slug, name },
  };
}

function partOf(row: Row, user: User, now: Date) {
  const { role, email, invited_by, invited_at, expires_at } = row;
  const obstacle = findObstacle(row, user, now);
  return {
    role,
    email,
    status: row.state === 'pending' && isExpired(row, now) ? ('expired' as const) : row.state,
    invited_by,
    invited_at: invited_at.toISOString(),
    expires_at: expires_at.toISOString(),
    problem: obstacle && { code: obstacle.code, message: obstacle.message },
  };
}

function isExpired({ expires_at: end }: Pick<InvitationRow, 'expires_at'>, now: Date): boolean {
  return end <= now;
}
