// The uploaded symbols of a build, and the modules that still need some.
import { formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listBuildSymbols } from '@chauffeur/contract/operations/symbols';
import { Text } from '@mantine/core';
import { Bytes } from '../../ui/Bytes.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { DocLink } from '../../ui/DocLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PagedTable } from '../../ui/PagedTable.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SymbolsCommand } from '../../ui/SymbolsCommand.tsx';
import { SYMBOLS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import { usePages } from '../../ui/use-pages.ts';
import type { OpenGame } from '../games/use-game.ts';
import { MissingSymbols } from './MissingSymbols.tsx';

type BuildSymbol = OutputOf<typeof listBuildSymbols>['symbols'][number];

const PAGE_SIZE = 20;

type BuildSymbolsProps = { game: OpenGame; buildId: string; os: string };

export function BuildSymbols({ game, buildId, os }: BuildSymbolsProps) {
  const input = { uid: game.game_uid, build_id: buildId, limit: PAGE_SIZE };
  const list = usePages(listBuildSymbols, input, (page) => page.symbols);
  const command = <SymbolsCommand slug={game.slug} buildId={buildId} />;
  const isEmpty = list.rows?.length === 0;
  return (
    <>
      <PagedTable
        label="Symbols"
        list={list}
        columns={COLUMNS}
        rowKey={({ symbol_uid }) => symbol_uid}
        skeletonRows={2}
        empty={
          os === 'web' ? (
            <Text size="sm">Web builds need no symbols. Their crash reports contain the stack as text.</Text>
          ) : (
            <EmptyState command={command}>
              No symbols yet. They add function names and line numbers to this build's crash reports, including reports
              that have already arrived. Create the files with <DocLink page="symbols">dump_syms</DocLink>, then upload
              their folder:
            </EmptyState>
          )
        }
        more="Show more symbols"
      />
      {list.rows !== undefined && (
        <MissingSymbols gameUid={game.game_uid} buildId={buildId} {...(!isEmpty && { command })} />
      )}
    </>
  );
}

/** Such a file is readable, but stacks are hardly better with it. */
const WITHOUT_FUNCTIONS = { tone: 'unsure', label: 'No functions' } as const;

const COLUMNS: readonly Column<BuildSymbol>[] = [
  {
    header: 'Module',
    overflow: 'anywhere',
    cell: ({ debug_file, os, cpu, problem, poorer_at: poorerAt }) => (
      <>
        {debug_file}{' '}
        <Text span size="sm" c="dimmed">
          {os} {cpu}
        </Text>
        {problem !== null && <Text size="sm">{problem}</Text>}
        {poorerAt !== null && (
          <Text size="sm">
            A less complete file was uploaded <Time at={poorerAt} /> and isn't used. To use it, delete this one first.
          </Text>
        )}
      </>
    ),
  },
  {
    header: 'Debug ID',
    cell: ({ debug_id, debug_file }) => <CopyText text={debug_id} label={`debug ID of ${debug_file}`} />,
  },
  {
    header: 'State',
    cell: ({ state, functions }) => {
      const { tone, label } = state === 'compiled' && functions === 0 ? WITHOUT_FUNCTIONS : SYMBOLS[state];
      return <StateBadge tone={tone}>{label}</StateBadge>;
    },
  },
  {
    header: 'Functions',
    align: 'right',
    overflow: 'nowrap',
    cell: ({ functions }) => (functions === null ? '–' : formatNumber(functions)),
  },
  { header: 'Size', align: 'right', overflow: 'nowrap', cell: ({ size }) => <Bytes count={size} /> },
  {
    header: 'Uploaded',
    overflow: 'nowrap',
    cell: ({ uploaded_at }) => <Time at={uploaded_at} />,
  },
];
