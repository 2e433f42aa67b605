// Shown after a password reset: what was revoked, which deploy keys still work, and a button to revoke those.
import { revokeAfterReset } from '@chauffeur/contract/operations/credentials';
import { Button, List, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import type { Report } from '../../session.ts';
import { formatItems } from '../../ui/format.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { DeployKeyList } from './DeployKeyList.tsx';

export function ResetResult({ report }: { report: Report }) {
  useTitle('Password changed');
  const { sessions, personal_keys: keys, programs, cli_logins: logins } = report.revoked;
  return (
    <Stack gap="md" maw={480} mx="auto" py="xl" role="status">
      <Title order={1} size="h2">
        Password changed
      </Title>
      <List size="sm">
        <List.Item>{formatItems(sessions, 'session')} ended</List.Item>
        <List.Item>{formatItems(keys, 'personal key')} revoked</List.Item>
        <List.Item>{formatItems(programs, 'agent')} disconnected</List.Item>
        <List.Item>{formatItems(logins, 'command')} signed out</List.Item>
      </List>
      {report.deploy_keys.length > 0 && <RemainingKeys report={report} />}
      <SiteLink to="/sign-in">Sign in with the new password</SiteLink>
    </Stack>
  );
}

function RemainingKeys({ report }: { report: Report }) {
  const revoking = useMutation({ mutationFn: () => call(revokeAfterReset, { token: report.revoke_token }) });
  if (revoking.isSuccess) {
    return (
      <Notice tone="good" title={`${formatItems(revoking.data.deploy_keys, 'deploy key')} revoked`}>
        <Text size="sm">Create new keys on the edit pages of your games, then add them to your CI.</Text>
      </Notice>
    );
  }
  return (
    <Notice tone="unsure" title="These deploy keys still work">
      <Stack gap="sm" align="flex-start">
        <DeployKeyList keys={report.deploy_keys} />
        <Text size="sm">
          If someone else may have had your password, revoke them. CI uploads will fail until you add new keys.
        </Text>
        {revoking.error !== null && <Problem error={revoking.error} />}
        <Button color="red" variant="light" loading={revoking.isPending} onClick={() => revoking.mutate()}>
          Revoke all deploy keys
        </Button>
      </Stack>
    </Notice>
  );
}
