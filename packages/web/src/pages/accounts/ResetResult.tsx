// After a reset of the password: what was revoked, what still works, and a way to revoke that, too.
import { revokeAfterReset } from '@chauffeur/contract/operations/credentials';
import { Button, List, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import type { Report } from '../../session.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { DeployKeyList } from './DeployKeyList.tsx';
import { formatCount } from './format-count.ts';

export function ResetResult({ report }: { report: Report }) {
  useTitle('Password changed');
  const { sessions, personal_keys: keys, programs } = report.revoked;
  return (
    <Stack gap="md" maw={480} mx="auto" py="xl" role="status">
      <Title order={1} size="h2">
        Password changed
      </Title>
      <List size="sm">
        <List.Item>{formatCount(sessions, 'session')} ended</List.Item>
        <List.Item>{formatCount(keys, 'personal key')} revoked</List.Item>
        <List.Item>{formatCount(programs, 'program')} disconnected</List.Item>
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
      <Notice tone="good" title={`${formatCount(revoking.data.deploy_keys, 'deploy key')} revoked`}>
        <Text size="sm">Create new keys on the edit pages of your games, and give them to your CI.</Text>
      </Notice>
    );
  }
  return (
    <Notice tone="unsure" title="These deploy keys still work">
      <Stack gap="sm" align="flex-start">
        <DeployKeyList keys={report.deploy_keys} />
        <Text size="sm">
          If someone else may have had your password, revoke them. Uploads from CI fail until you give it new keys.
        </Text>
        {revoking.error !== null && <Problem error={revoking.error} />}
        <Button color="red" variant="light" loading={revoking.isPending} onClick={() => revoking.mutate()}>
          Revoke all deploy keys
        </Button>
      </Stack>
    </Notice>
  );
}
