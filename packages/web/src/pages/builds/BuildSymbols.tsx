// The uploaded symbols of a build, and the modules that still need some.
import { formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listMissingSymbols } from '@chauffeur/contract/operations/crash-stacks';
import { listBuildSymbols } from '@chauffeur/contract/operations/symbols';
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { formatShare } from '../../ui/format.ts';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SymbolsCommand } from '../../ui/ShellCommand.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SYMBOLS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { formatNativeKind } from './native-kind.ts';

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
            <EmptyState command={command}>
              No source maps yet. If the scripts of this build are minified, upload its folder with the{' '}
              <DocLink page="symbols">source maps</DocLink>, and crash reports show your own functions and lines,
              including reports that have already arrived:
            </EmptyState>
          ) : (
            <EmptyState command={command}>
              No symbols yet. They add function names and line numbers to this build's crash reports, including reports
              that have already arrived. Upload the folder of your build, with its{' '}
              <DocLink page="symbols">programs and debug files</DocLink>:
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

/** The state of a file that is readable, but hardly improves stacks. */
const WITHOUT_FUNCTIONS = { tone: 'unsure', label: 'No functions' } as const;

/** What a program or debug file is while a job converts it, and if that failed. */
const NATIVE_STATES = {
  stored: { tone: 'busy', label: 'Converting' },
  compiled: SYMBOLS.compiled,
  unreadable: { tone: 'bad', label: 'Not converted' },
} as const;

/** What a script or a mapping is while a job checks it. */
const MAPPING_STATES = {
  stored: { tone: 'busy', label: 'Checking' },
  compiled: SYMBOLS.compiled,
  unreadable: SYMBOLS.unreadable,
} as const;

const KINDS: Readonly<Record<Exclude<BuildSymbol['kind'], 'symbols'>, string>> = {
  script: 'script',
  source_map: 'source map',
  proguard: 'ProGuard or R8 mapping',
  il2cpp: 'lines of IL2CPP',
};

function kindOf({ kind, os, cpu, debug_file: name, ...checksums }: BuildSymbol): string {
  if (kind !== 'symbols') return KINDS[kind];
  return isNative(checksums) ? formatNativeKind(name) : `${os} ${cpu}`;
}

const RETRY = 'Upload the file again to retry, or convert it on your machine with chauffeur symbols.';

/** Whether it is a program or debug file that isn't converted: its checksum is that of the file itself. */
function isNative({ checksum, native_checksum: native }: Pick<BuildSymbol, 'checksum' | 'native_checksum'>): boolean {
  return checksum === native;
}

function stateOf(symbol: BuildSymbol) {
  if (symbol.kind !== 'symbols') return MAPPING_STATES[symbol.state];
  if (isNative(symbol)) return NATIVE_STATES[symbol.state];
  return symbol.state === 'compiled' && symbol.functions === 0 ? WITHOUT_FUNCTIONS : SYMBOLS[symbol.state];
}

const COLUMNS: readonly Column<BuildSymbol>[] = [
  {
    header: 'Module',
    overflow: 'anywhere',
    cell: (symbol) => (
      <>
        <strong>{symbol.debug_file}</strong>{' '}
        <Text span size="sm" c="dimmed">
          {kindOf(symbol)}
        </Text>
        {symbol.problem !== null && <Text size="sm">{symbol.problem}</Text>}
        {isNative(symbol) && symbol.state === 'unreadable' && <Text size="sm">{RETRY}</Text>}
        {symbol.poorer_at !== null && (
          <Text size="sm">
            A less complete file was uploaded <Time at={symbol.poorer_at} /> and isn't used. To use it, delete this one
            first.
          </Text>
        )}
      </>
    ),
  },
  {
    header: 'Debug ID',
    cell: ({ debug_id, debug_file }) =>
      debug_id === '' ? '–' : <CopyText text={debug_id} label={`debug ID of ${debug_file}`} />,
  },
  {
    header: 'State',
    cell: (symbol) => {
      const { tone, label } = stateOf(symbol);
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

type Module = OutputOf<typeof listMissingSymbols>['modules'][number];

type MissingSymbolsProps = {
  gameUid: string;
  buildId: string;
  /** The upload command, unless the page shows it already. */
  command?: ReactNode;
};

const REFRESH_MS = 10_000;

/** The modules without symbols in recent crashes of a build, and why. Renders nothing if there are none. */
function MissingSymbols({ gameUid, buildId, command }: MissingSymbolsProps) {
  const pollMs = useLiveInterval(REFRESH_MS);
  const { data, error, refetch } = useQuery({
    ...ask(listMissingSymbols, { uid: gameUid, build_id: buildId }),
    refetchInterval: ({ state }) => (state.status === 'error' ? false : pollMs),
    meta: follow('crashes'),
  });
  if (error !== null && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.modules.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Missing symbols" mt="sm">
      <Title order={3} size="h5">
        Missing symbols
      </Title>
      <Text size="sm" c="dimmed">
        {formatSource(data.reports)} Upload symbols for the modules of your game; libraries of players' systems are
        listed too.
      </Text>
      <DataTable
        label="Modules without symbols"
        columns={moduleColumns(data.reports)}
        rows={data.modules}
        rowKey={({ module, debug_id }) => `${module} ${debug_id}`}
      />
      {command}
    </Stack>
  );
}

function formatSource(reports: number): string {
  return reports === 1
    ? "From this build's latest crash report."
    : `From this build's latest ${formatNumber(reports)} crash reports.`;
}

function moduleColumns(reports: number): Column<Module>[] {
  return [
    { header: 'Module', overflow: 'anywhere', cell: ({ module }) => <strong>{module}</strong> },
    {
      header: 'Debug ID',
      cell: ({ module, debug_id }) =>
        debug_id === '' ? '–' : <CopyText text={debug_id} label={`debug ID of ${module}`} />,
    },
    {
      header: 'Reason',
      overflow: 'anywhere',
      title: ({ detail }) => detail,
      cell: ({ why, detail }) => (why === 'never_uploaded' ? 'Never uploaded' : detail),
    },
    {
      header: 'Reports',
      align: 'right',
      overflow: 'nowrap',
      title: ({ crashes }) => formatShare(crashes, reports),
      cell: ({ crashes }) => formatNumber(crashes),
    },
  ];
}
