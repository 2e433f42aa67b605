// What operators decide about the store: reports of pages, and the featured game.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { dismissReports, hidePage, listReportedGames, restorePage } from '@chauffeur/contract/operations/moderation';
import { getFeaturedChoice, setFeatured } from '@chauffeur/contract/operations/shelves';
import { formatReportReason } from '@chauffeur/contract/store-format';
import { Anchor, Button, Group, Skeleton, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { Choice } from '../../ui/Choice.tsx';
import { EmptyState } from '../../ui/DataTable.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { usePages } from '../../ui/PagedTable.tsx';
import { Notice, PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';

export function StorePage() {
  return (
    <Stack gap="xl">
      <PageHead title="Store" />
      <ReportedGames />
      <FeaturedGame />
    </Stack>
  );
}

/** The game that operators feature on the home page. */
function FeaturedGame() {
  const { data, error, refetch } = useQuery(ask(getFeaturedChoice, {}));
  const [address, setAddress] = useState('');
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: (game: string | null) => call(setFeatured, { game }),
    onSuccess: (choice) => {
      queries.setQueryData(ask(getFeaturedChoice, {}).queryKey, choice);
      setAddress('');
    },
  });
  return (
    <Stack gap="sm" component="section" aria-labelledby="featured" maw={640}>
      <Title order={2} size="h4" id="featured">
        Featured game
      </Title>
      <Text size="sm" c="dimmed">
        The game at the top of the home page. If you don't choose one, a game that starts reliably is picked each day.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Skeleton h={36} />
      ) : (
        <FeaturedNow game={data.game} isBusy={saving.isPending} onRemove={() => saving.mutate(null)} />
      )}
      <form
        aria-label="Feature a game"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(slugIn(address));
        }}
      >
        <Group gap="xs" align="flex-end">
          <TextInput
            data-field="game"
            label="Game"
            description="Its address, such as /g/small-walk"
            required
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
          <Button type="submit" loading={saving.isPending}>
            Feature game
          </Button>
        </Group>
        {saving.error !== null && <Problem error={saving.error} />}
      </form>
      <div role="status">
        {saving.isSuccess && <Text size="sm">Saved. The home page shows it within a minute.</Text>}
      </div>
    </Stack>
  );
}

type Game = { readonly slug: string; readonly name: string; readonly listed: boolean };
type FeaturedNowProps = { game: Game | null; isBusy: boolean; onRemove: () => void };

function FeaturedNow({ game, isBusy, onRemove }: FeaturedNowProps) {
  if (game === null) return <Text size="sm">No game is chosen.</Text>;
  return (
    <>
      <Group gap="sm">
        <Anchor href={`/g/${game.slug}`} fw={600}>
          {game.name}
        </Anchor>
        <Button size="compact-sm" variant="default" disabled={isBusy} onClick={onRemove}>
          Stop featuring
        </Button>
      </Group>
      {!game.listed && (
        <Notice tone="unsure" title="This game can't be listed right now">
          The home page shows the game of the day instead.
        </Notice>
      )}
    </>
  );
}

