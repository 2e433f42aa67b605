// The games of the signed-in developer: their latest builds, channels, health, new crashes and open bugs in one table.
import { formatNumber } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listWaitingApprovals } from '@chauffeur/contract/operations/approvals';
import { createGame, listGames } from '@chauffeur/contract/operations/games';
import { listOrganisations } from '@chauffeur/contract/operations/organisations';
import { summarizeGames } from '@chauffeur/contract/operations/overview';
import { isAtLeast, ROLES } from '@chauffeur/contract/roles';
import { slugOf } from '@chauffeur/contract/slug';
import { Button, Group, NativeSelect, Skeleton, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { moveAmongRows, useShortcuts } from '../../frame/shortcuts.ts';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import tile from '../../ui/GameTile.module.css';
import { GameTile } from '../../ui/GameTile.tsx';
import { type PagedList, usePages } from '../../ui/PagedTable.tsx';
import { PageHead, Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { RowLink, SiteLink } from '../../ui/SiteLink.tsx';
import { VISIBILITIES } from '../../ui/states.ts';
import { Countdown, Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { RequiredSignIn } from '../accounts/RequiredSignIn.tsx';
import { compareChannels } from '../channels/channel-grid.ts';
import { OwnOrganisations } from '../organisations/OwnOrganisations.tsx';
import classes from './GamesPage.module.css';
import { SlugField } from './SlugField.tsx';

const route = getRouteApi('/signed-in/dev');

type Game = OutputOf<typeof listGames>['games'][number];
type Summary = OutputOf<typeof summarizeGames>['games'][number];

const SHORTCUTS = [
  { name: 'down', keys: ['j'], description: 'Next game' },
  { name: 'up', keys: ['k'], description: 'Previous game' },
] as const;

export function GamesPage() {
  const { data, error, isPending, refetch } = useQuery(ask(listGames, {}));
  const summaries = useQuery(ask(summarizeGames, {}));
  const approvals = useWaitingApprovals();
  // The dialog is in the URL, so that the command palette can open it.
  const isCreating = route.useSearch().create === '1';
  const navigate = route.useNavigate();
  const setCreating = (creating: boolean) =>
    void navigate({ search: { create: creating ? '1' : undefined }, replace: true });
  useShortcuts(SHORTCUTS, (name) => moveAmongRows(name === 'down' ? 1 : -1));
  const organisations = new Set(data?.games.map(({ organisation }) => organisation.organisation_uid));
  const hasSeveral = organisations.size > 1;
  const createButton = <Button onClick={() => setCreating(true)}>Create game</Button>;
  return (
    <Stack gap="lg">
      <PageHead title="Your games">{data?.games.length !== 0 && createButton}</PageHead>
      <RequiredSignIn onlyUnmet />
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {/* Both appear together, so that nothing moves when the slower one arrives. */}
      {isPending || approvals.isLoading ? (
        <Skeleton h={320} />
      ) : (
        <>
          <WaitingApprovals list={approvals} />
          <DataTable
            label="Your games"
            columns={gameColumns(summaries.data?.games, hasSeveral)}
            rows={data?.games}
            rowKey={({ game_uid }) => game_uid}
            empty={
              <>
                <EmptyState>You don't have any games yet. Create one to ship its first build.</EmptyState>
                <Group>{createButton}</Group>
              </>
            }
          />
          <OwnOrganisations />
        </>
      )}
      {isCreating && <CreateGame onClose={() => setCreating(false)} />}
    </Stack>
  );
}

/** The columns of the table. `summaries` is undefined while it is loading. */
function gameColumns(summaries: readonly Summary[] | undefined, hasSeveral: boolean): Column<Game>[] {
  const summaryOf = (game: Game) => summaries?.find(({ game_uid }) => game_uid === game.game_uid);
  return [
    {
      header: 'Game',
      compare: (a, b) => a.name.localeCompare(b.name),
      cell: (game) => (
        <div className={tile.game}>
          <GameTile game={game} shape="wide" height={36} />
          <RowLink to="/dev/$slug" params={{ slug: game.slug }} miw="8rem">
            {game.name}
          </RowLink>
        </div>
      ),
    },
    {
      header: 'Latest build',
      hiddenBelow: 'md',
      overflow: 'nowrap',
      cell: ({ newest_build }) => <LatestBuild build={newest_build} />,
    },
    { header: 'Channels', cell: ({ channels }) => <Channels channels={channels} /> },
    { header: 'Health', cell: (game) => <Health slug={game.slug} summary={summaryOf(game)} /> },
    {
      header: 'New crashes',
      align: 'right',

      compare: (a, b) => (summaryOf(a)?.new_groups ?? 0) - (summaryOf(b)?.new_groups ?? 0),
      cell: (game) => <NewCrashes game={game} summary={summaryOf(game)} />,
    },
    {
      header: 'Open bugs',
      align: 'right',
      compare: (a, b) => (summaryOf(a)?.open_bugs ?? 0) - (summaryOf(b)?.open_bugs ?? 0),
      cell: (game) => <OpenBugs slug={game.slug} summary={summaryOf(game)} />,
    },
    { header: 'Visibility', hiddenBelow: 'md', cell: ({ visibility }) => VISIBILITIES[visibility].label },
    { header: 'Your role', hiddenBelow: 'md', cell: ({ role }) => ROLES[role].label },
    ...(hasSeveral ? [organisationColumn] : []),
  ];
}

const organisationColumn: Column<Game> = {
  header: 'Organisation',
  hiddenBelow: 'md',
  compare: (a, b) => a.organisation.name.localeCompare(b.organisation.name),
  cell: ({ organisation: { organisation_uid: uid, slug, name } }) => (
    <SiteLink
      to="/org/$organisation"
      params={{ organisation: slug ?? uid }}
      title={name}
      className={classes.organisation}
    >
      {name}
    </SiteLink>
  ),
};

function LatestBuild({ build }: { build: Game['newest_build'] }) {
  if (build === null) {
    return <Nothing>None yet</Nothing>;
  }
  return (
    <span>
      {build.version}{' '}
      <Text span size="sm" c="dimmed">
        · <Time at={build.created_at} />
      </Text>
    </span>
  );
}

type SummaryCellProps = { slug: string; summary: Summary | undefined };

function Health({ slug, summary }: SummaryCellProps) {
  if (summary === undefined) return <Skeleton h={14} w={24} my={4} />;
  if (summary.band === 'unrated') return <Nothing>Unrated</Nothing>;
  return (
    <SiteLink to="/dev/$slug/health" params={{ slug }} underline="never">
      <BandBadge band={summary.band} />
    </SiteLink>
  );
}

/** Crash groups that were first seen since the newest build was registered. */
function NewCrashes({ game: { slug, newest_build: build }, summary }: { game: Game; summary: Summary | undefined }) {
  if (summary === undefined) return <Skeleton h={14} w={24} my={4} />;
  if (summary.new_groups === 0 || build === null) return <Nothing />;
  return (
    <SiteLink
      to="/dev/$slug/crashes"
      params={{ slug }}
      search={{ q: 'is:open is:new' }}
      title={`Crash groups first seen since ${build.version}`}
    >
      {formatNumber(summary.new_groups)}
    </SiteLink>
  );
}

function OpenBugs({ slug, summary }: SummaryCellProps) {
  if (summary === undefined) return <Skeleton h={14} w={24} my={4} />;
  const { open_bugs: count } = summary;
  if (count === 0) return <Nothing />;
  return (
    <SiteLink to="/dev/$slug/bugs" params={{ slug }}>
      {count >= LIMITS.bugsCounted ? `${formatNumber(count)}+` : formatNumber(count)}
    </SiteLink>
  );
}

/** How many versions fit in a cell. The tooltip has all of them. */
const MAX_VERSIONS = 2;

function Channels({ channels }: Pick<Game, 'channels'>) {
  if (channels.length === 0) {
    return <Nothing>None live</Nothing>;
  }
  return (
    <Group gap="md" style={{ rowGap: 0 }}>
      {channels
        .toSorted((a, b) => compareChannels(a.channel, b.channel))
        .map(({ channel, versions }) => (
          <span key={channel} title={versions.join(', ')}>
            <Text span size="sm" c="dimmed">
              {channel}
              <VisuallyHidden>: </VisuallyHidden>
            </Text>{' '}
            {versions.slice(0, MAX_VERSIONS).join(', ')}
            {versions.length > MAX_VERSIONS && ` +${versions.length - MAX_VERSIONS}`}
          </span>
        ))}
    </Group>
  );
}

/**
 * Shown instead of a value that is missing or zero. On a phone, where a row is a block of lines, its line is left out.
 */
function Nothing({ children = '–' }: { children?: string }) {
  return (
    <Text span size="sm" c="dimmed" data-nothing>
      {children}
    </Text>
  );
}

/** The dialog that creates a game from its name and then opens it. */
function CreateGame({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  /** Empty while the slug that is derived from the name is used. */
  const [slug, setSlug] = useState('');
  /** Empty for the person's own organisation. */
  const [organisation, setOrganisation] = useState('');
  const { data } = useQuery(ask(listOrganisations, {}));
  const choices = data?.organisations.filter(({ role, personal }) => isAtLeast(role, 'admin') && !personal) ?? [];
  const queries = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: () =>
      call(createGame, { name, ...(slug !== '' && { slug }), ...(organisation !== '' && { organisation }) }),
    onSuccess: async (game) => {
      void queries.invalidateQueries({ queryKey: [listGames.id] });
      await navigate({ to: '/dev/$slug', params: { slug: game.slug } });
    },
  });
  return (
    <Dialog title="Create game" onClose={onClose}>
      <form
        aria-label="Create game"
        onSubmit={(event) => {
          event.preventDefault();
          creating.mutate();
        }}
      >
        <Stack gap="md">
          {creating.error !== null && <Problem error={creating.error} />}
          <TextInput
            data-field="name"
            label="Name"
            description="Shown to players. You can change it later."
            required
            maxLength={255}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <SlugField value={slug} proposed={name.trim() === '' ? '' : slugOf(name)} onChange={setSlug} />
          {choices.length > 0 && (
            <NativeSelect
              data-field="organisation"
              label="Organisation"
              description="Its members get access to the game."
              data={[
                { value: '', label: 'Your own' },
                ...choices.map(({ organisation_uid: value, name: label }) => ({ value, label })),
              ]}
              value={organisation}
              onChange={(event) => setOrganisation(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={creating.isPending}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

type WaitingApproval = OutputOf<typeof listWaitingApprovals>['approvals'][number];

const PAGE_SIZE = 10;
/** How often the pending approvals are loaded: an agent may request something while the page is open. */
const REFRESH_MS = 30_000;

function useWaitingApprovals(): PagedList<WaitingApproval> {
  return usePages(listWaitingApprovals, { limit: PAGE_SIZE }, (page) => page.approvals, {
    refetchInterval: REFRESH_MS,
  });
}

/** The pending approvals of the games that the person owns. Renders nothing if there are none. */
function WaitingApprovals({ list }: { list: PagedList<WaitingApproval> }) {
  const problem = list.error === null ? null : <Problem error={list.error} onRetry={list.retry} />;
  if (list.rows === undefined || list.rows.length === 0) return problem;
  return (
    <Section title="Waiting for your approval">
      {problem}
      <DataTable label="Waiting for your approval" columns={COLUMNS} rows={list.rows} rowKey={({ uid }) => uid} />
      <ShowMore list={list}>Show older requests</ShowMore>
    </Section>
  );
}

const COLUMNS: readonly Column<WaitingApproval>[] = [
  {
    header: 'Request',
    cell: ({ uid, summary }) => (
      <SiteLink to="/approve/$uid" params={{ uid }} className={table.main}>
        {summary}
      </SiteLink>
    ),
  },
  { header: 'Game', cell: ({ game }) => game.name },
  {
    header: 'Agent',
    cell: ({ via, asked_by }) => (
      <span>
        “{via}”{' '}
        <Text span size="xs" c="dimmed">
          for {asked_by}
        </Text>
      </span>
    ),
  },
  { header: 'Expires in', align: 'right', cell: ({ expires_at }) => <Countdown until={expires_at} /> },
];
