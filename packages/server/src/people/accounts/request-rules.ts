// Additional rules for requests to better-auth, where this service is stricter.
import { findDisplayNameProblem } from '@chauffeur/contract/display-name';
import { LIMITS } from '@chauffeur/contract/limits';

export type AuthRefusal = { readonly code: string; readonly message: string };

type Body = Readonly<Record<string, unknown>>;
type Rule = (body: Body) => AuthRefusal | null;

/** Null for a valid name. */
export function refuseName(name: unknown): AuthRefusal | null {
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

/** The length in base64url; WebAuthn, section 4, allows 1023 bytes. */
const MAX_CREDENTIAL_ID = 1400;

/**
 * The start of an attestation object (WebAuthn, section 6.5.4), as CBOR: a map of three entries, of which the first two
 * are `fmt` and `attStmt`, so that the third must be `authData`. The statement is empty, or has only a signature by the
 * passkey itself. Browsers send these two, because the options ask for no attestation (section 5.1.3).
 */
// cspell:ignore cfmt dnonegatt fpackedgatt calg csig
const NO_ATTESTATION =
  /^\xa3cfmt(?:dnonegattStmt\xa0|fpackedgattStmt\xa2calg(?:[\x20-\x37]|\x38.|\x39..)csig[\x40-\x5b])/s;

/**
 * For other statements, the plugin would fetch revocation lists from addresses in the certificates of the sender, also
 * inside the operator's network.
 */
const refuseAttestation: Rule = ({ response }) => {
  const { attestationObject } = (response as { response: { attestationObject?: unknown } }).response;
  return typeof attestationObject === 'string' &&
    /^[\w-]+$/.test(attestationObject) &&
    NO_ATTESTATION.test(Buffer.from(attestationObject, 'base64url').toString('latin1'))
    ? null
    : {
        code: 'INVALID_RESPONSE',
        message: 'response: its attestation is not of the format none. Send the response as the browser returned it.',
      };
};

/** Known ones are `usb`, `nfc`, `ble`, `smart-card`, `hybrid` and `internal`. They are stored for later sign-ins. */
const TRANSPORT = /^[a-z-]{1,32}$/;
const MAX_TRANSPORTS = 10;

const refuseTransports: Rule = ({ response }) => {
  const { transports = [] } = (response as { response: { transports?: unknown } }).response;
  const isValid =
    Array.isArray(transports) &&
    transports.length <= MAX_TRANSPORTS &&
    transports.every((name) => typeof name === 'string' && TRANSPORT.test(name));
  return isValid
    ? null
    : {
        code: 'INVALID_RESPONSE',
        message: `response.transports: not a list of up to ${MAX_TRANSPORTS} transports. Send it as the browser returned it.`,
      };
};

/** A session comes from signing in with the new passkey, not from adding it. */
const refuseSessionOfPasskey: Rule = ({ createSession }) =>
  createSession === undefined ? null : { code: 'INVALID_BODY', message: 'createSession: not supported. Leave it out.' };

/** Everything else would change what the provider is asked for, or skip the redirect to it. */
const SSO_FIELDS = new Set(['provider', 'callbackURL', 'errorCallbackURL', 'disableRedirect']);
const refuseSsoFields: Rule = (body) => {
  const other = Object.keys(body).find((name) => !SSO_FIELDS.has(name));
  return other === undefined ? null : { code: 'INVALID_BODY', message: `${other}: not supported. Leave it out.` };
};

/** Only codes of apps; nothing sends codes by email. */
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
  '/passkey/verify-registration': [
    ...[requirePasskeyAnswer, refuseAttestation, refuseTransports],
    ...[refusePasskeyName, refuseSessionOfPasskey],
  ],
  '/passkey/verify-authentication': [requirePasskeyAnswer],
  '/passkey/update-passkey': [refusePasskeyName],
  '/sign-in/social': [refuseSsoFields],
};

/** Why the body of a request to a better-auth route is refused; null if these rules allow it. */
export function refuseRequest(route: string, body: unknown): AuthRefusal | null {
  const fields = typeof body === 'object' && body !== null ? (body as Body) : {};
  for (const rule of RULES[route] ?? []) {
    const refusal = rule(fields);
    if (refusal !== null) return refusal;
  }
  return null;
}

/**
 * The HTTP layer sets this header to the client's address before it passes a request to better-auth. Clients cannot set
 * it.
 */
export const CLIENT_ADDRESS_HEADER = 'x-chauffeur-client';
