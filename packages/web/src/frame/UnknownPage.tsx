// What an address shows that no page has.
import { Stack, Text, Title } from '@mantine/core';
import { SiteLink } from '../ui/SiteLink.tsx';
import { useTitle } from './page-title.ts';

export function UnknownPage() {
  useTitle('No such page');
  return (
    <Stack gap="sm" py="xl">
      <Title order={1} size="h2">
        No such page
      </Title>
      <Text>The address may be mistyped, or what it showed is gone.</Text>
      <SiteLink to="/">Go to the start</SiteLink>
    </Stack>
  );
}
