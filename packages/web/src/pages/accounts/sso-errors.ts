// Why a sign-in with the operator's single sign-on failed.

const MESSAGES: Readonly<Record<string, string>> = {
  access_denied: 'You cancelled the single sign-on.',
  ACCOUNT_DISABLED: 'This account is disabled. Ask the operator of the service to enable it.',
  SSO_DOMAIN: 'Single sign-on is not available for your email address.',
  SSO_EMAIL_NOT_VERIFIED: 'Your email address is not verified at the single sign-on. Verify it there, then try again.',
  account_not_linked:
    'An account with your email address exists, but its address was never verified. Sign in with its password and verify the address first.',
  signup_disabled: 'You have no account here. Ask the operator of the service to create one.',
  email_not_found: 'The single sign-on did not send your email address.',
  state_mismatch: 'This sign-in was started in another browser, or took too long. Try again.',
  state_not_found: 'This sign-in was started in another browser, or took too long. Try again.',
  please_restart_the_process: 'This sign-in took too long. Try again.',
};

export function formatSsoError(code: string): string {
  return (
    (Object.hasOwn(MESSAGES, code) ? MESSAGES[code] : undefined) ??
    'The single sign-on failed. Try again, or sign in with your password.'
  );
}
