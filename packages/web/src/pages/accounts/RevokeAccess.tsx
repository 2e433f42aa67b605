// What works without the password, and a way to end all of it at once.
import { getCredentials, revokeCredentials } from '@chauffeur/contract/operations/credentials';
import { Button, List, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { endOtherVisits, visits } from '../../session.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DeployKeyList } from './DeployKeyList.tsx';
import { formatCount } from './format-count.ts';

const credentials = ask(getCredentials, {});

export function RevokeAccess() {
  const { data, error, refetch } = useQuery(credentials);
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: async () => {
      await endOtherVisits();
      return call(revokeCredentials, { personal_keys: true, programs: true, deploy_keys: true });
    },
    onSuccess: async () => {
      setAsking(false);
      await Promise.all([credentials, visits].map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
    },
  });
  return (
    <section aria-labelledby="access">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4" id="access">
          Access without your password
        </Title>
        {error !== null && <Problem error={error} again={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton h={96} />}
        {data !== undefined && (
          <>
            <List size="sm">
              <List.Item>{formatCount(data.personal_keys, 'personal key')}</List.Item>
              <List.Item>{formatCount(data.programs, 'connected program')}</List.Item>
              <List.Item>{formatCount(data.deploy_keys.length, 'deploy key')} of your games</List.Item>
            </List>
            <Text size="sm">If someone else may have had access to your account, revoke all of it.</Text>
            <Button color="red" variant="light" onClick={() => setAsking(true)}>
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
      {isAsking && data !== undefined && (
        <ConfirmDialog
          title="Revoke everything?"
          does="Revoke everything"
          isBusy={revoking.isPending}
          error={revoking.error}
          onConfirm={() => revoking.mutate()}
          onClose={() => setAsking(false)}
        >
          <Text size="sm">
            You are signed out everywhere else. {formatCount(data.personal_keys, 'personal key')} and{' '}
            {formatCount(data.programs, 'connected program')} stop working.
          </Text>
          {data.deploy_keys.length > 0 && (
            <>
              <Text size="sm">Uploads with these deploy keys fail until you create new ones:</Text>
              <DeployKeyList keys={data.deploy_keys} />
            </>
          )}
        </ConfirmDialog>
      )}
    </section>
  );
}
