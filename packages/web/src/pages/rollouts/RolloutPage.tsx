// A rollout: both versions side by side, what the guards found, what happens next, and its history.
import { describeRolloutChange } from '@chauffeur/contract/consequences';
import { formatNumber, formatPercent, formatPlatform } from '@chauffeur/contract/format';
import {
  abortRollout,
  finishRollout,
  getRollout,
  pauseRollout,
  type RolloutState,
  resumeRollout,
  setRolloutShare,
} from '@chauffeur/contract/operations/rollouts';
import { formatReaction, formatStep, GUARD_TITLES } from '@chauffeur/contract/rollout-plan';
import { Button, Group, NumberInput, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { isMissing, UnknownPage } from '../../frame/UnknownPage.tsx';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/Dialog.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { formatItems } from '../../ui/format.ts';
import { Consequences, Notice, PageHead, Section, Trail } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { RowLink, SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { formatDifference } from '../health/health-days.ts';
import classes from './RolloutPage.module.css';
import { basesOf, type RolloutChange, type RolloutDetail, useRolloutChange } from './use-rollouts.ts';

const route = getRouteApi('/signed-in/dev/$slug/rollouts/$rolloutId');

/** The server counts devices every five minutes. */
const REFRESH_MS = 60_000;

const STATES: Readonly<Record<RolloutState, { readonly tone: Tone; readonly label: string }>> = {
  running: { tone: 'busy', label: 'Running' },
  paused: { tone: 'unsure', label: 'Paused' },
  finished: { tone: 'good', label: 'Finished' },
  aborted: { tone: 'bad', label: 'Aborted' },
  superseded: { tone: 'none', label: 'Superseded' },
};

export function RolloutPage() {
  const game = useGame();
  const { rolloutId } = route.useParams();
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getRollout, { uid: game.game_uid, rollout_id: rolloutId }),
    refetchInterval: REFRESH_MS,
    meta: follow('builds'),
  });
  if (isMissing(error)) return <UnknownPage />;
  const title = data === undefined ? 'Rollout' : `Rollout of ${data.version}`;
  return (
    <Stack gap="lg">
      <Trail
        parents={[
          {
            key: 'channels',
            link: (
              <SiteLink to="/dev/$slug/channels" params={{ slug: game.slug }}>
                Channels
              </SiteLink>
            ),
          },
        ]}
        current={title}
      />
      {data === undefined && <PageHead title={title} tabTitle={`${title} · ${game.name}`} />}
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={420} />}
      {data !== undefined && <OpenRollout game={game} rollout={data} title={title} />}
    </Stack>
  );
}

type Opened = 'resume' | 'share' | 'finish' | 'abort' | null;

