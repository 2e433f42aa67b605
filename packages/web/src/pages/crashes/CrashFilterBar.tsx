// The filters above the crash lists: buttons and selects, the query box with completion, and saved searches. All of
// them read from one query and write to it.
import { isFacet, MAX_QUERY_LENGTH, parseQuery } from '@chauffeur/contract/crash-query';
import { OSES } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  deleteCrashSearch,
  GROUP_ORDERS,
  type GroupOrder,
  type GroupStatus,
  listCrashSearches,
  saveCrashSearch,
} from '@chauffeur/contract/operations/crash-groups';
import { listFacetValues } from '@chauffeur/contract/operations/impact';
import { Button, Checkbox, Combobox, Group, NativeSelect, Stack, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ask, call } from '../../api.ts';
import { offerUndo } from '../../frame/offer-undo.ts';
import { Choice } from '../../ui/Choice.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { OS_FILTER_CHOICES } from '../../ui/platforms.ts';
import type { ListedBuild } from '../builds/build-columns.tsx';
import { useGame } from '../games/use-game.ts';
import {
  type CrashFilters,
  completeQuery,
  DEFAULT_QUERIES,
  filterValueOf,
  isNewOnly,
  type KnownValues,
  readCrashFilters,
  statusOf,
  valueAt,
  withNewOnly,
  withStatus,
  withValue,
} from './crash-filters.ts';
import classes from './crashes.module.css';

type CrashFilterBarProps = {
  filters: CrashFilters;
  /** The builds of the game, newest first. */
  builds: readonly ListedBuild[];
  onChange: (filters: CrashFilters) => void;
};

