// A crash report: its processing state, the messages of the game and the player, its stack, and a button to delete it.
import { formatPlatform } from '@chauffeur/contract/format';
import { getCrashGroup, listCrashGroups } from '@chauffeur/contract/operations/crash-groups';
import { deleteCrash, listCrashes } from '@chauffeur/contract/operations/crash-reports';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type MouseEvent, useState } from 'react';
import { call } from '../../api.ts';
import { useGoBack } from '../../frame/going-back.ts';
import { isMissing, UnknownPage } from '../../frame/UnknownPage.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { Notice, PageHead, Trail } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { CRASHES } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { CrashDetails } from './CrashDetails.tsx';
import classes from './crashes.module.css';
import { formatReason } from './describe-crash.ts';
import { LinkedTickets } from './LinkedTickets.tsx';
import { type Crash, useCrash } from './use-crash.ts';

const route = getRouteApi('/signed-in/dev/$slug/crashes/reports/$crashId');

export function ReportPage() {
  const game = useGame();
  const goBack = useGoBack(`/dev/${game.slug}/crashes`);
  const { crashId } = route.useParams();
  const [isDeleted, setDeleted] = useState(false);
  // The report can be gone before the response says so.
  const [isDeleting, setDeleting] = useState(false);
  const { data, error, isPending, refetch } = useCrash(game.game_uid, isDeleted ? null : crashId, isDeleting);
  if (isMissing(error) && !isDeleted) return <UnknownPage />;
  return (
    <Stack gap="lg">
      <Trail parents={parentsOf(game.slug, data, goBack)} current="Report" />
      {(data === undefined || isDeleted) && <PageHead title="Crash report" tabTitle={`Crash report · ${game.name}`} />}
      {isDeleted && (
        <div role="status">
          <Notice tone="good" title="Report deleted, including its dump, log and stack." />
        </div>
      )}
      {error !== null && !isDeleted && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && !isDeleted && <Skeleton h={420} />}
      {data !== undefined && !isDeleted && (
        <Report
          key={data.crash_id}
          game={game}
          crash={data}
          onDeleting={setDeleting}
          onDeleted={() => setDeleted(true)}
        />
      )}
    </Stack>
  );
}

/** The trail to the report: the lists of groups and reports are one page, and the report is in its group. */
function parentsOf(slug: string, crash: Crash | undefined, goBack: (event: MouseEvent) => void) {
  const all = {
    key: 'crashes',
    link: (
      <SiteLink
        to="/dev/$slug/crashes"
        params={{ slug }}
        search={{ kind: crash?.kind === 'error' ? 'error' : undefined, view: 'reports' }}
        onClick={goBack}
      >
        {crash?.kind === 'error' ? 'Errors' : 'Crashes'}
      </SiteLink>
    ),
  };
  if (crash === undefined || crash.group_id === null) return [all];
  const group = {
    key: 'group',
    link: (
      <SiteLink to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId: crash.group_id }}>
        {crash.title}
      </SiteLink>
    ),
  };
  return [all, group];
}

type ReportProps = {
  game: OpenGame;
  crash: Crash;
  onDeleting: (isDeleting: boolean) => void;
  onDeleted: () => void;
};

function Report({ game, crash, onDeleting, onDeleted }: ReportProps) {
  const [isConfirming, setConfirming] = useState(false);
  const { tone, label } = CRASHES[crash.state];
  const explanation = formatReason(crash.reason, crash.crash_address);
  return (
    <>
      <PageHead
        title={crash.title}
        titleClass={classes.signature}
        tabTitle={`${crash.title} · ${game.name}`}
        badges={
          <>
            {crash.kind === 'error' && <StateBadge tone="none">Handled error</StateBadge>}
            <span role="status">
              <StateBadge tone={tone}>{label}</StateBadge>
            </span>
          </>
        }
      >
        <SiteLink
          to="/dev/$slug/crashes/compare"
          params={{ slug: game.slug }}
          search={{ a: crash.crash_id }}
          size="sm"
          style={{ alignSelf: 'center' }}
        >
          Compare with…
        </SiteLink>
        <Permitted operation={deleteCrash}>
          <Button variant="default" onClick={() => setConfirming(true)}>
            Delete
          </Button>
        </Permitted>
      </PageHead>
      {crash.failure !== null && (
        <Notice tone="bad" title="The dump could not be read">
          <Text size="sm">{crash.failure}</Text>
        </Notice>
      )}
      {(explanation !== null || crash.reason !== null) && (
        <div>
          {explanation !== null && <Text>{explanation}</Text>}
          <Text size="sm" c="dimmed" className={classes.code}>
            {crash.reason}
            {crash.crash_address !== null && ` at ${crash.crash_address}`}
          </Text>
        </div>
      )}
      {crash.user_message !== '' && (
        <section aria-label="Player message">
          <Text size="sm" c="dimmed" mb={4}>
            Player message
          </Text>
          <div className={classes.words}>
            <blockquote>{crash.user_message}</blockquote>
          </div>
        </section>
      )}
      <Facts hasColumns facts={factsOf(game, crash)} />
      <LinkedTickets game={game} about={{ crash_id: crash.crash_id }} />
      <CrashDetails game={game} crash={crash} />
      {isConfirming && (
        <DeleteReport
          game={game}
          crash={crash}
          onClose={() => setConfirming(false)}
          onDeleting={onDeleting}
          onDeleted={onDeleted}
        />
      )}
    </>
  );
}

