// Decides whether a person can accept an invitation: an ordered list of named rules. The first broken rule determines
// the error.
import { ApiError, CODES, type ErrorCode } from '@chauffeur/contract/errors';
import type { User } from '../../context.ts';
import type { InvitationRow } from './invitations.sql.ts';

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

/** The recipient is checked first, because only they may learn the state of the invitation. */
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

/** The error that prevents the person from accepting; null if there is none. */
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
