// Passkeys in the browser (Web Authentication): creating one, and signing in with one, also from the list that browsers
// show in the email field.
import { passkeyOptions, sendPasskey } from '../../account-calls.ts';
import { PasskeyError } from '../../session.ts';
import { t } from '../../texts.tsx';

type Json = { toJSON(): object };
type Parser = typeof PublicKeyCredential & {
  parseCreationOptionsFromJSON(options: object): PublicKeyCredentialCreationOptions;
  parseRequestOptionsFromJSON(options: object): PublicKeyCredentialRequestOptions;
};

/** Passkeys belong to a name, so they don't work on an address such as 127.0.0.1. */
export function canUsePasskeys(): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
  return !isAddress && parser()?.parseCreationOptionsFromJSON !== undefined;
}

/**
 * The address at which passkeys of a server on this machine work; null if the page is open there, or the server is
 * elsewhere.
 */
export function passkeyAddress(): string | null {
  if (!/^127\.|^\[::1\]$/.test(location.hostname)) return null;
  const url = new URL(location.href);
  url.hostname = 'localhost';
  return url.href;
}

function parser(): Parser | undefined {
  return (globalThis as { PublicKeyCredential?: Parser }).PublicKeyCredential;
}

/** Thrown if the person dismissed the dialog of the browser, or another dialog replaced it. */
class DismissedError extends Error {
  override readonly name = 'DismissedError';
}

export function isDismissed(error: unknown): boolean {
  return error instanceof DismissedError;
}

export async function registerPasskey(name: string): Promise<void> {
  const publicKey = parser()!.parseCreationOptionsFromJSON(await passkeyOptions('register'));
  const created = await ask(() => navigator.credentials.create({ publicKey }));
  await sendPasskey('registration', { response: created, name });
}

/** Without `isConditional`, the browser shows its dialog at once. */
export async function signInWithPasskey(signal: AbortSignal, isConditional = false): Promise<void> {
  const options = await passkeyOptions('authenticate', signal);
  const publicKey = {
    ...parser()!.parseRequestOptionsFromJSON(options),
    // A passkey counts as a second factor because the device checks who holds it.
    userVerification: 'required',
  } as const;
  const request = { publicKey, signal, ...(isConditional && { mediation: 'conditional' as const }) };
  const answer = await ask(() => navigator.credentials.get(request));
  await sendPasskey('authentication', { response: answer });
}

async function ask(open: () => Promise<Credential | null>): Promise<object> {
  try {
    const credential = await open();
    if (credential !== null) return (credential as unknown as Json).toJSON();
  } catch (error) {
    const { name } = error as Error;
    if (name === 'InvalidStateError')
      throw new PasskeyError(t('signIn.passkey.exists'), t('signIn.passkey.exists.remedy'), error);
    if (name !== 'NotAllowedError' && name !== 'AbortError')
      throw new PasskeyError(t('signIn.passkey.failed'), t('signIn.passkey.failed.remedy'), error);
  }
  throw new DismissedError();
}

/** The server forgets the request after five minutes. */
const RENEWAL_MS = 4 * 60_000;

/**
 * Offers passkeys in the list of the email field until `signal` is aborted. Resolves once the person has signed in with
 * one; never without support for it.
 */
export async function offerPasskeys(signal: AbortSignal): Promise<void> {
  if (!canUsePasskeys() || !(await parser()?.isConditionalMediationAvailable?.())) return new Promise(() => {});
  while (!signal.aborted) {
    const renewal = AbortSignal.any([signal, AbortSignal.timeout(RENEWAL_MS)]);
    try {
      await signInWithPasskey(renewal, true);
      return;
    } catch (error) {
      if (!renewal.aborted) throw error;
    }
  }
  return new Promise(() => {});
}
