// Additional rules for requests to better-auth, where this service is stricter.
import { findDisplayNameProblem } from '@chauffeur/contract/display-name';
import { LIMITS } from '@chauffeur/contract/limits';

export type Refusal = { readonly code: string; readonly message: string };

type Body = Readonly<Record<string, unknown>>;
type Rule = (body: Body) => Refusal | null;

/** Null for a valid name. */
export function refuseName(name: unknown): Refusal | null {
  const problem = findDisplayNameProblem(name);
  return problem === null ? null : { code: 'INVALID_NAME', message: `name: ${problem}.` };
}

const refuseNewName: Rule = ({ name }) => (name === undefined ? null : refuseName(name));

/** Accounts have no pictures; an unchecked URL would only be stored. */
const refuseImage: Rule = ({ image }) =>
  image === undefined ? null : { code: 'INVALID_IMAGE', message: 'image: accounts have no picture. Leave it out.' };

const refuseLongEmail =
  (field: 'email' | 'newEmail'): Rule =>
  ({ [field]: email }) =>
    typeof email === 'string' && email.length > LIMITS.emailLength
      ? {
          code: 'INVALID_EMAIL',
          message: `${field}: longer than ${LIMITS.emailLength} characters. Use a shorter address.`,
        }
      : null;

/** better-auth requires it only if the session is older than a day. */
const requirePassword: Rule = ({ password }) =>
  typeof password === 'string' && password !== ''
    ? null
    : { code: 'PASSWORD_REQUIRED', message: 'password: missing. Send the password of the account.' };

/**
 * Keyed by route. They run before any lookup, so that a refusal does not reveal which accounts exist.
 */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  '/sign-up/email': [({ name }) => refuseName(name), refuseImage, refuseLongEmail('email')],
  '/update-user': [refuseNewName, refuseImage],
  '/change-email': [refuseLongEmail('newEmail')],
  '/delete-user': [requirePassword],
};

/** Why the body of a request to a better-auth route is refused; null if these rules allow it. */
export function refuseRequest(route: string, body: unknown): Refusal | null {
  const fields = typeof body === 'object' && body !== null ? (body as Body) : {};
  for (const rule of RULES[route] ?? []) {
    const refusal = rule(fields);
    if (refusal !== null) return refusal;
  }
  return null;
}
