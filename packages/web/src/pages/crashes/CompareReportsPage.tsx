// Two crash reports side by side: their facts, their stacks and the ends of their logs, with the differences marked.
import { getCrashLog } from '@chauffeur/contract/operations/crash-stacks';
import { Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { Trail } from '../../ui/Trail.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { ChooseReport } from './ChooseReport.tsx';
import { ComparedFacts } from './ComparedFacts.tsx';
import { ComparedStacks } from './ComparedStacks.tsx';
import classes from './compare.module.css';
import { compareFacts } from './compare-facts.ts';
import { LogText } from './LogText.tsx';
import { type Crash, useCrash, useStack } from './use-crash.ts';

const route = getRouteApi('/signed-in/dev/$slug/crashes/compare');

export function CompareReportsPage() {
  const game = useGame();
  const { a, b } = route.useSearch();
  const first = useCrash(game.game_uid, a ?? null);
  const second = useCrash(game.game_uid, b ?? null);
  const error = first.error ?? second.error;
  return (
    <Stack gap="lg">
      <Trail
        parents={[
          {
            key: 'crashes',
            link: (
              <SiteLink to="/dev/$slug/crashes" params={{ slug: game.slug }} search={{ view: 'reports' }}>
                Crashes
              </SiteLink>
            ),
          },
        ]}
        current="Compare reports"
      />
      <PageHead title="Compare reports" tabTitle={`Compare reports · ${game.name}`} />
      {error !== null && <Problem error={error} />}
      {(a === undefined || b === undefined) && <ChooseReport game={game} first={first.data} firstId={a} />}
      {error === null && a !== undefined && b !== undefined && (first.isPending || second.isPending) && (
        <Skeleton h={420} />
      )}
      {first.data !== undefined && second.data !== undefined && b !== undefined && (
        <Comparison game={game} a={first.data} b={second.data} />
      )}
    </Stack>
  );
}

function Comparison({ game, a, b }: { game: OpenGame; a: Crash; b: Crash }) {
  const [isDifferent, setDifferent] = useState(false);
  const stacks = [useStack(game.game_uid, a), useStack(game.game_uid, b)] as const;
  const facts = compareFacts({ crash: a, stack: stacks[0].data }, { crash: b, stack: stacks[1].data });
  return (
    <>
      <div className={classes.columns}>
        <ReportLink game={game} crash={a} label="First report" />
        <ReportLink game={game} crash={b} label="Second report" />
      </div>
      <Switch
        label="Only differences"
        checked={isDifferent}
        onChange={(event) => setDifferent(event.currentTarget.checked)}
      />
      <Section title="Facts">
        <ComparedFacts facts={isDifferent ? facts.filter((fact) => fact.a !== fact.b) : facts} />
      </Section>
      <Section title="Stacks of the crashed threads">
        {stacks.some(({ isLoading }) => isLoading) ? (
          <Skeleton h={240} />
        ) : (
          <ComparedStacks
            a={stacks[0].data?.crashed?.frames ?? []}
            b={stacks[1].data?.crashed?.frames ?? []}
            isDifferent={isDifferent}
          />
        )}
      </Section>
      <Section title="Logs">
        <Permitted operation={getCrashLog} to="read logs">
          <div className={classes.columns}>
            <LogEnd game={game} crash={a} label="End of the first log" />
            <LogEnd game={game} crash={b} label="End of the second log" />
          </div>
        </Permitted>
      </Section>
    </>
  );
}

function ReportLink({ game, crash, label }: { game: OpenGame; crash: Crash; label: string }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label} · <Time at={crash.received_at} />
      </Text>
      <SiteLink to="/dev/$slug/crashes/reports/$crashId" params={{ slug: game.slug, crashId: crash.crash_id }}>
        {crash.title}
      </SiteLink>
    </div>
  );
}

function LogEnd({ game, crash, label }: { game: OpenGame; crash: Crash; label: string }) {
  const hasLog = crash.available.includes('log');
  const { data, error, refetch } = useQuery({
    ...ask(getCrashLog, { uid: game.game_uid, crash_id: crash.crash_id }),
    enabled: hasLog,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!hasLog) return <Text size="sm">This report has no log.</Text>;
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  return (
    <div className={classes.column}>
      {data === undefined ? <Skeleton h={160} /> : <LogText {...data} label={label} kind="log" />}
    </div>
  );
}