function OpenRollout({ game, rollout, title }: { game: OpenGame; rollout: RolloutDetail; title: string }) {
  const [opened, setOpened] = useState<Opened>(null);
  const changes = useRolloutChange(game.game_uid, rollout.rollout_id);
  const { state, channel, withdrawn_devices: withdrawn } = rollout;
  // Why it was stopped, if that was the last that happened.
  const stopped = rollout.history
    .slice(0, 1)
    .find(({ kind }) => kind === 'paused' || kind === 'aborted' || kind === 'superseded');
  const isActive = state === 'running' || state === 'paused';
  const open = (dialog: Opened) => {
    changes.reset();
    setOpened(dialog);
  };
  const submit = (change: RolloutChange) => changes.mutate(change, { onSuccess: () => setOpened(null) });
  return (
    <>
      <PageHead
        title={title}
        tabTitle={`${title} · ${game.name}`}
        badges={<StateBadge tone={STATES[state].tone}>{STATES[state].label}</StateBadge>}
      >
        {isActive && (
          <Permitted operation={abortRollout}>
            <Button variant="default" onClick={() => open('abort')}>
              Abort…
            </Button>
          </Permitted>
        )}
        {isActive && (
          <Permitted operation={setRolloutShare}>
            <Button variant="default" disabled={rollout.share >= MAX_SHARE} onClick={() => open('share')}>
              Change share…
            </Button>
          </Permitted>
        )}
        {state === 'running' && (
          <Permitted operation={pauseRollout}>
            <Button variant="default" loading={changes.isPending} onClick={() => submit({ kind: 'pause' })}>
              Pause
            </Button>
          </Permitted>
        )}
        {state === 'paused' && (
          <Permitted operation={resumeRollout}>
            <Button variant="default" onClick={() => open('resume')}>
              Resume…
            </Button>
          </Permitted>
        )}
        {isActive && (
          <Permitted operation={finishRollout}>
            <Button onClick={() => open('finish')}>Finish…</Button>
          </Permitted>
        )}
      </PageHead>
      {opened === null && changes.error !== null && <Problem error={changes.error} />}
      <Notice tone={STATES[state].tone} title={headline(rollout)}>
        {stopped !== undefined && <Text size="sm">{stopped.text}</Text>}
        <Text size="sm">
          {isActive && <strong>Next:</strong>} {rollout.next}
        </Text>
        {withdrawn !== null && withdrawn > 0 && (
          <Text size="sm">{formatItems(withdrawn, 'device')} still run the withdrawn version.</Text>
        )}
      </Notice>
      <Steps rollout={rollout} />
      <Facts
        hasColumns
        facts={[
          ['Channel', channel],
          ['Platforms', rollout.builds.map(formatPlatform).join(', ')],
          ['Version', <VersionLink key="v" slug={game.slug} version={rollout.version} />],
          ['Instead of', basesOf(rollout)],
          [
            'Started',
            <span key="s">
              <Time at={rollout.started_at} /> by {rollout.started_by}
            </span>,
          ],
          ...(rollout.ended_at === null ? [] : [['Ended', <Time key="e" at={rollout.ended_at} />] as const]),
        ]}
      />
      <Section title="Side by side">
        <SideBySide rollout={rollout} />
      </Section>
      <Section title="Guards">
        <Guards rollout={rollout} />
      </Section>
      <Section title="Crash groups">
        <Groups slug={game.slug} rollout={rollout} />
      </Section>
      <Section title="History">
        <History slug={game.slug} rollout={rollout} />
      </Section>
      {opened === 'share' && (
        <ShareDialog
          game={game}
          rollout={rollout}
          isBusy={changes.isPending}
          error={changes.error}
          onSubmit={(share) => submit({ kind: 'share', share })}
          onClose={() => setOpened(null)}
        />
      )}
      {opened !== null && opened !== 'share' && (
        <ConfirmDialog
          title={`${VERBS[opened]} the rollout of ${rollout.version}`}
          confirmLabel={`${VERBS[opened]} rollout`}
          isBusy={changes.isPending}
          error={changes.error}
          onConfirm={() => submit({ kind: opened })}
          onClose={() => setOpened(null)}
        >
          <Consequences lines={describeRolloutChange(rollout, opened, game.visibility)} />
        </ConfirmDialog>
      )}
    </>
  );
}

const MAX_SHARE = 99;
const VERBS = { resume: 'Resume', finish: 'Finish', abort: 'Abort' } as const;

function headline({ state, version, share, channel }: RolloutDetail): string {
  switch (state) {
    case 'running':
      return `${share}% of the devices on ${channel} are offered ${version}`;
    case 'paused':
      return `Paused at ${share}% of the devices on ${channel}`;
    case 'finished':
      return `${channel} offers ${version} to all devices`;
    case 'aborted':
      return `${version} was withdrawn at ${share}% of devices`;
    case 'superseded':
      return `Ended at ${share}% of devices, because the channel or its builds changed`;
  }
}

/** The steps in a row, with the current one marked. */
function Steps({ rollout: { steps, step, state } }: { rollout: RolloutDetail }) {
  const hasEnded = state !== 'running' && state !== 'paused';
  return (
    <ol className={classes.steps} aria-label="Steps">
      {steps.map((each, index) => {
        const isDone = index < step || (hasEnded && state === 'finished');
        const isCurrent = index === step && !hasEnded;
        return (
          <li
            key={each.share}
            aria-current={isCurrent ? 'step' : undefined}
            data-state={isDone ? 'done' : isCurrent ? 'current' : 'later'}
          >
            {each.share === 100 ? 'All devices' : formatStep(each)}
          </li>
        );
      })}
    </ol>
  );
}

function VersionLink({ slug, version }: { slug: string; version: string }) {
  return (
    <SiteLink to="/dev/$slug/version" params={{ slug }} search={{ version }} size="sm" underline="always">
      {version}
    </SiteLink>
  );
}