const SOURCES: Readonly<Record<Crash['source'], string>> = {
  api: 'Game (HTTP API)',
  engine: 'Engine crash reporter',
  breakpad: 'Breakpad',
  crashpad: 'Crashpad',
  unreal: 'Unreal CrashReportClient',
  sentry: "Sentry's SDK",
};

/** Shows a message. One with several lines is often a stack. */
function withLines(message: string) {
  return (
    <span key="message" style={{ whiteSpace: 'pre-line' }}>
      {message}
    </span>
  );
}

function factsOf({ slug }: OpenGame, crash: Crash): Fact[] {
  const { group_id: groupId, build_id: buildId } = crash;
  return [
    [
      'Group',
      groupId === null ? (
        'None yet'
      ) : (
        <SiteLink key="group" to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId }}>
          {crash.title}
        </SiteLink>
      ),
    ],
    [
      'Build',
      <Group key="build" gap="xs">
        <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId }}>
          {crash.version || 'Unknown version'}
        </SiteLink>
        {crash.version !== '' && (
          <SiteLink to="/dev/$slug/version" params={{ slug }} search={{ version: crash.version }} size="sm">
            View on all platforms
          </SiteLink>
        )}
        {crash.app_version !== '' && crash.app_version !== crash.version && `reported as ${crash.app_version}`}
      </Group>,
    ],
    ...(crash.os === '' ? [] : [['Platform', formatPlatform(crash)] as const]),
    ...(crash.engine_version === '' ? [] : [['Engine', crash.engine_version] as const]),
    ...(crash.message === '' ? [] : [['Message', withLines(crash.message)] as const]),
    ['Received at', <Time key="received" at={crash.received_at} />],
    ...(crash.processed_at === null
      ? []
      : [['Processed at', <Time key="processed" at={crash.processed_at} />] as const]),
    ...eventFactsOf(crash),
    ['Source', [SOURCES[crash.source], ...(crash.event?.sdk ? [crash.event.sdk] : [])].join(' · ')],
    ['Report ID', <CopyText key="id" text={crash.crash_id} label="report ID" />],
  ];
}

/** Where the game was, and in which environment, as far as the client said so. */
function eventFactsOf({ event }: Crash): Fact[] {
  if (event === null) return [];
  return [
    ...(event.transaction === '' ? [] : [['Where', event.transaction] as const]),
    ...(event.environment === '' ? [] : [['Environment', event.environment] as const]),
  ];
}

type DeleteReportProps = {
  game: OpenGame;
  crash: Crash;
  onClose: () => void;
  onDeleting: (isDeleting: boolean) => void;
  onDeleted: () => void;
};

const CHANGED = [listCrashes.id, listCrashGroups.id, getCrashGroup.id];

/** The dialog that deletes a report; it lists what is deleted with it. */
function DeleteReport({ game, crash, onClose, onDeleting, onDeleted }: DeleteReportProps) {
  const queries = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => call(deleteCrash, { uid: game.game_uid, crash_id: crash.crash_id }),
    onMutate: () => onDeleting(true),
    onError: () => onDeleting(false),
    onSuccess: async () => {
      onDeleted();
      await Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] })));
    },
  });
  const files = [...crash.available, ...(crash.attachments.length > 0 ? ['attachments'] : [])];
  return (
    <ConfirmDialog
      title="Delete this report?"
      confirmLabel="Delete report"
      isBusy={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        {`This permanently deletes the report for everyone who works on ${game.name}. Its group loses one report; a group without reports is deleted too.`}
      </Text>
      {files.length > 0 && <Text size="sm">{`Files deleted with it: ${files.join(', ')}.`}</Text>}
    </ConfirmDialog>
  );
}
