// The filters of the audit log: who, kind, what, days and a text.
import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import classes from './AuditFilters.module.css';
import type { AuditSearch } from './audit-search.ts';
import { KINDS } from './kinds.ts';

const TYPING_DELAY_MS = 250;

type AuditFiltersProps = { search: AuditSearch; onChange: (search: AuditSearch) => void };

export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const change = (field: keyof AuditSearch, text: string) =>
    onChange({ ...search, [field]: text.trim() === '' ? undefined : text.trim() });
  const changeText = useDebouncedCallback(change, TYPING_DELAY_MS);
  const kinds = Object.entries(KINDS).map(([value, label]) => ({ value, label }));
  return (
    <div className={classes.filters}>
      <TextInput
        type="search"
        label="Search"
        placeholder="Value or name"
        defaultValue={search.search ?? ''}
        onChange={(event) => changeText('search', event.currentTarget.value)}
      />
      <TextInput
        type="search"
        label="Who"
        placeholder="Person or agent"
        defaultValue={search.who ?? ''}
        onChange={(event) => changeText('who', event.currentTarget.value)}
      />
      <NativeSelect
        label="Made by"
        data={[{ value: '', label: 'Anyone' }, ...kinds]}
        value={search.kind ?? ''}
        onChange={(event) => change('kind', event.currentTarget.value)}
      />
      <TextInput
        type="search"
        label="Operation"
        placeholder="channels"
        defaultValue={search.what ?? ''}
        onChange={(event) => changeText('what', event.currentTarget.value)}
      />
      <TextInput
        type="date"
        label="From"
        defaultValue={search.from ?? ''}
        onChange={(event) => changeText('from', event.currentTarget.value)}
      />
      <TextInput
        type="date"
        label="To"
        defaultValue={search.to ?? ''}
        onChange={(event) => changeText('to', event.currentTarget.value)}
      />
    </div>
  );
}
