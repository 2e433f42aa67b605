// The filters above the crash lists. All of them read from one query and write to it.
import { OSES } from '@chauffeur/contract/identity';
import { GROUP_ORDERS, type GroupOrder, type GroupStatus } from '@chauffeur/contract/operations/crashes';
import { Checkbox, Group, NativeSelect, Stack } from '@mantine/core';
import { Choice } from '../../ui/Choice.tsx';
import { OS_FILTER_CHOICES } from '../../ui/platforms.ts';
import type { ListedBuild } from '../builds/build-columns.tsx';
import { useGame } from '../games/use-game.ts';
import {
  type CrashFilters,
  DEFAULT_QUERIES,
  filterValueOf,
  isNewOnly,
  readFilters,
  statusOf,
  withNewOnly,
  withStatus,
  withValue,
} from './filters.ts';
import { QueryBox } from './QueryBox.tsx';
import { SavedSearches } from './SavedSearches.tsx';

type CrashFilterBarProps = {
  filters: CrashFilters;
  /** Newest first. */
  builds: readonly ListedBuild[];
  onChange: (filters: CrashFilters) => void;
};

const VIEWS = [
  { value: 'groups', label: 'Groups' },
  { value: 'reports', label: 'Reports' },
] as const;
const STATUSES: readonly { value: GroupStatus | 'all'; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'snoozed', label: 'Snoozed' },
  { value: 'ignored', label: 'Ignored' },
  { value: 'all', label: 'All' },
];
/** Shown if the query selects several statuses. */
const SEVERAL = { value: '', label: 'Several' };
const ORDERS: Readonly<Record<GroupOrder, string>> = {
  last_seen: 'Last seen',
  first_seen: 'First seen',
  reports: 'Reports',
  devices: 'Devices',
};

export function CrashFilterBar({ filters, builds, onChange }: CrashFilterBarProps) {
  const { members } = useGame();
  const { view, query, sort } = filters;
  const [newest] = builds;
  const versions = [...new Set(builds.map(({ version }) => version))];
  const version = filterValueOf(query, 'version');
  const status = statusOf(query);
  const change = (changed: Partial<CrashFilters>) => onChange({ ...filters, ...changed });
  const known = { os: OSES, version: versions, assigned: ['me', ...members.map(({ name }) => name)] };
  return (
    <Stack gap="xs" role="search" aria-label="Crashes">
      <Group gap="sm">
        <Choice
          label="View"
          value={view}
          choices={VIEWS}
          onChange={(chosen) => {
            const isDefault = query === DEFAULT_QUERIES[view];
            // What only reports have is left out.
            const isPossible = readFilters({ view: chosen, q: query }).view === chosen;
            change({ view: chosen, query: isDefault || !isPossible ? DEFAULT_QUERIES[chosen] : query });
          }}
        />
        <QueryBox query={query} known={known} onChange={(typed) => change({ query: typed })} />
        <SavedSearches query={query} view={view} onOpen={(opened, of) => change({ query: opened, view: of })} />
      </Group>
      <Group gap="sm">
        <NativeSelect
          aria-label="Status"
          size="xs"
          data={status === null ? [SEVERAL, ...STATUSES] : [...STATUSES]}
          value={status ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const chosen = STATUSES.find((each) => each.value === value);
            if (chosen !== undefined) change({ query: withStatus(query, chosen.value) });
          }}
        />
        <NativeSelect
          aria-label="Version"
          size="xs"
          maw={180}
          data={[
            { value: '', label: 'Any version' },
            ...(version === '' || versions.includes(version) ? [] : [version]),
            ...versions,
          ]}
          value={version}
          onChange={({ currentTarget }) => change({ query: withValue(query, 'version', currentTarget.value) })}
        />
        <NativeSelect
          aria-label="OS"
          size="xs"
          data={OS_FILTER_CHOICES}
          value={OSES.find((os) => os === filterValueOf(query, 'os')) ?? ''}
          onChange={({ currentTarget }) => change({ query: withValue(query, 'os', currentTarget.value) })}
        />
        {view === 'groups' && (
          <NativeSelect
            aria-label="Sort by"
            size="xs"
            data={GROUP_ORDERS.map((value) => ({ value, label: `By ${ORDERS[value].toLowerCase()}` }))}
            value={sort}
            onChange={({ currentTarget: { value } }) =>
              change({ sort: GROUP_ORDERS.find((each) => each === value) ?? 'last_seen' })
            }
          />
        )}
        {view === 'groups' && newest !== undefined && (
          <Checkbox
            size="xs"
            label={`New since ${newest.version}`}
            checked={isNewOnly(query)}
            onChange={({ currentTarget }) => change({ query: withNewOnly(query, currentTarget.checked) })}
          />
        )}
      </Group>
    </Stack>
  );
}
