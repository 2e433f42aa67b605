// Decides whether a request to better-auth is acceptable where better-auth itself is more lenient than this service.
import { displayNameProblem } from '@chauffeur/contract/display-name';
import { LIMITS } from '@chauffeur/contract/limits';

export type Refusal = { readonly code: string; readonly message: string };

type Body = Readonly<Record<string, unknown>>;
type Rule = (body: Body) => Refusal | null;

/** Null for a good name. */
export function refuseName(name: unknown): Refusal | null {
  const problem = displayNameProblem(name);
  return problem === null ? null : { code: 'INVALID_NAME', message: `name: ${problem}.` };
}

const refuseNewName: Rule = ({ name }) => (name === undefined ? null : refuseName(name));

/** There are no pictures of people here: an unchecked address would only be stored. */
const refuseImage: Rule = ({ image }) =>
  image === undefined ? null : { code: 'INVALID_IMAGE', message: 'image: accounts have no picture; leave it out.' };

const refuseLongEmail =
  (field: 'email' | 'newEmail'): Rule =>
  ({ [field]: email }) =>
    typeof email === 'string' && email.length > LIMITS.emailLength
      ? { code: 'INVALID_EMAIL', message: `${field}: longer than ${LIMITS.emailLength} characters; shorten it.` }
      : null;

/** better-auth asks for it only where the session is older than a day. */
const requirePassword: Rule = ({ password }) =>
  typeof password === 'string' && password !== ''
    ? null
    : { code: 'PASSWORD_REQUIRED', message: 'password: missing; send the password of the account.' };

/**
 * By route. They come before anything is looked up, so that what is refused does not depend on which accounts exist.
 */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  '/sign-up/email': [({ name }) => refuseName(name), refuseImage, refuseLongEmail('email')],
  '/update-user': [refuseNewName, refuseImage],
  '/change-email': [refuseLongEmail('newEmail')],
  '/delete-user': [requirePassword],
};

/** Why the body of a request to a route of better-auth is refused; null when it is better-auth's to judge. */
export function refuseRequest(route: string, body: unknown): Refusal | null {
  const fields = typeof body === 'object' && body !== null ? (body as Body) : {};
  for (const rule of RULES[route] ?? []) {
    const refusal = rule(fields);
    if (refusal !== null) return refusal;
  }
  return null;
}
