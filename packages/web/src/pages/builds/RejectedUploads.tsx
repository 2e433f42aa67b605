// Uploads that were rejected by the virus scan. Renders nothing if there are none.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listRejectedUploads } from '@chauffeur/contract/operations/files';
import { Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { shorten } from '../../ui/format.ts';
import { Pager } from '../../ui/PagedTable.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { RowAnchor, SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SCANS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { readPage } from './build-filters.ts';

type RejectedFile = OutputOf<typeof listRejectedUploads>['files'][number];

const route = getRouteApi('/signed-in/dev/$slug/builds');

export function RejectedUploads({ game }: { game: OpenGame }) {
  const navigate = route.useNavigate();
  const page = readPage(route.useSearch().rejected);
  const openPage = (number: number) =>
    void navigate({
      search: (before) => ({ ...before, rejected: number === 1 ? undefined : String(number) }),
      resetScroll: false,
    });
  const { data, error, refetch } = useQuery({
    ...ask(listRejectedUploads, { uid: game.game_uid, page }),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.pagination.total === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-labelledby="rejected" mt="lg">
      <div>
        <Title order={2} size="h4" id="rejected">
          Rejected uploads
        </Title>
        <Text size="sm" c="dimmed">
          From the last 30 days. Players could never download these files, and their contents are not stored.
        </Text>
      </div>
      <DataTable
        label="Rejected uploads"
        columns={fileColumns(game.slug)}
        rows={data.files}
        rowKey={({ file_uid }) => file_uid}
      />
      <Pager
        pagination={data.pagination}
        itemName={{ one: 'rejected upload', other: 'rejected uploads' }}
        onPage={openPage}
      />
    </Stack>
  );
}

function fileColumns(slug: string): Column<RejectedFile>[] {
  return [
    {
      header: 'File',
      cell: ({ file_uid, filename }) => (
        <RowAnchor href={`/g/${slug}/files/${file_uid}`} title="Show the uploader and all scans">
          {filename}
        </RowAnchor>
      ),
    },
    {
      header: 'Build',
      cell: ({ build_id: buildId }) => (
        <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId }}>
          {shorten(buildId)}
        </SiteLink>
      ),
    },
    {
      header: 'Scan',
      cell: ({ status }) => <StateBadge tone={SCANS[status].tone}>{SCANS[status].label}</StateBadge>,
    },
    { header: 'Result', overflow: 'anywhere', isLong: true, cell: ({ detail }) => detail ?? '–' },
    {
      header: 'Size',
      align: 'right',
      overflow: 'nowrap',
      cell: ({ size }) => <Bytes count={size} />,
    },
    {
      header: 'Rejected',
      overflow: 'nowrap',
      cell: ({ rejected_at }) => <Time at={rejected_at} />,
    },
  ];
}