/** The slug: the last part of an address, in case the whole address was pasted. */
function slugIn(address: string): string {
  return (
    address
      .trim()
      .replace(/[?#].*$/, '')
      .split('/')
      .filter(Boolean)
      .at(-1) ?? ''
  );
}

type ReportedGame = OutputOf<typeof listReportedGames>['games'][number];
type State = 'reported' | 'hidden';

const STATES = [
  { value: 'reported', label: 'Open reports' },
  { value: 'hidden', label: 'Hidden' },
] as const;

/** The moderation queue: games with open reports, and games whose page is hidden. */
function ReportedGames() {
  const [state, setState] = useState<State>('reported');
  const games = usePages(listReportedGames, { state }, (page) => page.games);
  return (
    <Stack gap="sm" component="section" aria-labelledby="reported">
      <Group justify="space-between">
        <Title order={2} size="h4" id="reported">
          Reported pages
        </Title>
        <Choice label="State" value={state} choices={STATES} onChange={setState} />
      </Group>
      {games.error !== null && <Problem error={games.error} onRetry={games.retry} />}
      {games.rows === undefined && games.error === null && <Skeleton h={90} />}
      {games.rows?.length === 0 && (
        <EmptyState>
          {state === 'reported'
            ? 'No open reports. Players report a page with the link next to its downloads.'
            : 'No page is hidden.'}
        </EmptyState>
      )}
      {games.rows?.map((game) => (
        <ReportedGame key={game.game_uid} game={game} />
      ))}
      <ShowMore list={games}>Show older reports</ShowMore>
    </Stack>
  );
}

function ReportedGame({ game }: { game: ReportedGame }) {
  const [isHiding, setHiding] = useState(false);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [listReportedGames.id] });
  const dismissing = useMutation({
    mutationFn: () => call(dismissReports, { uid: game.game_uid }),
    onSuccess: refresh,
  });
  const restoring = useMutation({ mutationFn: () => call(restorePage, { uid: game.game_uid }), onSuccess: refresh });
  const error = dismissing.error ?? restoring.error;
  return (
    <Stack gap="xs" component="article" aria-label={game.name} py="sm" style={{ borderTop: '1px solid var(--line)' }}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="xs">
            <Anchor href={`/g/${game.slug}`} fw={600} style={{ overflowWrap: 'anywhere' }}>
              {game.name}
            </Anchor>
            {game.hidden !== null && <StateBadge tone="bad">Hidden</StateBadge>}
          </Group>
          <Text size="sm" c="dimmed">
            By {game.developer} · {game.open_reports} open {game.open_reports === 1 ? 'report' : 'reports'}
          </Text>
        </div>
        <Group gap="xs">
          {game.open_reports > 0 && (
            <Button size="xs" variant="default" loading={dismissing.isPending} onClick={() => dismissing.mutate()}>
              Dismiss reports
            </Button>
          )}
          {game.hidden === null ? (
            <Button size="xs" color="red.9" onClick={() => setHiding(true)}>
              Hide page
            </Button>
          ) : (
            <Button size="xs" variant="default" loading={restoring.isPending} onClick={() => restoring.mutate()}>
              Show page again
            </Button>
          )}
        </Group>
      </Group>
      {error !== null && <Problem error={error} />}
      {game.hidden !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
          Hidden <Time at={game.hidden.hidden_at} />: {game.hidden.reason}
        </Text>
      )}
      <Reports reports={game.reports} />
      {isHiding && (
        <HideDialog
          game={game}
          onClose={() => setHiding(false)}
          onHidden={() => {
            setHiding(false);
            void refresh();
          }}
        />
      )}
    </Stack>
  );
}

function Reports({ reports }: Pick<ReportedGame, 'reports'>) {
  if (reports.length === 0) return null;
  return (
    <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
      {reports.map(({ report_uid, reason, message, reported_by, reported_at }) => (
        <li key={report_uid}>
          <Text size="sm" fw={600}>
            {formatReportReason(reason)}
          </Text>
          <Text size="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
            {message}
          </Text>
          <Text size="xs" c="dimmed">
            {reported_by ?? 'Without an account'}, <Time at={reported_at} />
          </Text>
        </li>
      ))}
    </Stack>
  );
}

type HideDialogProps = { game: ReportedGame; onClose: () => void; onHidden: () => void };

function HideDialog({ game, onClose, onHidden }: HideDialogProps) {
  const [reason, setReason] = useState('');
  const hiding = useMutation({
    mutationFn: () => call(hidePage, { uid: game.game_uid, reason }),
    onSuccess: onHidden,
  });
  return (
    <FormDialog
      title={`Hide ${game.name}?`}
      submitLabel="Hide page"
      isBusy={hiding.isPending}
      error={hiding.error}
      onSubmit={() => hiding.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        Players can no longer see or download the game, even with a link. Its developers can, and you can show it again
        at any time.
      </Text>
      <Textarea
        data-field="reason"
        label="Reason"
        description="The developers see it, and its owners get it by email."
        required
        autosize
        minRows={3}
        maxLength={LIMITS.pageReportLength}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
