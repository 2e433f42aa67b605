// The frame of the account’s settings: its sections, and who it is about.
import { Group, Stack, Title } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { SiteLink } from '../../ui/SiteLink.tsx';

export function SettingsFrame() {
  return (
    <Stack gap="lg" maw={640}>
      <Title order={1} size="h2">
        Your account
      </Title>
      <Group component="nav" aria-label="Settings" gap="md">
        <SiteLink to="/settings/profile" size="sm" activeProps={{ fw: 600, 'aria-current': 'page' }}>
          Profile
        </SiteLink>
        <SiteLink to="/settings/security" size="sm" activeProps={{ fw: 600, 'aria-current': 'page' }}>
          Security
        </SiteLink>
      </Group>
      <Outlet />
    </Stack>
  );
}
