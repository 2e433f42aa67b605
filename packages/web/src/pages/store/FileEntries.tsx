// Every entry of a zip with its size and checksum, found by a part of its path.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getProvenance } from '@chauffeur/contract/operations/store';
import { sayBytes } from '@chauffeur/contract/sizes';
import { Button, Group, Table, Text, TextInput, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { sayExactNumber } from '../../ui/say.ts';
import classes from './FilePage.module.css';
import { findEntries } from './find-entries.ts';

type Entry = OutputOf<typeof getProvenance>['entries'][number];

const route = getRouteApi('/g/$uid/files/$file_uid');

/** A zip may have 200,000 entries: a browser draws some at a time. */
const SHOWN_AT_ONCE = 100;

export function FileEntries({ entries }: { entries: readonly Entry[] }) {
  const { q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [most, setMost] = useState(SHOWN_AT_ONCE);
  const wanted = useDeferredValue(q);
  const found = useMemo(() => findEntries(entries, wanted), [entries, wanted]);
  const filter = (text: string) => {
    setMost(SHOWN_AT_ONCE);
    void navigate({ search: { q: text || undefined }, replace: true, resetScroll: false });
  };
  return (
    <section aria-labelledby="entries">
      <Group justify="space-between" align="flex-end" mb="sm">
        <div>
          <Title order={2} size="h4" id="entries">
            Entries
          </Title>
          <Text size="sm" c="dimmed" role="status">
            {wanted === '' ? sayFiles(found.length) : `${sayFiles(found.length)} of ${sayExactNumber(entries.length)}`}
          </Text>
        </div>
        <TextInput
          type="search"
          className={classes.filter}
          aria-label="Part of a path or checksum"
          placeholder="Part of a path or checksum"
          value={q}
          onChange={(event) => filter(event.currentTarget.value)}
        />
      </Group>
      {entries.length === 0 && <Text size="sm">They are listed once the file has been looked into.</Text>}
      {found.length > 0 && <EntryTable entries={found.slice(0, most)} />}
      {found.length > most && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setMost(most + SHOWN_AT_ONCE)}>
          Show more
        </Button>
      )}
    </section>
  );
}

function sayFiles(count: number): string {
  return count === 1 ? '1 entry' : `${sayExactNumber(count)} entries`;
}

function EntryTable({ entries }: { entries: readonly Entry[] }) {
  return (
    <Table fz="sm" verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Path</Table.Th>
          <Table.Th ta="right">Size</Table.Th>
          <Table.Th>SHA-256</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map((entry) => (
          <Table.Tr key={entry.path}>
            <Table.Td className={classes.path} ff="monospace">
              {entry.path}
            </Table.Td>
            <Table.Td ta="right" title={`${sayExactNumber(entry.size)} bytes`} style={{ whiteSpace: 'nowrap' }}>
              {entry.type === 'file' ? sayBytes(entry.size) : entry.type}
            </Table.Td>
            <Table.Td className={classes.checksum}>
              {entry.sha256 !== null && <CopyText text={entry.sha256} what={`checksum of ${entry.path}`} />}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
