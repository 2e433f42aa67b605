// Why a sign-in with the operator's single sign-on failed.
import type { ProgramKey } from '@chauffeur/contract/texts/messages';

const MESSAGES: Readonly<Record<string, ProgramKey>> = {
  access_denied: 'signIn.sso.cancelled',
  ACCOUNT_DISABLED: 'signIn.sso.disabled',
  SSO_DOMAIN: 'signIn.sso.domain',
  SSO_EMAIL_NOT_VERIFIED: 'signIn.sso.unverified',
  account_not_linked: 'signIn.sso.notLinked',
  signup_disabled: 'signIn.sso.noAccount',
  email_not_found: 'signIn.sso.noEmail',
  state_mismatch: 'signIn.sso.otherBrowser',
  state_not_found: 'signIn.sso.otherBrowser',
  please_restart_the_process: 'signIn.sso.tooLong',
};

/** The message for an error that the address of the sign-in page names. */
export function ssoErrorKey(code: string): ProgramKey {
  return (Object.hasOwn(MESSAGES, code) ? MESSAGES[code] : undefined) ?? 'signIn.sso.failed';
}
