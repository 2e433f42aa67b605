// Decides whether a caller has signed in as an organisation requires, and says what to do if not.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { meetsRequirement, type SignInProof, type SignInRequirement } from '@chauffeur/contract/required-sign-in';

export type SignInCheck = {
  readonly organisation: { readonly uid: string; readonly name: string };
  readonly required: SignInRequirement;
  readonly proof: SignInProof;
  /** What the caller is: a person, or a program whose credential a person created. */
  readonly caller: 'person' | 'key' | 'connection' | 'command';
  readonly publicUrl: string;
  /** The name of the single sign-on; null if the operator has turned it off. */
  readonly singleSignOn: string | null;
};

/** The error `strongerSignInNeeded`; null if the requirement is met. */
export function findSignInObstacle(check: SignInCheck): ApiError | null {
  const { organisation, required, proof } = check;
  if (meetsRequirement(required, proof)) return null;
  const what = required === 'second_factor' ? 'a second factor' : 'single sign-on';
  const { uid: organisation_uid, name } = organisation;
  return errors.strongerSignInNeeded(`${name} requires ${what}. ${describeRemedy(check)}`, {
    data: { organisation_uid, required_sign_in: required },
  });
}

/** How a program gets a credential of a newer session. */
const AGAIN: Readonly<Record<SignInCheck['caller'], string>> = {
  person: '',
  key: ', and create this personal key again',
  connection: ', and connect this agent again',
  command: ', and run chauffeur login again',
};

function describeRemedy({ required, proof, caller, publicUrl, singleSignOn }: SignInCheck): string {
  const again = AGAIN[caller];
  if (required === 'single_sign_on') {
    if (singleSignOn === null) return 'The operator has turned it off: ask them to end this requirement.';
    return `Sign in with ${singleSignOn} at ${publicUrl}/sign-in${again}.`;
  }
  if (proof.hasSecondFactor)
    return `Sign in again with your authenticator app or passkey, at ${publicUrl}/sign-in${again}.`;
  const add = `Add an authenticator app or a passkey at ${publicUrl}/settings/security`;
  return meetsRequirement(required, { ...proof, hasSecondFactor: true })
    ? `${add}.`
    : `${add}, sign in with it${again}.`;
}