type Side = RolloutDetail['side'];
type SideRow = { readonly name: string; readonly cell: (side: Side) => ReactNode };

const SIDE_ROWS: readonly SideRow[] = [
  { name: 'Devices', cell: ({ devices }) => formatNumber(devices) },
  { name: 'Launch health', cell: ({ band }) => <BandBadge band={band} /> },
  { name: 'Crash-free devices', cell: ({ crash_free }) => <Rate rate={crash_free} /> },
  { name: 'Booted', cell: ({ boot }) => <Rate rate={boot} /> },
  {
    name: 'Crashed on boot',
    cell: ({ crashed_on_boot, started }) =>
      started === 0 ? '–' : `${formatNumber(crashed_on_boot)} of ${formatNumber(started)}`,
  },
];

function Rate({ rate: { rate, low, high, devices } }: { rate: Side['boot'] }) {
  if (rate === null || low === null || high === null) return '–';
  return (
    <>
      {formatPercent(rate)}{' '}
      <Text span size="xs" c="dimmed">
        {formatPercent(low)} to {formatPercent(high)}, of {formatNumber(devices)}
      </Text>
    </>
  );
}

function SideBySide({ rollout }: { rollout: RolloutDetail }) {
  const { side, base_side: base, version, measured_at: measuredAt } = rollout;
  return (
    <>
      <DataTable
        label="Both versions"
        keepsColumns
        columns={[
          { header: 'Since the start', cell: ({ name }) => name },
          { header: version, align: 'right', cell: ({ cell }) => cell(side) },
          {
            header: `${basesOf(rollout)} (other devices)`,
            phoneHeader: basesOf(rollout),
            align: 'right',
            cell: ({ cell }) => cell(base),
          },
        ]}
        rows={SIDE_ROWS}
        rowKey={({ name }) => name}
      />
      <Text size="xs" c="dimmed" component="div">
        {measuredAt === null ? (
          'Devices are counted every five minutes, ten minutes after they first sent events.'
        ) : (
          <>
            Counted <Time at={measuredAt} />. The ranges are 95% confidence intervals. A device is counted ten minutes
            after its first event, and a crash within a day of it.
          </>
        )}
      </Text>
    </>
  );
}

type GuardRow = RolloutDetail['guards'][number] & { readonly check: RolloutDetail['checks'][number] | undefined };

const VERDICTS: Readonly<Record<RolloutDetail['checks'][number]['verdict'], { tone: Tone; label: string }>> = {
  waiting: { tone: 'none', label: 'Too few devices' },
  ok: { tone: 'good', label: 'Not worse' },
  worse: { tone: 'bad', label: 'Worse' },
};

const GUARD_COLUMNS: readonly Column<GuardRow>[] = [
  { header: 'Guard', cell: ({ guard }) => GUARD_TITLES[guard] },
  {
    header: 'Result',
    cell: ({ check }) =>
      check === undefined ? (
        <StateBadge tone="none">Not checked yet</StateBadge>
      ) : (
        <StateBadge tone={VERDICTS[check.verdict].tone}>{VERDICTS[check.verdict].label}</StateBadge>
      ),
  },
  {
    header: 'Difference',
    overflow: 'nowrap',
    cell: ({ check }) =>
      check === undefined
        ? '–'
        : check.verdict === 'waiting'
          ? `${formatNumber(Math.min(check.devices, check.base_devices))} of ${formatNumber(check.needed)} devices`
          : formatDifference({ ...check, rate: null, other_rate: null, verdict: 'unclear' }),
  },
  {
    header: 'If worse',
    hiddenBelow: 'sm',
    cell: formatReaction,
  },
  {
    header: 'Checked',
    hiddenBelow: 'sm',
    overflow: 'nowrap',
    cell: ({ check }) => (check === undefined ? '–' : <Time at={check.checked_at} />),
  },
];

function Guards({ rollout: { guards, checks } }: { rollout: RolloutDetail }) {
  return (
    <>
      <DataTable
        label="Guards"
        columns={GUARD_COLUMNS}
        rows={guards.map((guard) => ({ ...guard, check: checks.find((check) => check.guard === guard.guard) }))}
        rowKey={({ guard }) => guard}
        empty={<Text size="sm">This rollout has no guards: only its times and people decide.</Text>}
      />
      {guards.length > 0 && (
        <Text size="xs" c="dimmed">
          Differences are in percentage points, with an interval that holds however often it is checked. It is wider
          than the one for a single comparison.
        </Text>
      )}
    </>
  );
}

