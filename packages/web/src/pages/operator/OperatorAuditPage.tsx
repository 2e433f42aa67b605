// The audit log of all games, accounts and the service, for operators.
import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageHead } from '../../ui/PageLayout.tsx';
import { AuditLog } from '../audit/AuditLog.tsx';

const route = getRouteApi('/signed-in/operator/audit');

export function OperatorAuditPage() {
  const navigate = route.useNavigate();
  return (
    <Stack gap="md">
      <PageHead title="Audit log" />
      <AuditLog
        scope="service"
        search={route.useSearch()}
        onChange={(search) => void navigate({ search, replace: true })}
      />
    </Stack>
  );
}
