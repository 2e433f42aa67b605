// The way through a list that comes in numbered pages.
import { Button, Group, Text } from '@mantine/core';
import { sayExactNumber } from './say.ts';

type PagerProps = {
  pagination: { page: number; page_size: number; total: number };
  /** What is counted: `builds`. */
  what: string;
  onPage: (page: number) => void;
};

export function Pager({ pagination, what, onPage }: PagerProps) {
  const { page, page_size: size, total } = pagination;
  const last = Math.max(1, Math.ceil(total / size));
  if (last === 1) {
    return (
      <Text size="sm" c="dimmed">
        {sayExactNumber(total)} {total === 1 ? what.replace(/s$/, '') : what}
      </Text>
    );
  }
  return (
    <Group component="nav" aria-label={`Pages of ${what}`} gap="sm">
      <Button size="xs" variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Newer
      </Button>
      <Button size="xs" variant="default" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Older
      </Button>
      <Text size="sm" c="dimmed">
        {sayExactNumber((page - 1) * size + 1)}–{sayExactNumber(Math.min(total, page * size))} of{' '}
        {sayExactNumber(total)} {what}
      </Text>
    </Group>
  );
}