type GroupRow = RolloutDetail['new_groups'][number];

function groupColumns(slug: string, bases: string): Column<GroupRow>[] {
  return [
    {
      header: 'Group',
      overflow: 'anywhere',
      cell: ({ group_id: groupId, title, is_new: isNew }) => (
        <Group gap="xs">
          <RowLink to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId }}>
            {title}
          </RowLink>
          {isNew && <StateBadge tone="unsure">New</StateBadge>}
        </Group>
      ),
    },
    { header: 'Devices', align: 'right', cell: ({ devices }) => formatNumber(devices) },
    { header: `Devices of ${bases}`, align: 'right', cell: ({ base_devices: base }) => formatNumber(base) },
    { header: 'Reports', align: 'right', hiddenBelow: 'sm', cell: ({ reports }) => formatNumber(reports) },
  ];
}

function Groups({ slug, rollout }: { slug: string; rollout: RolloutDetail }) {
  return (
    <DataTable
      label="Crash groups of the version since the start"
      columns={groupColumns(slug, basesOf(rollout))}
      rows={rollout.new_groups}
      rowKey={({ group_id }) => group_id}
      empty={<Text size="sm">No crash reports of {rollout.version} since the rollout began.</Text>}
    />
  );
}

type Entry = RolloutDetail['history'][number];

function historyColumns(slug: string): Column<Entry>[] {
  return [
    { header: 'When', overflow: 'nowrap', cell: ({ at }) => <Time at={at} /> },
    {
      header: 'What',
      isLong: true,
      cell: ({ text, groups }) => (
        <>
          {text}
          {groups.length > 0 && (
            <Text size="sm" component="div">
              Crash groups:{' '}
              {groups.map(({ group_id: groupId, title, devices }, index) => (
                <span key={groupId}>
                  {index > 0 && ', '}
                  <SiteLink
                    to="/dev/$slug/crashes/groups/$groupId"
                    params={{ slug, groupId }}
                    size="sm"
                    underline="always"
                  >
                    {title}
                  </SiteLink>{' '}
                  ({formatItems(devices, 'device')})
                </span>
              ))}
            </Text>
          )}
        </>
      ),
    },
    { header: 'By', cell: ({ by }) => BY[by] ?? by },
  ];
}

const BY: Readonly<Record<string, string>> = { guard: 'Guard', schedule: 'Schedule' };

function History({ slug, rollout: { history } }: { slug: string; rollout: RolloutDetail }) {
  return (
    <DataTable
      label="History of the rollout"
      columns={historyColumns(slug)}
      rows={history}
      rowKey={({ at, kind }, index) => `${at} ${kind} ${index}`}
    />
  );
}

type ShareDialogProps = {
  game: OpenGame;
  rollout: RolloutDetail;
  isBusy: boolean;
  error: Error | null;
  onSubmit: (share: number) => void;
  onClose: () => void;
};

function ShareDialog({ game, rollout, isBusy, error, onSubmit, onClose }: ShareDialogProps) {
  const [share, setShare] = useState(Math.min(MAX_SHARE, rollout.share * 2));
  const isLarger = Number.isInteger(share) && share > rollout.share && share <= MAX_SHARE;
  return (
    <FormDialog
      title={`Change the share of ${rollout.version}`}
      submitLabel="Change share"
      isDisabled={!isLarger}
      isBusy={isBusy}
      error={error}
      onSubmit={() => onSubmit(share)}
      onClose={onClose}
    >
      <NumberInput
        data-field="share"
        data-autofocus
        label="Percentage of devices"
        description={`More than ${rollout.share}%: devices that have the version keep it.`}
        min={rollout.share + 1}
        max={MAX_SHARE}
        allowDecimal={false}
        value={share}
        onChange={(value) => setShare(Number(value))}
      />
      {isLarger && <Consequences lines={describeRolloutChange({ ...rollout, share }, 'share', game.visibility)} />}
    </FormDialog>
  );
}
