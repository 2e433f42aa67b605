// Uploads that the scan refused; nothing stands here where there were none.
import { listRejectedUploads } from '@chauffeur/contract/operations/files';
import { Stack, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { Bytes } from '../../ui/Bytes.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { shorten } from '../../ui/say.ts';
import { SCANS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import type { OpenGame } from '../games/use-game.ts';
import { readPage } from './filters.ts';

const route = getRouteApi('/signed-in/dev/$slug/builds');

export function RejectedUploads({ game }: { game: OpenGame }) {
  const navigate = route.useNavigate();
  const page = readPage(route.useSearch().rejected);
  const turnTo = (number: number) =>
    void navigate({
      search: (before) => ({ ...before, rejected: number === 1 ? undefined : String(number) }),
      resetScroll: false,
    });
  const { data, error, refetch } = useQuery({
    ...ask(listRejectedUploads, { uid: game.game_uid, page }),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <Problem error={error} again={() => void refetch()} />;
  if (data === undefined || data.pagination.total === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-labelledby="rejected" mt="lg">
      <div>
        <Title order={2} size="h4" id="rejected">
          Rejected uploads
        </Title>
        <Text size="sm" c="dimmed">
          Of the last 30 days. No player ever got one, and their bytes are not kept.
        </Text>
      </div>
      <Table className={table.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>File</Table.Th>
            <Table.Th>Build</Table.Th>
            <Table.Th>Scan</Table.Th>
            <Table.Th>What it found</Table.Th>
            <Table.Th visibleFrom="sm" ta="right">
              Size
            </Table.Th>
            <Table.Th visibleFrom="sm">Rejected</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.files.map((file) => (
            <Table.Tr key={file.file_uid}>
              <Table.Td>
                <SiteLink
                  to="/g/$uid/files/$file_uid"
                  params={{ uid: game.slug, file_uid: file.file_uid }}
                  className={table.main}
                  title="Who sent it, and every scan of it"
                  data-row
                >
                  {file.filename}
                </SiteLink>
              </Table.Td>
              <Table.Td>
                <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug: game.slug, buildId: file.build_id }}>
                  {shorten(file.build_id)}
                </SiteLink>
              </Table.Td>
              <Table.Td>
                <StateBadge tone={SCANS[file.status].tone}>{SCANS[file.status].word}</StateBadge>
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{file.detail ?? '–'}</Table.Td>
              <Table.Td visibleFrom="sm" ta="right" className={table.small}>
                <Bytes count={file.size} />
              </Table.Td>
              <Table.Td visibleFrom="sm" className={table.small}>
                <Time at={file.rejected_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Pager pagination={data.pagination} what="rejected uploads" onPage={turnTo} />
    </Stack>
  );
}
