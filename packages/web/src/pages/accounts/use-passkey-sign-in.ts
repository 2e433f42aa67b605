// Signing in with a passkey: offered in the list of the email field, and by a button.
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { isDismissed, offerPasskeys, signInWithPasskey } from './use-passkey.ts';

export function usePasskeySignIn(onSignedIn: () => Promise<void>) {
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
      // A browser answers one request at a time.
      offer.current.abort();
      return signInWithPasskey(new AbortController().signal);
    },
    onSuccess: onSignedIn,
  });
  const error = signingIn.error ?? offerError;
  return { start: () => signingIn.mutate(), isBusy: signingIn.isPending, error: isDismissed(error) ? null : error };
}
