// Shown for an address without a page.
import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useTitle } from './page-title.ts';

export function UnknownPage() {
  useTitle('Page not found');
  return (
    <Stack gap="sm" py="xl">
      <Title order={1} size="h2">
        Page not found
      </Title>
      <Text>Check the address. The page may have been moved or deleted.</Text>
      <Anchor href="/">Go to the home page</Anchor>
    </Stack>
  );
}
