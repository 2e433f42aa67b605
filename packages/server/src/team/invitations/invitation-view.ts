// How an invitation is shown to the owner who sent it and to the person with the link, and whether that person can
// accept it: an ordered list of named rules, of which the first broken one determines the error.

import { ApiError, CODES, type ErrorCode } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/invitations';
import type { Role } from '@chauffeur/contract/roles';
import type { User } from '../../context.ts';
import type { FoundInvitation, InvitationRow } from './invitations.sql.ts';
import type { FoundTeamInvitation } from './team-invitations.sql.ts';

type Invitation = Pick<InvitationRow, 'state' | 'email' | 'expires_at'>;
type Person = Pick<User, 'email' | 'emailVerified'>;

type Rule = {
  readonly name: string;
  readonly code: ErrorCode;
  /** The error message; null if the rule is not broken. */
  readonly find: (invitation: Invitation, person: Person, now: Date) => string | null;
};

const ENDED: Readonly<Record<InvitationRow['state'], string | null>> = {
  pending: null,
  accepted: 'The invitation was already accepted.',
  declined: 'The invitation was declined.',
  withdrawn: 'The invitation was withdrawn.',
};

/** The rule about the recipient comes first, because only they may learn the state of the invitation. */
const RULES: readonly Rule[] = [
  {
    name: 'addressee',
    code: CODES.otherRecipient,
    find: ({ email }, person) =>
      email === person.email.toLowerCase()
        ? null
        : `The invitation was sent to ${email}, but you are signed in as ${person.email}.`,
  },
  { name: 'open', code: CODES.invitationClosed, find: ({ state }) => ENDED[state] },
  {
    name: 'not expired',
    code: CODES.invitationClosed,
    find: ({ expires_at: end }, _person, now) => (end > now ? null : 'The invitation has expired.'),
  },
  {
    name: 'verified',
    code: CODES.emailNotVerified,
    find: (_invitation, { email, emailVerified }) => (emailVerified ? null : `${email} is not verified yet.`),
  },
];

/** The error that prevents the person from accepting; null if nothing does. */
export function findObstacle(invitation: Invitation, person: Person, now: Date): ApiError | null {
  for (const { code, find } of RULES) {
    const message = find(invitation, person, now);
    if (message !== null) return new ApiError(code, message);
  }
  return null;
}

/** The error that prevents the person from declining, which does not require a verified address. */
export function findDeclineObstacle(invitation: Invitation, person: Person, now: Date): ApiError | null {
  return findObstacle(invitation, { ...person, emailVerified: true }, now);
}

export type InvitationRecord = OutputOf<typeof contract.listInvitations>['invitations'][number];
type Row = Omit<InvitationRow, 'game_id' | 'role'> & { role: Role };
export type InvitationView = OutputOf<typeof contract.getInvitation>;

export function invitationRecordOf(row: Row, now: Date): InvitationRecord {
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

export function invitationViewOf(row: FoundInvitation, user: User, now: Date): InvitationView {
  const game = { game_uid: row.game_id, slug: row.slug, name: row.game_name };
  return { ...sharedView(row, user, now), game, organisation: null };
}

export function teamViewOf(row: FoundTeamInvitation, user: User, now: Date): InvitationView {
  const { game_id: game, organisation_id: organisation, slug, target_name: name } = row;
  return {
    ...sharedView(row, user, now),
    game: game === null ? null : { game_uid: game, slug: slug ?? '', name },
    organisation: organisation === null ? null : { organisation_uid: organisation, slug, name },
  };
}

function sharedView(row: Row, user: User, now: Date) {
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
