// The page behind the links of an alert: shows what would happen to the crash group, and makes the change when a button
// is pressed. Opening it changes nothing.
import { formatNumber } from '@chauffeur/contract/format';
import { type AlertAction, getAlertAction } from '@chauffeur/contract/operations/alerts';
import { getCrashGroup } from '@chauffeur/contract/operations/crash-groups';
import { updateCrashGroup } from '@chauffeur/contract/operations/triage';
import { Button, Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { session } from '../../session.ts';
import { Facts } from '../../ui/Facts.tsx';
import { Notice, PageHead, Panel } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { useGame } from '../games/use-game.ts';
import { formatSnooze } from './describe-group.ts';
import { TriageResult } from './GroupStatus.tsx';
import { type GroupDetail, useTriage } from './use-triage.ts';

const route = getRouteApi('/signed-in/dev/$slug/alerts/$token');

export function AlertActionPage() {
  const { token } = route.useParams();
  const { game_uid: uid, name, slug } = useGame();
  const offer = useQuery({ ...ask(getAlertAction, { uid, token }), retry: false });
  const groupId = offer.data?.group_id;
  const group = useQuery({
    ...ask(getCrashGroup, { uid, group_id: groupId ?? '' }),
    enabled: groupId !== undefined,
  });
  const failure = offer.error ?? group.error;
  const title = offer.data === undefined ? 'Link from an alert' : TITLES[offer.data.action];
  return (
    <Panel gap="lg">
      <PageHead title={title} tabTitle={`${title} · ${name}`} />
      {failure !== null && (
        <>
          <Problem error={failure} />
          <Text size="sm">
            <SiteLink to="/dev/$slug/crashes" params={{ slug }} size="sm">
              Open the crashes of {name}
            </SiteLink>
          </Text>
        </>
      )}
      {failure === null && group.data === undefined && <Skeleton h={220} />}
      {offer.data !== undefined && group.data !== undefined && (
        <Offer action={offer.data.action} group={group.data} slug={slug} />
      )}
    </Panel>
  );
}

const TITLES: Readonly<Record<AlertAction, string>> = {
  assign: 'Assign this crash group to you?',
  resolve: 'Resolve this crash group?',
  snooze: 'Snooze this crash group?',
};

type OfferProps = { action: AlertAction; group: GroupDetail; slug: string };

function Offer({ action, group, slug }: OfferProps) {
  const { title, reason, count, devices, first_seen: firstSeen, assignee, group_id: groupId } = group;
  return (
    <>
      <Facts
        facts={[
          [
            'Group',
            <SiteLink key="group" to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId }} size="sm">
              {title}
            </SiteLink>,
          ],
          ...(reason === null ? [] : [['Reason', reason] as const]),
          ['Status', formatStatus(group)],
          ['Reports', `${formatNumber(count)}${devices > 0 ? ` from ${formatNumber(devices)} devices` : ''}`],
          ['First seen', <Time key="first" at={firstSeen} />],
          ['Assigned to', assignee?.name ?? 'No one'],
        ]}
      />
      <Permitted operation={updateCrashGroup} to="change crash groups">
        <Change action={action} group={group} />
      </Permitted>
    </>
  );
}

const STATUSES: Readonly<Record<GroupDetail['status'], string>> = {
  open: 'Open',
  resolved: 'Resolved',
  snoozed: 'Snoozed',
  ignored: 'Ignored',
};

function formatStatus({ status, snooze, fixed_in_version: fixedIn, regressed_at: regressedAt }: GroupDetail): string {
  if (status === 'snoozed' && snooze !== null) return `Snoozed ${formatSnooze(snooze)}`;
  if (status === 'resolved' && fixedIn !== null) return `Resolved in ${fixedIn}`;
  return status === 'open' && regressedAt !== null ? 'Open again after its fix' : STATUSES[status];
}

const DAY_MS = 24 * 3_600_000;
const SNOOZES = [
  { value: '1', label: 'For a day' },
  { value: '7', label: 'For a week' },
  { value: '30', label: 'For 30 days' },
  { value: 'build', label: 'Until it happens in a new build' },
];

function Change({ action, group }: Omit<OfferProps, 'slug'>) {
  const triage = useTriage();
  const { data: person } = useQuery(session);
  const [snooze, setSnooze] = useState('7');
  const isDone =
    action === 'assign' ? person?.id === group.assignee?.user_id : action === 'resolve' && isResolved(group);
  const groupId = group.group_id;
  const change = () => {
    const changes = {
      assign: { input: { assignee: person?.id ?? null }, message: 'Assigned to you.' },
      resolve: { input: { status: 'resolved' }, message: 'Group resolved.' },
      snooze: { input: { status: 'snoozed', snooze: snoozeOf(snooze) }, message: 'Group snoozed.' },
    } as const;
    const { input, message } = changes[action];
    triage.mutate({ kind: 'update', input: { group_id: groupId, ...input }, message });
  };
  if (triage.data !== undefined || triage.error !== null) return <TriageResult triage={triage} />;
  if (isDone)
    return (
      <Notice
        tone="good"
        title={action === 'assign' ? "You're already assigned to it" : 'It has already been resolved'}
      />
    );
  return (
    <>
      {action === 'snooze' && (
        <NativeSelect
          label="How long"
          data={SNOOZES}
          value={snooze}
          onChange={({ currentTarget }) => setSnooze(currentTarget.value)}
        />
      )}
      <Text size="sm">{EFFECTS[action]}</Text>
      <Group>
        <Button loading={triage.isPending} disabled={person == null} onClick={change}>
          {BUTTONS[action]}
        </Button>
      </Group>
    </>
  );
}

function isResolved({ status }: GroupDetail): boolean {
  return status === 'resolved';
}

const EFFECTS: Readonly<Record<AlertAction, string>> = {
  assign: "Others see that you're working on it. You can undo this.",
  resolve:
    'If a build that is registered from now on has this crash, the group reopens and sends an alert. You can undo this.',
  snooze:
    'Until then, it causes no alerts and is only listed under Snoozed. Reports are still counted. You can undo this.',
};

const BUTTONS: Readonly<Record<AlertAction, string>> = {
  assign: 'Assign to me',
  resolve: 'Resolve',
  snooze: 'Snooze',
};

function snoozeOf(choice: string) {
  if (choice === 'build') return { next_build: true };
  return { until: new Date(Date.now() + Number(choice) * DAY_MS).toISOString() };
}