const KINDS = [
  { value: 'crash', label: 'Crashes' },
  { value: 'error', label: 'Errors' },
] as const;
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
  const { kind, view, query, sort } = filters;
  const [newest] = builds;
  const versions = [...new Set(builds.map(({ version }) => version))];
  const version = filterValueOf(query, 'version');
  const status = statusOf(query);
  const change = (changed: Partial<CrashFilters>) => onChange({ ...filters, ...changed });
  const known = { os: OSES, version: versions, assigned: ['me', ...members.map(({ name }) => name)] };
  return (
    <Stack gap="xs" role="search" aria-label="Crashes">
      <Group gap="sm">
        <Choice label="Kind" value={kind} choices={KINDS} onChange={(chosen) => change({ kind: chosen })} />
        <Choice
          label="View"
          value={view}
          choices={VIEWS}
          onChange={(chosen) => {
            const isDefault = query === DEFAULT_QUERIES[view];
            // Filters that only reports have are left out.
            const isPossible = readCrashFilters({ view: chosen, q: query }).view === chosen;
            change({ view: chosen, query: isDefault || !isPossible ? DEFAULT_QUERIES[chosen] : query });
          }}
        />
        <QueryBox query={query} known={known} onChange={(typed) => change({ query: typed })} />
        <SavedSearches
          search={{ query, kind, view }}
          onOpen={(opened) => change({ query: opened.query, kind: opened.kind, view: opened.view })}
        />
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

type QueryBoxProps = {
  query: string;
  known: KnownValues;
  onChange: (query: string) => void;
};

const TYPING_DELAY_MS = 250;

/**
 * The box for a query in the query language, with completion. While a query without problems is typed, the list
 * follows. Other queries are applied once they are complete, and the page then shows the problem instead of a list.
 */
function QueryBox({ query, known, onChange }: QueryBoxProps) {
  const [text, setText] = useState(query);
  const [cursor, setCursor] = useState(query.length);
  /** The query of the last render, and the last one that came from here: other changes replace what was typed. */
  const [shown, setShown] = useState(query);
  const [applied, setApplied] = useState(query);
  if (query !== shown) {
    setShown(query);
    if (query !== applied) setText(query);
  }
  const input = useRef<HTMLInputElement>(null);
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });
  const ofFacets = useFacetValues(text, cursor);
  const { from, to, options } = completeQuery(text, cursor, { ...known, ...ofFacets });
  const apply = (typed: string) => {
    const trimmed = typed.trim();
    if (trimmed === query) return;
    setApplied(trimmed);
    onChange(trimmed);
  };
  const applySoon = useDebouncedCallback((typed: string) => {
    if (!hasProblem(typed)) apply(typed);
  }, TYPING_DELAY_MS);
  const type = (typed: string, at: number) => {
    setText(typed);
    setCursor(at);
    applySoon(typed);
  };
  const insert = (chosen: string) => {
    const typed = text.slice(0, from) + chosen + text.slice(to).replace(/^ /, '');
    const at = from + chosen.length;
    type(typed, at);
    box.resetSelectedOption();
    // This runs after the input has its new value.
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(at, at);
    });
  };
  return (
    <Combobox store={box} onOptionSubmit={insert} withinPortal={false} position="bottom-start" width="max-content">
      <Combobox.Target>
        <TextInput
          ref={input}
          aria-label="Search crashes"
          placeholder="os:windows version:>=1.2 is:unassigned render::"
          type="search"
          size="xs"
          className={classes.query}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          maxLength={MAX_QUERY_LENGTH}
          data-search
          value={text}
          error={text.trim() === query && hasProblem(query)}
          onChange={({ currentTarget }) => {
            type(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length);
            box.openDropdown();
            box.resetSelectedOption();
          }}
          onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart ?? 0)}
          onFocus={() => box.openDropdown()}
          onClick={() => box.openDropdown()}
          onBlur={() => {
            box.closeDropdown();
            apply(text);
          }}
          onKeyDown={({ key }) => {
            // With an option selected, Enter inserts it.
            if (key !== 'Enter' || box.getSelectedOptionIndex() >= 0) return;
            apply(text);
            box.closeDropdown();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={options.length === 0}>
        <Combobox.Options aria-label="Completions" mah={280} style={{ overflowY: 'auto' }}>
          {options.map(({ insert: inserted, label, description }) => (
            <Combobox.Option key={label} value={inserted} className={classes.option}>
              <b>{label}</b> {description}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function hasProblem(query: string): boolean {
  return parseQuery(query).problems.length > 0;
}

const VALUE_DELAY_MS = 150;

/** Loads what completes a query: the facets of a game, and the values of the facet that is being typed. */
function useFacetValues(query: string, cursor: number): KnownValues {
  const game = useGame();
  const typed = valueAt(query, cursor);
  const facet = typed !== null && isFacet(typed.key) ? typed.key : '';
  const [part] = useDebouncedValue(typed?.text ?? '', VALUE_DELAY_MS);
  const input = { uid: game.game_uid, ...(facet !== '' && { facet, ...(part !== '' && { part }) }) };
  const { data } = useQuery({ ...ask(listFacetValues, input), placeholderData: keepPreviousData });
  const keys = (data?.facets ?? []).map((name): [string, readonly string[]] => [name, []]);
  return { ...Object.fromEntries(keys), ...(facet !== '' && { [facet]: data?.values ?? [] }) };
}

type Search = OutputOf<typeof listCrashSearches>['searches'][number];

/** What is saved of the filters. */
type Saved = Pick<CrashFilters, 'query' | 'kind' | 'view'>;

type SavedSearchesProps = { search: Saved; onOpen: (search: Saved) => void };

/** The searches that the members of the game saved, and the dialog that saves the current one. */
function SavedSearches({ search: shown, onOpen }: SavedSearchesProps) {
  const { game_uid: uid } = useGame();
  const queries = useQueryClient();
  const { data } = useQuery(ask(listCrashSearches, { uid }));
  const [isSaving, setSaving] = useState(false);
  const searches = data?.searches ?? [];
  const current = searches.find((search) => isSame(search, shown));
  const reload = () => queries.invalidateQueries({ queryKey: [listCrashSearches.id] });
  const deleting = useMutation({
    mutationFn: ({ search_uid }: Search) => call(deleteCrashSearch, { uid, search_uid }),
    onSuccess: (_, { name, query, kind, view }) => {
      offerUndo({
        message: `The search ${name} was deleted.`,
        undo: async () => {
          await call(saveCrashSearch, { uid, name, query, kind, view });
          await reload();
        },
      });
      return reload();
    },
  });
  return (
    <Group gap="xs">
      {searches.length > 0 && (
        <NativeSelect
          aria-label="Saved searches"
          size="xs"
          maw={200}
          value={current?.search_uid ?? ''}
          data={[
            { value: '', label: 'Saved searches' },
            ...searches.map(({ search_uid, name }) => ({ value: search_uid, label: name })),
          ]}
          onChange={({ currentTarget: { value } }) => {
            const chosen = searches.find(({ search_uid }) => search_uid === value);
            if (chosen !== undefined) onOpen(chosen);
          }}
        />
      )}
      <Permitted operation={saveCrashSearch}>
        {current === undefined ? (
          <Button size="xs" variant="default" disabled={shown.query === ''} onClick={() => setSaving(true)}>
            Save search
          </Button>
        ) : (
          <Button size="xs" variant="default" loading={deleting.isPending} onClick={() => deleting.mutate(current)}>
            Delete search
          </Button>
        )}
      </Permitted>
      {isSaving && <SaveDialog uid={uid} search={shown} onSaved={reload} onClose={() => setSaving(false)} />}
    </Group>
  );
}

function isSame(a: Saved, b: Saved): boolean {
  return a.query === b.query && a.kind === b.kind && a.view === b.view;
}

type SaveDialogProps = {
  uid: string;
  search: Saved;
  onSaved: () => Promise<unknown>;
  onClose: () => void;
};

function SaveDialog({ uid, search, onSaved, onClose }: SaveDialogProps) {
  const [name, setName] = useState('');
  const saving = useMutation({
    mutationFn: () => call(saveCrashSearch, { uid, name: name.trim(), ...search }),
    onSuccess: async () => {
      await onSaved();
      onClose();
    },
  });
  return (
    <FormDialog
      title="Save search"
      submitLabel="Save search"
      isBusy={saving.isPending}
      isDisabled={name.trim() === ''}
      error={saving.error}
      onSubmit={() => saving.mutate()}
      onClose={onClose}
    >
      <Text size="sm" ff="monospace">
        {search.query}
      </Text>
      <TextInput
        data-field="name"
        label="Name"
        description="All members of the game see it. A search with the same name is replaced."
        required
        withAsterisk={false}
        maxLength={80}
        value={name}
        autoComplete="off"
        data-autofocus
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </FormDialog>
  );
}
