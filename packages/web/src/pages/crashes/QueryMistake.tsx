// Shown instead of results if the query has a mistake, so that none are shown for another query.
import type { QueryMistake as Mistake } from '@chauffeur/contract/crash-query-mistake';
import { Button, Group, Stack, Text } from '@mantine/core';

type QueryMistakeProps = {
  mistake: Mistake;
  onSearch: (query: string) => void;
  /** Removes all filters. */
  onReset: () => void;
};

export function QueryMistake({ mistake: { message, suggestion }, onSearch, onReset }: QueryMistakeProps) {
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
