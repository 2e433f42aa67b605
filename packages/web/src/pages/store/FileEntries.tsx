// The entries of a zip with their sizes and checksums, and a search.
import { formatBytes, formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getProvenance } from '@chauffeur/contract/operations/store';
import { Button, Group, Text, TextInput, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { formatItems } from '../../ui/format.ts';
import classes from './FilePage.module.css';
import { findEntries } from './find-entries.ts';

type Entry = OutputOf<typeof getProvenance>['entries'][number];

const route = getRouteApi('/g/$uid/files/$file_uid');

/** A zip may have 200,000 entries, so the page shows a few at a time. */
const PAGE_SIZE = 100;

export function FileEntries({ entries }: { entries: readonly Entry[] }) {
  const { q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [shown, setShown] = useState(PAGE_SIZE);
  const query = useDeferredValue(q);
  const matches = useMemo(() => findEntries(entries, query), [entries, query]);
  const search = (text: string) => {
    setShown(PAGE_SIZE);
    void navigate({ search: { q: text || undefined }, replace: true, resetScroll: false });
  };
  return (
    <section aria-labelledby="entries">
      <Group justify="space-between" align="flex-end" mb="sm">
        <div>
          <Title order={2} size="h4" id="entries">
            Files in the zip
          </Title>
          <Text size="sm" c="dimmed" role="status">
            {query === ''
              ? formatItems(entries.length, 'entry', 'entries')
              : `${formatNumber(matches.length)} of ${formatItems(entries.length, 'entry', 'entries')}`}
          </Text>
        </div>
        <TextInput
          type="search"
          className={classes.filter}
          aria-label="Search by path or checksum"
          placeholder="Search by path or checksum"
          value={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
      </Group>
      {entries.length === 0 && <Text size="sm">No entries yet. They appear after the scan.</Text>}
      {matches.length > 0 && (
        <DataTable
          label="Files in the zip"
          columns={COLUMNS}
          rows={matches.slice(0, shown)}
          rowKey={({ path }) => path}
        />
      )}
      {matches.length > shown && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setShown(shown + PAGE_SIZE)}>
          Show more entries
        </Button>
      )}
    </section>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { header: 'Path', className: `${classes.path} ${classes.mono}`, cell: ({ path }) => path },
  {
    header: 'Size',
    align: 'right',
    overflow: 'nowrap',
    cell: ({ type, size }) => (type === 'file' ? formatBytes(size) : type),
    title: ({ size }) => `${formatNumber(size)} bytes`,
  },
  {
    header: 'SHA-256',
    className: classes.checksum,
    cell: ({ path, sha256 }) => sha256 !== null && <CopyText text={sha256} label={`checksum of ${path}`} />,
  },
];
