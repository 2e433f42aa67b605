// Whether a person can accept an invitation: an ordered list of named rules, the first that objects decides.
import { ApiError, type ErrorCode } from '@chauffeur/contract/errors';
import type { User } from '../../context.ts';
import type { InvitationRow } from './invitations.sql.ts';

type Invitation = Pick<InvitationRow, 'state' | 'email' | 'expires_at'>;
type Person = Pick<User, 'email' | 'emailVerified'>;

type Rule = {
  readonly name: string;
  readonly code: ErrorCode;
  /** Null where the rule does not object. */
  readonly find: (invitation: Invitation, person: Person, now: Date) => string | null;
};

const ENDED: Readonly<Record<InvitationRow['state'], string | null>> = {
  pending: null,
  accepted: 'The invitation was accepted already.',
  declined: 'The invitation was declined.',
  withdrawn: 'The invitation was withdrawn.',
};

/** Whose it is comes first: what became of an invitation is for the person it was sent to. */
const RULES: readonly Rule[] = [
  {
    name: 'addressee',
    code: 4231,
    find: ({ email }, person) =>
      email === person.email.toLowerCase()
        ? null
        : `The invitation was sent to ${email}, and you are signed in as ${person.email}.`,
  },
  { name: 'open', code: 4230, find: ({ state }) => ENDED[state] },
  {
    name: 'in time',
    code: 4230,
    find: ({ expires_at: end }, _person, now) => (end > now ? null : 'The invitation has expired.'),
  },
  {
    name: 'verified',
    code: 4232,
    find: (_invitation, { email, emailVerified }) => (emailVerified ? null : `${email} is not verified yet.`),
  },
];

/** What prevents the person from accepting; null when nothing does. */
export function findObstacle(invitation: Invitation, person: Person, now: Date): ApiError | null {
  for (const { code, find } of RULES) {
    const message = find(invitation, person, now);
    if (message !== null) return new ApiError(code, message);
  }
  return null;
}

/** The same for declining, which needs no verified address. */
export function findDeclineObstacle(invitation: Invitation, person: Person, now: Date): ApiError | null {
  return findObstacle(invitation, { ...person, emailVerified: true }, now);
}
