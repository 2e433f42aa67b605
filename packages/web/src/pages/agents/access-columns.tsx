// The columns that connected programs and personal keys share: what they have access to, and when it was last used.
import type { Column } from '../../ui/DataTable.tsx';
import { Time } from '../../ui/Time.tsx';
import { formatGames, formatRights, type Key } from './reach.ts';

export const ACCESS_COLUMNS: readonly Column<Pick<Key, 'may_write' | 'game' | 'last_used_at'>>[] = [
  { header: 'Permissions', cell: formatRights },
  { header: 'Games', cell: formatGames },
  {
    header: 'Last used',
    cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time at={last_used_at} />),
  },
];
