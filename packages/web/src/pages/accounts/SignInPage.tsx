// The sign-in form: password and code, passkey, or single sign-on. Afterwards the visitor continues to the page they
// came for.
import { getSignInOptions } from '@chauffeur/contract/operations/accounts';
import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Credentials, signIn, signInWithProvider } from '../../account-calls.ts';
import { ask } from '../../api.ts';
import { rich, t } from '../../texts.tsx';
import { openPath, SiteLink } from '../../ui/SiteLink.tsx';
import { AccountForm, EmailField, PasswordField } from './AccountForm.tsx';
import { CodeForm } from './CodeForm.tsx';
import { ssoErrorKey } from './sso-errors.ts';
import { canUsePasskeys, isDismissed, offerPasskeys, signInWithPasskey } from './use-passkey.ts';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next = '/dev' } = route.useSearch();
  const [needsCode, setNeedsCode] = useState(false);
  const queries = useQueryClient();
  const router = useRouter();
  const continueToNext = useCallback(async () => {
    queries.clear();
    await openPath(router, next);
  }, [queries, router, next]);
  return needsCode ? (
    <CodeForm onSignedIn={continueToNext} onRestart={() => setNeedsCode(false)} />
  ) : (
    <PasswordForm next={next} onSignedIn={continueToNext} onNeedsCode={() => setNeedsCode(true)} />
  );
}

type PasswordFormProps = { next: string; onSignedIn: () => Promise<void>; onNeedsCode: () => void };

function PasswordForm({ next, onSignedIn, onNeedsCode }: PasswordFormProps) {
  const { error: ssoError } = route.useSearch();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const passkey = usePasskeySignIn(onSignedIn);
  const signingIn = useMutation({
    mutationFn: (credentials: Credentials) => signIn(credentials),
    onSuccess: async (result) => (result === 'needs_code' ? onNeedsCode() : onSignedIn()),
  });
  return (
    <AccountForm
      title={t('signIn.title')}
      submitLabel={t('signIn.title')}
      isBusy={signingIn.isPending}
      error={signingIn.error ?? passkey.error}
      onSubmit={() => signingIn.mutate({ email, password })}
      footer={
        <>
          {canUsePasskeys() && (
            <Button variant="default" loading={passkey.isBusy} onClick={passkey.start}>
              {t('signIn.passkey')}
            </Button>
          )}
          <ProviderButton next={next} />
          <Text size="sm">
            {rich('signIn.noAccount', {
              link: (content) => (
                <SiteLink to="/sign-up" search={{ next }}>
                  {content}
                </SiteLink>
              ),
            })}
            {' · '}
            <SiteLink to="/reset">{t('signIn.forgot')}</SiteLink>
          </Text>
        </>
      }
    >
      {ssoError !== undefined && signingIn.status === 'idle' && (
        <Text role="alert" size="sm">
          {t(ssoErrorKey(ssoError))}
        </Text>
      )}
      <EmailField autoComplete="username webauthn" value={email} onChange={setEmail} />
      <PasswordField value={password} onChange={setPassword} />
    </AccountForm>
  );
}

/** Shown if the operator has set up single sign-on. */
function ProviderButton({ next }: { next: string }) {
  const { data } = useQuery({ ...ask(getSignInOptions, {}), staleTime: Number.POSITIVE_INFINITY });
  const going = useMutation({ mutationFn: () => signInWithProvider(next) });
  const name = data?.single_sign_on;
  if (name == null) return null;
  return (
    <>
      <Button variant="default" loading={going.isPending || going.isSuccess} onClick={() => going.mutate()}>
        {name}
      </Button>
      {going.error !== null && (
        <Text role="alert" size="sm">
          {going.error.message}
        </Text>
      )}
    </>
  );
}

/** Signing in with a passkey: offered in the list of the email field, and by a button. */
function usePasskeySignIn(onSignedIn: () => Promise<void>) {
  const offer = useRef<AbortController>(new AbortController());
  const [offerError, setOfferError] = useState<unknown>(null);
  useEffect(() => {
    const current = new AbortController();
    offer.current = current;
    offerPasskeys(current.signal).then(onSignedIn, (error) => {
      if (!current.signal.aborted && !isDismissed(error)) setOfferError(error);
    });
    return () => current.abort();
  }, [onSignedIn]);
  const signingIn = useMutation({
    mutationFn: () => {
      // A browser handles one request at a time.
      offer.current.abort();
      return signInWithPasskey(new AbortController().signal);
    },
    onSuccess: onSignedIn,
  });
  const error = signingIn.error ?? offerError;
  return { start: () => signingIn.mutate(), isBusy: signingIn.isPending, error: isDismissed(error) ? null : error };
}
