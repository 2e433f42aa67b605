// Previous and next buttons of a list with numbered pages, newest first.
import { formatNumber } from '@chauffeur/contract/format';
import { Button, Group, Text } from '@mantine/core';

type PagerProps = {
  pagination: { page: number; page_size: number; total: number };
  /** What the list holds: `build` and `builds`. */
  itemName: { readonly one: string; readonly other: string };
  onPage: (page: number) => void;
};

export function Pager({ pagination, itemName, onPage }: PagerProps) {
  const { page, page_size: size, total } = pagination;
  const last = Math.max(1, Math.ceil(total / size));
  if (last === 1) {
    return (
      <Text size="sm" c="dimmed">
        {formatNumber(total)} {total === 1 ? itemName.one : itemName.other}
      </Text>
    );
  }
  return (
    <Group component="nav" aria-label={`Pages of ${itemName.other}`} gap="sm">
      <Button size="xs" variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Newer
      </Button>
      <Button size="xs" variant="default" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Older
      </Button>
      <Text size="sm" c="dimmed">
        {formatNumber((page - 1) * size + 1)}–{formatNumber(Math.min(total, page * size))} of {formatNumber(total)}{' '}
        {itemName.other}
      </Text>
    </Group>
  );
}
