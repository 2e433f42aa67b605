// The filters above the crash lists: view, search, build, and status or OS.
import { formatPlatform } from '@chauffeur/contract/format';
import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { Choice } from '../../ui/Choice.tsx';
import { OS_FILTER_CHOICES } from '../../ui/platforms.ts';
import type { ListedBuild } from '../builds/build-columns.tsx';
import { type CrashFilters, readFilters, type SearchIn, type Status, toSearch } from './filters.ts';

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
const STATUSES: readonly { value: Status; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'snoozed', label: 'Snoozed' },
  { value: 'ignored', label: 'Ignored' },
  { value: 'all', label: 'All' },
];
const SEARCH_IN: readonly { value: SearchIn; label: string }[] = [
  { value: 'frame', label: 'in functions' },
  { value: 'text', label: 'in messages' },
];
const TYPING_DELAY_MS = 250;

export function CrashFilterBar({ filters, builds, onChange }: CrashFilterBarProps) {
  const { view, status, build, since, os } = filters;
  const [newest] = builds;
  const [text, setText] = useState(filters.search?.text ?? '');
  const isListed = build === undefined || builds.some(({ build_id }) => build_id === build);
  const buildChoices = [
    { value: '', label: 'Any build' },
    ...builds.map((each) => ({ value: each.build_id, label: `${each.version} · ${formatPlatform(each)}` })),
    ...(isListed ? [] : [{ value: build, label: 'An older build' }]),
  ];
  /** Reads the changed URL parameters again, so that an empty choice removes its filter. */
  const change = (changed: Readonly<Record<string, string | undefined>>) =>
    onChange(readFilters({ ...toSearch(filters), ...changed }));
  return (
    <Group gap="sm" role="search" aria-label="Crashes">
      <Choice
        label="View"
        value={view}
        choices={VIEWS}
        onChange={(chosen) => {
          // The other view has no search, so the search field is cleared.
          setText('');
          change({ view: chosen, frame: undefined, text: undefined });
        }}
      />
      <SearchBox
        initialPlace={filters.search?.in ?? 'frame'}
        text={text}
        onType={setText}
        onSearch={(searched, place) => change({ frame: undefined, text: undefined, [place]: searched })}
      />
      <NativeSelect
        aria-label="Build"
        size="xs"
        maw={220}
        data={buildChoices}
        value={build ?? ''}
        onChange={(event) => change({ build: event.currentTarget.value })}
      />
      {view === 'groups' ? (
        <NativeSelect
          aria-label="Status"
          size="xs"
          data={[...STATUSES]}
          value={status}
          onChange={(event) => change({ status: event.currentTarget.value })}
        />
      ) : (
        <NativeSelect
          aria-label="OS"
          size="xs"
          data={OS_FILTER_CHOICES}
          value={os ?? ''}
          onChange={(event) => change({ os: event.currentTarget.value })}
        />
      )}
      {view === 'groups' && newest !== undefined && (
        <Checkbox
          size="xs"
          label={
            since === undefined || since === newest.build_id
              ? `New since ${newest.version}`
              : 'New since the selected build'
          }
          checked={since !== undefined}
          onChange={(event) => change({ since: event.currentTarget.checked ? newest.build_id : '' })}
        />
      )}
    </Group>
  );
}

type SearchBoxProps = {
  initialPlace: SearchIn;
  text: string;
  onType: (text: string) => void;
  onSearch: (text: string, place: SearchIn) => void;
};

function SearchBox({ initialPlace, text, onType, onSearch }: SearchBoxProps) {
  const [place, setPlace] = useState(initialPlace);
  const search = useDebouncedCallback(onSearch, TYPING_DELAY_MS);
  return (
    <Group gap={4} wrap="nowrap">
      <TextInput
        aria-label="Search reports"
        placeholder={place === 'frame' ? 'Any function on the stack' : 'Error or player message'}
        type="search"
        size="xs"
        w={230}
        data-search
        value={text}
        onChange={(event) => {
          onType(event.currentTarget.value);
          search(event.currentTarget.value, place);
        }}
      />
      <NativeSelect
        aria-label="Search in"
        size="xs"
        data={[...SEARCH_IN]}
        value={place}
        onChange={(event) => {
          const changed: SearchIn = event.currentTarget.value === 'text' ? 'text' : 'frame';
          setPlace(changed);
          search(text, changed);
        }}
      />
    </Group>
  );
}
