// Keys and agents that have access without the password, and a button that revokes all of them.
import { getCredentials, revokeCredentials } from '@chauffeur/contract/operations/credentials';
import { Button, List, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { browserSessions, endOtherSessions } from '../../account-calls.ts';
import { ask, call } from '../../api.ts';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { formatItems } from '../../ui/format.ts';
import { Problem } from '../../ui/Problem.tsx';
import { DeployKeyList } from './DeployKeyList.tsx';

const credentials = ask(getCredentials, {});

export function RevokeAccess() {
  const { data, error, refetch } = useQuery(credentials);
  const [isConfirming, setConfirming] = useState(false);
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: async () => {
      await endOtherSessions();
      return call(revokeCredentials, { personal_keys: true, programs: true, cli_logins: true, deploy_keys: true });
    },
    onSuccess: async () => {
      setConfirming(false);
      await Promise.all([credentials, browserSessions].map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
    },
  });
  return (
    <section aria-labelledby="access">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4" id="access">
          Access without your password
        </Title>
        {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton h={96} />}
        {data !== undefined && (
          <>
            <List size="sm">
              <List.Item>{formatItems(data.personal_keys, 'personal key')}</List.Item>
              <List.Item>{formatItems(data.programs, 'connected agent')}</List.Item>
              <List.Item>{formatItems(data.cli_logins, 'signed-in command')}</List.Item>
              <List.Item>
                {formatItems(data.deploy_keys.length, 'deploy key or upload token', 'deploy keys and upload tokens')}
              </List.Item>
            </List>
            <Text size="sm">If someone else may have had access to your account, revoke everything.</Text>
            <Button color="red" variant="light" onClick={() => setConfirming(true)}>
              Revoke everything
            </Button>
            {revoking.isSuccess && (
              <Text size="sm" role="status">
                Revoked
              </Text>
            )}
          </>
        )}
      </Stack>
      {isConfirming && data !== undefined && (
        <ConfirmDialog
          title="Revoke everything?"
          confirmLabel="Revoke everything"
          isBusy={revoking.isPending}
          error={revoking.error}
          onConfirm={() => revoking.mutate()}
          onClose={() => setConfirming(false)}
        >
          <Text size="sm">You'll be signed out everywhere else. These stop working immediately:</Text>
          <List size="sm">
            <List.Item>{formatItems(data.personal_keys, 'personal key')}</List.Item>
            <List.Item>{formatItems(data.programs, 'connected agent')}</List.Item>
            <List.Item>{formatItems(data.cli_logins, 'signed-in command')}</List.Item>
          </List>
          {data.deploy_keys.length > 0 && (
            <>
              <Text size="sm">Uploads with these will fail until you create new ones:</Text>
              <DeployKeyList keys={data.deploy_keys} />
            </>
          )}
        </ConfirmDialog>
      )}
    </section>
  );
}
