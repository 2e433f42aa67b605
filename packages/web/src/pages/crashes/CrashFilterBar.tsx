// The choices above the lists of crashes: search, groups or reports, build, status or system.
import { OSES } from '@chauffeur/contract/identity';
import { sayOs, sayPlatform } from '@chauffeur/contract/platform-words';
import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { Choice } from '../../ui/Choice.tsx';
import type { ListedBuild } from '../builds/BuildRow.tsx';
import { asTexts, type CrashFilters, readFilters, type SearchIn, type Status } from './filters.ts';

type CrashFilterBarProps = {
  filters: CrashFilters;
  /** The newest first. */
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
  { value: 'all', label: 'Open and resolved' },
];
const PLACES: readonly { value: SearchIn; label: string }[] = [
  { value: 'frame', label: 'in functions' },
  { value: 'text', label: 'in words' },
];
const OS_CHOICES = [{ value: '', label: 'Any system' }, ...OSES.map((os) => ({ value: os, label: sayOs(os) }))];
const WAIT_MS = 250;

export function CrashFilterBar({ filters, builds, onChange }: CrashFilterBarProps) {
  const { view, status, build, since, os } = filters;
  const [newest] = builds;
  const [typed, setTyped] = useState(filters.search?.words ?? '');
  const known = builds.some(({ build_id }) => build_id === build) || build === undefined;
  const buildChoices = [
    { value: '', label: 'Any build' },
    ...builds.map((each) => ({ value: each.build_id, label: `${each.version} · ${sayPlatform(each)}` })),
    ...(known ? [] : [{ value: build, label: 'An older build' }]),
  ];
  /** What the address would make of it: an empty choice is none. */
  const change = (changed: Readonly<Record<string, string | undefined>>) =>
    onChange(readFilters({ ...asTexts(filters), ...changed }));
  return (
    <Group gap="sm" role="search" aria-label="Crashes">
      <Choice
        label="Show"
        value={view}
        choices={VIEWS}
        onChange={(chosen) => {
          // The search is left, and what was typed goes with it.
          setTyped('');
          change({ view: chosen, frame: undefined, text: undefined });
        }}
      />
      <SearchBox
        first={filters.search?.in ?? 'frame'}
        typed={typed}
        onType={setTyped}
        onSearch={(words, where) => change({ frame: undefined, text: undefined, [where]: words })}
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
          aria-label="System"
          size="xs"
          data={OS_CHOICES}
          value={os ?? ''}
          onChange={(event) => change({ os: event.currentTarget.value })}
        />
      )}
      {view === 'groups' && newest !== undefined && (
        <Checkbox
          size="xs"
          label={
            since === undefined || since === newest.build_id ? `New since ${newest.version}` : 'New since that build'
          }
          checked={since !== undefined}
          onChange={(event) => change({ since: event.currentTarget.checked ? newest.build_id : '' })}
        />
      )}
    </Group>
  );
}

type SearchBoxProps = {
  /** Where to look at first. */
  first: SearchIn;
  typed: string;
  onType: (typed: string) => void;
  onSearch: (words: string, where: SearchIn) => void;
};

function SearchBox({ first, typed, onType, onSearch }: SearchBoxProps) {
  const [place, setPlace] = useState(first);
  const search = useDebouncedCallback(onSearch, WAIT_MS);
  return (
    <Group gap={4} wrap="nowrap">
      <TextInput
        aria-label="Search reports"
        placeholder={place === 'frame' ? 'Any function on the stack' : 'Message, or what players wrote'}
        type="search"
        size="xs"
        w={230}
        data-search
        value={typed}
        onChange={(event) => {
          onType(event.currentTarget.value);
          search(event.currentTarget.value, place);
        }}
      />
      <NativeSelect
        aria-label="Where to search"
        size="xs"
        data={[...PLACES]}
        value={place}
        onChange={(event) => {
          const where: SearchIn = event.currentTarget.value === 'text' ? 'text' : 'frame';
          setPlace(where);
          search(typed, where);
        }}
      />
    </Group>
  );
}
