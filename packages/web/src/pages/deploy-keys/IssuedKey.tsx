// A new deploy key. Its secret is shown only here.
import { issueDeployKey, listDeployKeys, listUploadTokens } from '@chauffeur/contract/operations/deploy-keys';
import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { Notice } from '../../ui/PageLayout.tsx';
import { SecretText } from '../../ui/UnsavedWarning.tsx';
import type { FreshKey } from '../games/first-build-steps.ts';

export function IssuedKey({ issued }: { issued: FreshKey }) {
  return (
    <Notice tone="unsure" title="Copy the secret key now. You won't see it again.">
      <div>
        <Text size="sm">Access token</Text>
        <CopyText text={issued.access_token} label="access token" block />
      </div>
      <div>
        <Text size="sm">Secret key</Text>
        <SecretText text={issued.secret_key} label="secret key" />
      </div>
    </Notice>
  );
}

/** A new key or token. Its secret is shown only until it is confirmed as copied, or the page is left. */
export function NewSecret({ issued, onDone }: { issued: FreshKey; onDone: () => void }) {
  return (
    <Stack gap="xs" align="flex-start">
      <IssuedKey issued={issued} />
      <Button size="xs" variant="default" onClick={onDone}>
        I've copied it
      </Button>
    </Stack>
  );
}

/** Creates a deploy key and refreshes the lists of keys and tokens. */
export function useIssueKey(gameUid: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (revokesTokens: boolean) => call(issueDeployKey, { uid: gameUid, revoke_tokens: revokesTokens }),
    onSuccess: () =>
      Promise.all([listDeployKeys, listUploadTokens].map(({ id }) => queries.invalidateQueries({ queryKey: [id] }))),
  });
}
