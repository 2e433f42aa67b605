// Two crash reports side by side: their facts, their stacks and the ends of their logs, with the differences marked.
import { formatPlatform } from '@chauffeur/contract/format';
import { type CrashStack, getCrashLog, type StackFrame } from '@chauffeur/contract/operations/crash-stacks';
import { Button, Group, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ask } from '../../api.ts';
import { ScrollBox } from '../../ui/DataTable.tsx';
import { PageHead, Section, Trail } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { LogText } from './Attachments.tsx';
import classes from './compare.module.css';
import { alignStacks, formatFunction, formatLocation } from './stack-frames.ts';
import { type Crash, useCrash, useStack } from './use-crash.ts';
import { useReports } from './use-live-list.ts';

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

const REPORT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type ChooseReportProps = { game: OpenGame; first: Crash | undefined; firstId: string | undefined };

/** Chooses the report to compare with: one of the same group, or any other by its ID. */
function ChooseReport({ game, first, firstId }: ChooseReportProps) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const id = text.trim().toLowerCase();
  const choose = (event: FormEvent) => {
    event.preventDefault();
    const search = firstId === undefined ? { a: id } : { a: firstId, b: id };
    void navigate({ to: '/dev/$slug/crashes/compare', params: { slug: game.slug }, search });
  };
  return (
    <>
      {first !== undefined && <Text size="sm">{`Choose a report to compare with “${first.title}”.`}</Text>}
      <form onSubmit={choose}>
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Report ID"
            size="sm"
            className={classes.reportId}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" disabled={!REPORT_ID.test(id)}>
            Compare
          </Button>
        </Group>
      </form>
      {first?.group_id != null && <SameGroup game={game} first={first} groupId={first.group_id} />}
    </>
  );
}

function SameGroup({ game, first, groupId }: { game: OpenGame; first: Crash; groupId: string }) {
  const reports = useReports({ uid: game.game_uid, group_id: groupId, limit: 25 });
  const others = (reports.rows ?? []).map(({ item }) => item).filter(({ crash_id: id }) => id !== first.crash_id);
  return (
    <Section title="Reports of the same group">
      {reports.rows !== undefined && others.length === 0 && <Text size="sm">The group has no other reports.</Text>}
      <ul className={classes.choices}>
        {others.map((other) => (
          <li key={other.crash_id}>
            <SiteLink
              to="/dev/$slug/crashes/compare"
              params={{ slug: game.slug }}
              search={{ a: first.crash_id, b: other.crash_id }}
              size="sm"
            >
              {`${other.version || 'Unknown version'} · ${other.os || 'unknown OS'}`}
            </SiteLink>{' '}
            <Text span size="sm" c="dimmed">
              <Time at={other.received_at} />
            </Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The facts of two reports as a table. Rows that differ are marked, also in words. */
function ComparedFacts({ facts }: { facts: readonly ComparedFact[] }) {
  if (facts.length === 0) return <Text size="sm">No differences.</Text>;
  return (
    <ScrollBox label="Facts of both reports" className={table.bleed}>
      <table className={classes.table} aria-label="Facts of both reports">
        <thead>
          <tr>
            <th scope="col">Fact</th>
            <th scope="col">First report</th>
            <th scope="col">Second report</th>
          </tr>
        </thead>
        <tbody>
          {facts.map(({ name, a, b }) => (
            <tr key={name} data-different={a === b ? undefined : true}>
              <th scope="row">
                {a === b ? name : <strong>{name}</strong>}
                {a !== b && <span className={classes.mark}> ≠</span>}
              </th>
              <td>{a || '–'}</td>
              <td>{b || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

type ComparedFact = { readonly name: string; readonly a: string; readonly b: string };

type Side = { readonly crash: Crash; readonly stack: CrashStack | undefined };

/** The rows of the table, without facts that neither report has. The metadata comes last, in the order of its keys. */
function compareFacts(a: Side, b: Side): ComparedFact[] {
  const [left, right] = [factsOf(a), factsOf(b)];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names]
    .map((name) => ({ name, a: left.get(name) ?? '', b: right.get(name) ?? '' }))
    .filter((fact) => fact.a !== '' || fact.b !== '');
}

function factsOf({ crash, stack }: Side): Map<string, string> {
  const facts: [string, string][] = [
    ['Version', crash.version],
    ['Reason', crash.reason ?? ''],
    ['Address', crash.crash_address ?? ''],
    ['Message', crash.message],
    ['Player message', crash.user_message],
    ['Platform', crash.os === '' ? '' : formatPlatform(crash)],
    ['Engine', crash.engine_version],
    ['OS version', stack?.system.os_version ?? ''],
    ['CPU', [stack?.system.cpu, stack?.system.cpu_info].filter(Boolean).join(', ')],
    ['CPU cores', stack === undefined ? '' : String(stack.system.cpu_count)],
    ['Uptime', stack?.uptime_seconds == null ? '' : `${Math.round(stack.uptime_seconds)} s`],
  ];
  const metadata = Object.entries(crash.metadata)
    .toSorted(([x], [y]) => x.localeCompare(y))
    .map(([key, value]): [string, string] => [`Metadata: ${key}`, String(value)]);
  return new Map([...facts, ...metadata]);
}

type ComparedStacksProps = {
  a: readonly StackFrame[];
  b: readonly StackFrame[];
  /** Whether to leave out frames that both stacks have. */
  isDifferent: boolean;
};

/** Two stacks, frame by frame. Frames that both have are in the same row. */
function ComparedStacks({ a, b, isDifferent }: ComparedStacksProps) {
  if (a.length === 0 && b.length === 0) return <Text size="sm">Neither report has a stack.</Text>;
  const rows = alignStacks(a, b).filter((row) => !isDifferent || row.a === undefined || row.b === undefined);
  if (rows.length === 0) return <Text size="sm">No differences.</Text>;
  return (
    <ScrollBox label="Stacks of both reports" className={table.bleed}>
      <table className={classes.table} aria-label="Stacks of both reports">
        <thead>
          <tr>
            <th scope="col">First report</th>
            <th scope="col">Second report</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: recursion repeats equal frames, and their order never changes
            <tr key={index} data-different={row.a === undefined || row.b === undefined || undefined}>
              <FrameCell frame={row.a} />
              <FrameCell frame={row.b} />
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function FrameCell({ frame }: { frame: StackFrame | undefined }) {
  if (frame === undefined) return <td className={classes.none}>not on this stack</td>;
  return (
    <td className={classes.frame} data-own={frame.own || undefined}>
      {frame.function === null ? formatLocation(frame) : formatFunction(frame.function)}
      {frame.function !== null && <small>{formatLocation(frame)}</small>}
    </td>
  );
}
