// What is shown instead of a page: for an address without one, and for a page that failed to load.
import { ApiError, isError } from '@chauffeur/contract/errors';
import { PAGES } from '@chauffeur/contract/pages';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { t } from '../texts.tsx';
import { Panel } from '../ui/PageLayout.tsx';
import { Problem } from '../ui/Problem.tsx';
import { MissingCodeError } from './load-code.ts';
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

/** Shown instead of a page that failed to load, or that doesn't exist. */
export function PageProblem({ error, reset }: ErrorComponentProps) {
  if (isMissing(error)) return <UnknownPage />;
  // The router keeps the code that failed to load until the page is loaded again.
  const retry = error instanceof MissingCodeError ? () => location.reload() : reset;
  return (
    <Stack gap="md" py="xl">
      <Title order={1} size="h2">
        {t('problem.page')}
      </Title>
      <Problem error={error} onRetry={retry} />
    </Stack>
  );
}

/** Whether what the page shows doesn't exist, the visitor may not know of it, or its ID is invalid. */
export function isMissing(error: unknown): boolean {
  return isError(error, 'invalid') || (error instanceof ApiError && error.status === 404);
}
