// The symbols that a build has, with what keeps some from being used.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listBuildSymbols } from '@chauffeur/contract/operations/symbols';
import { Skeleton, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { Bytes } from '../../ui/Bytes.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { NextPage } from '../../ui/NextPage.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SYMBOLS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { LackedSymbols } from './LackedSymbols.tsx';

const PAGE = 20;

const uploadLine = (buildId: string) => `chauffeur symbols --build-id ${buildId} symbols`;

export function BuildSymbols({ gameUid, buildId }: { gameUid: string; buildId: string }) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [listBuildSymbols.id, { uid: gameUid, build_id: buildId }],
    queryFn: ({ pageParam: cursor, signal }) =>
      call(
        listBuildSymbols,
        { uid: gameUid, build_id: buildId, limit: PAGE, ...(cursor !== '' && { cursor }) },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  if (error !== null) return <Problem error={error} again={() => void refetch()} />;
  if (isPending) return <Skeleton h={108} />;
  const symbols = data.pages.flatMap((page) => page.symbols);
  if (symbols.length === 0) {
    return (
      <>
        <EmptyState command={uploadLine(buildId)}>
          No symbols. With them, crash reports of this build show functions and lines; those that came before are read
          again by themselves. Make the files with dump_syms, then send the folder that they are in.
        </EmptyState>
        <LackedSymbols gameUid={gameUid} buildId={buildId} />
      </>
    );
  }
  return (
    <>
      <Table className={table.table} aria-label="Symbols">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Module</Table.Th>
            <Table.Th visibleFrom="sm">Debug id</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th ta="right">Size</Table.Th>
            <Table.Th visibleFrom="sm">Uploaded</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {symbols.map((symbol) => (
            <SymbolRow key={symbol.symbol_uid} symbol={symbol} />
          ))}
        </Table.Tbody>
      </Table>
      <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
        Show more symbols
      </NextPage>
      <LackedSymbols gameUid={gameUid} buildId={buildId} command={uploadLine(buildId)} />
    </>
  );
}

type BuildSymbol = OutputOf<typeof listBuildSymbols>['symbols'][number];

function SymbolRow({ symbol }: { symbol: BuildSymbol }) {
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {symbol.debug_file}{' '}
        <Text span size="sm" c="dimmed">
          {symbol.os} {symbol.cpu}
        </Text>
        {symbol.problem !== null && <Text size="sm">{symbol.problem}</Text>}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <CopyText text={symbol.debug_id} what={`debug id of ${symbol.debug_file}`} />
      </Table.Td>
      <Table.Td>
        <StateBadge tone={SYMBOLS[symbol.state].tone}>{SYMBOLS[symbol.state].word}</StateBadge>
      </Table.Td>
      <Table.Td ta="right" className={table.small}>
        <Bytes count={symbol.size} />
      </Table.Td>
      <Table.Td visibleFrom="sm" className={table.small}>
        <Time at={symbol.uploaded_at} />
      </Table.Td>
    </Table.Tr>
  );
}
