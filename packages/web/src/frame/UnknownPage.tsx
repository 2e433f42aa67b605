// Shown for an address without a page.
import { Anchor, Stack, Text, Title } from '@mantine/core';
import { t } from '../texts.tsx';
import { useTitle } from './page-title.ts';

export function UnknownPage() {
  useTitle(t('problem.notFound'));
  return (
    <Stack gap="sm" py="xl" maw={544} mx="auto">
      <Title order={1} size="h2">
        {t('problem.notFound')}
      </Title>
      <Text>{t('problem.notFound.text')}</Text>
      <Anchor href="/">{t('problem.home')}</Anchor>
    </Stack>
  );
}
