// The notice on pages that show what games send: reports and events were refused, as their build id is unknown. It says
// how many and when, what was sent as the id, what is wrong with it and what to do.

import { formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listRefusals } from '@chauffeur/contract/operations/refusals';
import { Button, Code, Group, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { readChoice, storeChoice } from '../../browser.ts';
import { Notice } from '../../ui/PageLayout.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { TextWithCode } from '../../ui/TextWithCode.tsx';
import { Time } from '../../ui/Time.tsx';

/** What was refused longer ago is only listed by the API. */
const DAYS = 7;
const MAX_SHOWN = 3;
const POLL_MS = 10_000;

type Refusal = OutputOf<typeof listRefusals>['refusals'][number];
type Counts = Pick<Refusal, 'reports' | 'events'>;

/** Shows nothing if nothing was refused, or nothing since the developer hid the notice. */
export function RefusalNotice({ gameUid, pollMs = POLL_MS }: { gameUid: string; pollMs?: number }) {
  const { data } = useQuery({ ...ask(listRefusals, { uid: gameUid, days: DAYS }), refetchInterval: pollMs });
  const choice = `refusals-hidden-${gameUid}`;
  const [hiddenUntil, setHiddenUntil] = useState(() => readChoice(choice) ?? '');
  // Nothing needs to be done about a build that was registered in the meantime.
  const open = (data?.refusals ?? []).filter(({ cause }) => cause !== 'exists');
  const newest = open.map(({ last_at }) => last_at).reduce((a, b) => (a > b ? a : b), '');
  if (newest <= hiddenUntil) return null;
  const shown = open.toSorted((a, b) => b.reports + b.events - a.reports - a.events).slice(0, MAX_SHOWN);
  const hide = () => {
    storeChoice(choice, newest);
    setHiddenUntil(newest);
  };
  return (
    <Notice tone="bad" title={`${formatCounts(sumOf(open))} refused: their build ID is wrong`}>
      <List size="sm" spacing={8} mt={4} mb={8} style={{ overflowWrap: 'anywhere' }}>
        {shown.map((refusal, index) => (
          <List.Item key={refusal.build_id ?? 'rest'}>
            <RefusalItem refusal={refusal} isNewAdvice={refusal.advice !== shown[index - 1]?.advice} />
          </List.Item>
        ))}
        {open.length > shown.length && <List.Item>{formatMore(open.length - shown.length)}</List.Item>}
      </List>
      <Group gap="sm">
        <Button size="compact-xs" variant="default" onClick={hide}>
          Hide until it happens again
        </Button>
        <DocLink page="engines" size="sm" underline="always">
          How builds get their ID
        </DocLink>
      </Group>
    </Notice>
  );
}

type RefusalItemProps = {
  refusal: Refusal;
  /** False below an item with the same advice. */
  isNewAdvice: boolean;
};

function RefusalItem({ refusal, isNewAdvice }: RefusalItemProps) {
  const { build_id: id, problem, advice, first_at, last_at } = refusal;
  return (
    <>
      <Text size="sm" component="div">
        {formatCounts(refusal)} came{' '}
        {id === '' ? (
          'without a build ID'
        ) : id === null ? (
          `with other build IDs: ${problem}`
        ) : (
          <>
            with the build ID <Code>{id}</Code>: {problem}
          </>
        )}
        . First <Time at={first_at} />, last <Time at={last_at} />.
      </Text>
      {isNewAdvice && (
        <Text size="sm" c="dimmed" component="div">
          <TextWithCode text={advice} />
        </Text>
      )}
    </>
  );
}

function formatMore(count: number): string {
  return count === 1 ? '1 more ID' : `${count} more IDs`;
}

function sumOf(refusals: readonly Counts[]): Counts {
  const sum = (name: keyof Counts) => refusals.reduce((total, each) => total + each[name], 0);
  return { reports: sum('reports'), events: sum('events') };
}

/** `1,200 events and 1 crash report`. */
function formatCounts({ reports, events }: Counts): string {
  const parts = [
    ...(events > 0 ? [`${formatNumber(events)} ${events === 1 ? 'event' : 'events'}`] : []),
    ...(reports > 0 ? [`${formatNumber(reports)} crash ${reports === 1 ? 'report' : 'reports'}`] : []),
  ];
  return parts.join(' and ');
}
