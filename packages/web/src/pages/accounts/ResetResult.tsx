// Shown after a password reset: what was revoked, which deploy keys still work, and a button to revoke those.
import { revokeAfterReset } from '@chauffeur/contract/operations/credentials';
import { Button, List, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Report } from '../../account-calls.ts';
import { call } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { t } from '../../texts.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { DeployKeyList } from './DeployKeyList.tsx';

export function ResetResult({ report }: { report: Report }) {
  useTitle(t('reset.done'));
  const { sessions, personal_keys: keys, programs, cli_logins: logins } = report.revoked;
  return (
    <Panel role="status">
      <Title order={1} size="h2">
        {t('reset.done')}
      </Title>
      <List size="sm">
        <List.Item>{t('reset.done.sessions', { count: sessions })}</List.Item>
        <List.Item>{t('reset.done.keys', { count: keys })}</List.Item>
        <List.Item>{t('reset.done.agents', { count: programs })}</List.Item>
        <List.Item>{t('reset.done.commands', { count: logins })}</List.Item>
      </List>
      {report.deploy_keys.length > 0 && <RemainingKeys report={report} />}
      <SiteLink to="/sign-in">{t('reset.done.signIn')}</SiteLink>
    </Panel>
  );
}

function RemainingKeys({ report }: { report: Report }) {
  const revoking = useMutation({ mutationFn: () => call(revokeAfterReset, { token: report.revoke_token }) });
  if (revoking.isSuccess) {
    return (
      <Notice tone="good" title={t('reset.deployKeys.revoked', { count: revoking.data.deploy_keys })}>
        <Text size="sm">{t('reset.deployKeys.next')}</Text>
      </Notice>
    );
  }
  return (
    <Notice tone="unsure" title={t('reset.deployKeys')}>
      <Stack gap="sm" align="flex-start">
        <DeployKeyList keys={report.deploy_keys} />
        <Text size="sm">{t('reset.deployKeys.text')}</Text>
        {revoking.error !== null && <Problem error={revoking.error} />}
        <Button color="red" variant="light" loading={revoking.isPending} onClick={() => revoking.mutate()}>
          {t('reset.deployKeys.revoke')}
        </Button>
      </Stack>
    </Notice>
  );
}
