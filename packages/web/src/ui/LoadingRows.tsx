// The rows of a table that is still loading: of the shape that they will have.
import { Skeleton, Table } from '@mantine/core';

export function LoadingRows({ rows, columns }: { rows: number; columns: number }) {
  return Array.from({ length: rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they stand for nothing, and never move
    <Table.Tr key={row} aria-hidden>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <Table.Td key={column}>
          <Skeleton h={14} my={3} w={column === 0 ? '60%' : '80%'} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
