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

const refusePasskeyName: Rule = ({ name }) => {
  const problem = name === undefined ? null : findDisplayNameProblem(name);
  return problem === null ? null : { code: 'INVALID_NAME', message: `name: ${problem}.` };
};

/** The parts of a browser's answer that better-auth reads before it checks them. */
const requirePasskeyAnswer: Rule = ({ response }) => {
  const { id, response: answer } = (response ?? {}) as { id?: unknown; response?: unknown };
  return typeof id === 'string' && id.length <= MAX_CREDENTIAL_ID && typeof answer === 'object' && answer !== null
    ? null
    : {
        code: 'INVALID_RESPONSE',
        message: 'response: not the answer of an authenticator. Send it as the browser returned it.',
      };
};

/** In base64url; WebAuthn, section 4, allows 1023 bytes. */
const MAX_CREDENTIAL_ID = 1400;

/** A session comes from signing in with the new passkey, not from adding it. */
const refuseSessionOfPasskey: Rule = ({ createSession }) =>
  createSession === undefined ? null : { code: 'INVALID_BODY', message: 'createSession: not supported. Leave it out.' };

/** Everything else would change what the provider is asked for, or skip the redirect to it. */
const SSO_FIELDS = new Set(['provider', 'callbackURL', 'errorCallbackURL', 'disableRedirect']);
const refuseSsoFields: Rule = (body) => {
  const other = Object.keys(body).find((name) => !SSO_FIELDS.has(name));
  return other === undefined ? null : { code: 'INVALID_BODY', message: `${other}: not supported. Leave it out.` };
};

/** Only codes of apps; nothing sends codes by mail. */
const refuseMethod: Rule = ({ method, issuer }) =>
  (method === undefined || method === 'totp') && issuer === undefined
    ? null
    : { code: 'INVALID_BODY', message: 'method, issuer: not supported. Leave them out.' };

/** A used code without a session would only be lost. */
const refuseDisabledSession: Rule = ({ disableSession }) =>
  disableSession === undefined
    ? null
    : { code: 'INVALID_BODY', message: 'disableSession: not supported. Leave it out.' };

const MAX_CODE_LENGTH = 100;
const refuseLongCode: Rule = ({ code }) =>
  typeof code === 'string' && code.length > MAX_CODE_LENGTH
    ? { code: 'INVALID_CODE', message: 'code: too long. Enter the code as it is shown.' }
    : null;

/**
 * Keyed by route. They run before any lookup, so that a refusal does not reveal which accounts exist.
 */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  '/sign-up/email': [({ name }) => refuseName(name), refuseImage, refuseLongEmail('email')],
  '/update-user': [refuseNewName, refuseImage],
  '/change-email': [refuseLongEmail('newEmail')],
  '/delete-user': [requirePassword],
  '/two-factor/enable': [refuseMethod],
  '/two-factor/verify-totp': [refuseLongCode],
  '/two-factor/verify-backup-code': [refuseLongCode, refuseDisabledSession],
  '/passkey/verify-registration': [requirePasskeyAnswer, refusePasskeyName, refuseSessionOfPasskey],
  '/passkey/verify-authentication': [requirePasskeyAnswer],
  '/passkey/update-passkey': [refusePasskeyName],
  '/sign-in/social': [refuseSsoFields],
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
