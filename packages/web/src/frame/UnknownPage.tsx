// Shown for an address without a page.
import { PAGES } from '@chauffeur/contract/pages';
import { Button, Group, Text, Title } from '@mantine/core';
import { t } from '../texts.tsx';
import { Panel } from '../ui/Panel.tsx';
import { useTitle } from './page-title.ts';

export function UnknownPage() {
  useTitle(t('problem.notFound'));
  return (
    <Panel>
      <Title order={1} size="h2">
        {t('problem.notFound')}
      </Title>
      <Text>{t('problem.notFound.text')}</Text>
      <Group gap="sm">
        <Button component="a" href={PAGES.home}>
          {t('problem.home')}
        </Button>
      </Group>
    </Panel>
  );
}
