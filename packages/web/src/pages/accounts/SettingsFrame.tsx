// The frame of the account settings with links to their pages.
import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { PageTabs, tab } from '../../frame/PageTabs.tsx';
import { session } from '../../session.ts';

const SECTIONS = [
  { to: '/settings/profile', name: 'Profile' },
  { to: '/settings/security', name: 'Security' },
  { to: '/settings/agents', name: 'Connected agents' },
  { to: '/settings/keys', name: 'Personal keys' },
  { to: '/settings/tokens', name: 'API tokens' },
] as const;

export function SettingsFrame() {
  const { data: person } = useQuery(session);
  return (
    <Stack gap="lg" maw={760}>
      <Title order={1} size="h2">
        Account settings
      </Title>
      <PageTabs label="Settings">
        {SECTIONS.map(({ to, name }) => (
          <Link key={to} to={to} className={tab}>
            {name}
          </Link>
        ))}
        {person?.operator === true && (
          <Link to="/operator" className={tab}>
            Operator
          </Link>
        )}
      </PageTabs>
      <Outlet />
    </Stack>
  );
}
