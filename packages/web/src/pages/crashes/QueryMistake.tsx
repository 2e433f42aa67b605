// Shown instead of results if the query has a mistake, so that none are shown for another query.
import type { parseQuery } from '@chauffeur/contract/crash-query';
import { Button, Group, Stack, Text } from '@mantine/core';

type QueryMistakeProps = {
  problem: ReturnType<typeof parseQuery>['problems'][number];
  onSearch: (query: string) => void;
  /** Removes all filters. */
  onReset: () => void;
};

export function QueryMistake({ problem: { message, suggestion }, onSearch, onReset }: QueryMistakeProps) {
  return (
    <Stack gap="sm" role="alert" align="flex-start">
      <Text size="sm">{message}</Text>
      <Group gap="sm">
        {suggestion !== undefined && (
          <Button size="xs" onClick={() => onSearch(suggestion)}>
            {`Search for ${suggestion}`}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={onReset}>
          Show all open groups
        </Button>
      </Group>
    </Stack>
  );
}
