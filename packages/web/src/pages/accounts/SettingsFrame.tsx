// The frame of the account settings with links to their pages.
import { Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { session } from '../../session.ts';
import { SiteLink } from '../../ui/SiteLink.tsx';

const SECTIONS = [
  { to: '/settings/profile', name: 'Profile' },
  { to: '/settings/security', name: 'Security' },
  { to: '/settings/agents', name: 'Connected agents' },
  { to: '/settings/keys', name: 'Personal keys' },
] as const;

export function SettingsFrame() {
  const { data: person } = useQuery(session);
  return (
    <Stack gap="lg" maw={760}>
      <Title order={1} size="h2">
        Account settings
      </Title>
      <Group component="nav" aria-label="Settings" gap="md">
        {SECTIONS.map(({ to, name }) => (
          <SiteLink key={to} to={to} size="sm" activeProps={{ fw: 600, 'aria-current': 'page' }}>
            {name}
          </SiteLink>
        ))}
        {person?.operator === true && (
          <SiteLink to="/operator" size="sm">
            Operator
          </SiteLink>
        )}
      </Group>
      <Outlet />
    </Stack>
  );
}
