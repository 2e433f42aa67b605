// The crashes of a game: its open groups by default, or single reports if the URL asks for them.
import { findMistake, formatQuery, type QueryMistake as Mistake, parseQuery } from '@chauffeur/contract/crash-query';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listCrashes } from '@chauffeur/contract/operations/crash-reports';
import { getImpact } from '@chauffeur/contract/operations/impact';
import { Button, Group, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { formatItems } from '../../ui/format.ts';
import { FoldedSection, PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowNewButton } from '../../ui/ShowMore.tsx';
import { RefusalNotice } from '../games/RefusalNotice.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { CrashFilterBar } from './CrashFilterBar.tsx';
import { CrashSetup } from './CrashSetup.tsx';
import { type CrashFilters, isCrashFiltered, readCrashFilters, toCrashSearch } from './crash-filters.ts';
import classes from './Facets.module.css';
import { Facets } from './Facets.tsx';
import { GroupList } from './GroupList.tsx';
import { ReportTable } from './ReportTable.tsx';
import { formatShowNewReports, useReports } from './use-live-list.ts';

const route = getRouteApi('/signed-in/dev/$slug/crashes');

const MAX_BUILDS = 100;

export function CrashesPage() {
  const game = useGame();
  const filters = readCrashFilters(route.useSearch());
  const navigate = route.useNavigate();
  const { data } = useQuery(ask(listGameBuilds, { uid: game.game_uid, page_size: MAX_BUILDS }));
  const builds = data?.builds ?? [];
  const change = (changed: CrashFilters) => void navigate({ search: toCrashSearch(changed), replace: true });
  const reset = () => change({ ...readCrashFilters({}), kind: filters.kind });
  const mistake = findMistake(filters.query);
  const empty = <NoCrashes game={game} filters={filters} onReset={reset} />;
  return (
    <Stack gap="md">
      <PageHead title="Crashes" tabTitle={`Crashes · ${game.name}`} />
      <RefusalNotice gameUid={game.game_uid} />
      <CrashFilterBar filters={filters} builds={builds} onChange={change} />
      {mistake === null && (
        <FacetPanel game={game} filters={filters} onChange={(query) => change({ ...filters, query })} />
      )}
      {mistake !== null ? (
        <QueryMistake mistake={mistake} onSearch={(query) => change({ ...filters, query })} onReset={reset} />
      ) : filters.view === 'groups' ? (
        <GroupList
          key={JSON.stringify(filters)}
          game={game}
          filters={filters}
          builds={builds}
          onSort={(sort) => change({ ...filters, sort })}
          empty={empty}
        />
      ) : (
        <ReportList key={JSON.stringify(filters)} game={game} filters={filters} empty={empty} />
      )}
    </Stack>
  );
}

type FacetPanelProps = { game: OpenGame; filters: CrashFilters; onChange: (query: string) => void };

/** What the crashes or errors of the current query have in common. A click on a value adds it to the query. */
function FacetPanel(props: FacetPanelProps) {
  return (
    <FoldedSection title="Facets" note="GPU, driver, memory and more">
      <QueryFacets {...props} />
    </FoldedSection>
  );
}

function QueryFacets({ game, filters: { kind, query }, onChange }: FacetPanelProps) {
  const { data, error, isPending, refetch } = useQuery(
    ask(getImpact, { uid: game.game_uid, kind, ...(query !== '' && { query }) }),
  );
  if (error !== null && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={160} />;
  if (data.facets.length === 0) return <Text size="sm">No processed reports match.</Text>;
  const { reports, devices, counted } = data;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {counted === 'newest' ? `The newest ${formatItems(reports, 'report')}` : formatItems(reports, 'report')}
        {devices > 0 && `, ${formatItems(devices, 'device')}`}
      </Text>
      <Facets
        facets={data.facets}
        reports={reports}
        link={(filter, children) => (
          <UnstyledButton className={classes.link} onClick={() => onChange(toggled(query, filter))}>
            {children}
          </UnstyledButton>
        )}
      />
    </Stack>
  );
}

/** The query with the filter, or without it if it has it already. */
function toggled(query: string, filter: string): string {
  const { terms } = parseQuery(query);
  const others = terms.filter((term) => formatQuery([term]) !== filter);
  return others.length < terms.length ? formatQuery(others) : `${formatQuery(terms)} ${filter}`.trim();
}

type QueryMistakeProps = {
  mistake: Mistake;
  onSearch: (query: string) => void;
  /** Removes all filters. */
  onReset: () => void;
};

/** Shown instead of results if the query has a mistake, so that none are shown for another query. */
function QueryMistake({ mistake: { message, suggestion }, onSearch, onReset }: QueryMistakeProps) {
  return (
    <Stack gap="sm" role="alert" align="flex-start">
      <Text size="sm">{message}</Text>
      <Group gap="sm">
        {suggestion !== undefined && (
          <Button size="xs" onClick={() => onSearch(suggestion)}>
            {`Search for ${suggestion}`}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={onReset}>
          Show all open groups
        </Button>
      </Group>
    </Stack>
  );
}

type ReportListProps = {
  game: OpenGame;
  filters: CrashFilters;
  /** Shown instead of a list without reports. */
  empty: ReactNode;
};

/** The crash reports of a game that match the filters. */
function ReportList({ game, filters, empty }: ReportListProps) {
  const { kind, query } = filters;
  const list = useReports({ uid: game.game_uid, kind, ...(query !== '' && { query }) });
  return (
    <>
      <ShowNewButton list={list} format={formatShowNewReports} />
      <ReportTable slug={game.slug} list={list} empty={empty} />
    </>
  );
}

type NoCrashesProps = { game: OpenGame; filters: CrashFilters; onReset: () => void };

/** The empty state of the crash lists: no crash matches the filters, or none has been reported yet. */
function NoCrashes({ game, filters, onReset }: NoCrashesProps) {
  if (isCrashFiltered(filters)) {
    return (
      <Group>
        <Text size="sm">{filters.kind === 'crash' ? 'No matching crashes.' : 'No matching errors.'}</Text>
        <Button size="xs" variant="default" onClick={onReset}>
          Show all open groups
        </Button>
      </Group>
    );
  }
  if (filters.kind === 'error') return <NoErrors view={filters.view} />;
  return filters.view === 'groups' ? <NoGroups game={game} /> : <CrashSetup game={game} />;
}

/** Shown without any error, and without an open group of errors. */
function NoErrors({ view }: Pick<CrashFilters, 'view'>) {
  return (
    <Text size="sm">
      {view === 'groups' ? 'No open groups of errors. ' : 'No errors yet. '}
      An error is an exception that the game handled. Sentry's SDKs report them with captureException.
    </Text>
  );
}

/** All groups of a game may be closed. Without any report, the game isn't set up. */
function NoGroups({ game }: { game: OpenGame }) {
  const { data } = useQuery({ ...ask(listCrashes, { uid: game.game_uid, limit: 1 }), meta: follow('crashes') });
  if (data === undefined) return <Skeleton h={160} />;
  return data.crashes.length > 0 ? <Text size="sm">No open crash groups.</Text> : <CrashSetup game={game} />;
}
