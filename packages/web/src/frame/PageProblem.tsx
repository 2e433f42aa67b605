// Shown instead of a page that failed to load, or that doesn't exist.
import { Stack, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { t } from '../texts.tsx';
import { Problem } from '../ui/Problem.tsx';
import { isMissing } from './is-missing.ts';
import { MissingCodeError } from './load-code.ts';
import { UnknownPage } from './UnknownPage.tsx';

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
