// The modules of a build's recent crashes that had no symbols, and why.
import { listMissingSymbols } from '@chauffeur/contract/operations/crash-stacks';
import { Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { sayExactNumber, sayShare } from '../../ui/say.ts';
import table from '../../ui/table.module.css';

type LackedSymbolsProps = {
  gameUid: string;
  buildId: string;
  /** What uploads them, where the page does not say it already. */
  command?: string;
};

const REFRESH_MS = 10_000;

/** Nothing stands here as long as no report lacks any. */
export function LackedSymbols({ gameUid, buildId, command }: LackedSymbolsProps) {
  const { data, error, refetch } = useQuery({
    ...ask(listMissingSymbols, { uid: gameUid, build_id: buildId }),
    refetchInterval: ({ state }) => (state.status === 'error' ? false : REFRESH_MS),
  });
  if (error !== null && data === undefined) return <Problem error={error} again={() => void refetch()} />;
  if (data === undefined || data.modules.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Symbols that crashes lacked" mt="sm">
      <Title order={3} size="h5">
        Lacked by recent crashes
      </Title>
      <Text size="sm" c="dimmed">
        Of the newest {data.reports === 1 ? 'report' : `${sayExactNumber(data.reports)} reports`} of this build.
        Libraries of players’ systems stand here too; those of the game are the ones to upload.
      </Text>
      <Table className={table.table} aria-label="Modules without symbols">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Module</Table.Th>
            <Table.Th visibleFrom="sm">Debug id</Table.Th>
            <Table.Th>Why</Table.Th>
            <Table.Th ta="right">Reports</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.modules.map(({ module, debug_id: debugId, why, detail, crashes }) => (
            <Table.Tr key={`${module} ${debugId}`}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{module}</Table.Td>
              <Table.Td visibleFrom="sm">
                <CopyText text={debugId} what={`debug id of ${module}`} />
              </Table.Td>
              <Table.Td title={detail} style={{ overflowWrap: 'anywhere' }}>
                {why === 'never_uploaded' ? 'Never uploaded' : detail}
              </Table.Td>
              <Table.Td ta="right" className={table.small} title={sayShare(crashes, data.reports)}>
                {sayExactNumber(crashes)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {command !== undefined && <CopyText text={command} what="command that uploads symbols" whole />}
    </Stack>
  );
}
