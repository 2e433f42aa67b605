// What decides about a crash without scrolling: what broke and where in the game, how often, since when, in which builds, what players said.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrashGroup } from '@chauffeur/contract/operations/crashes';
import { sayOs } from '@chauffeur/contract/platform-words';
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayCount, sayExactNumber } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';
import classes from './crashes.module.css';
import { PlayersWords } from './PlayersWords.tsx';
import type { ListedReport } from './ReportRows.tsx';
import { sayReason } from './reasons.ts';
import { type CrashStack, firstOwnFrame, sayFunction, sayPlace } from './stack-lines.ts';
import { TrendChart } from './TrendChart.tsx';
import { sayWhere } from './where.ts';

export type GroupDetail = OutputOf<typeof getCrashGroup>;

type GroupSummaryProps = {
  game: OpenGame;
  group: GroupDetail;
  /** Of its newest report; undefined while it is loading, or where there is none. */
  stack: CrashStack | undefined;
  reports: readonly ListedReport[];
  newestVersion: string | undefined;
};

export function GroupSummary({ game, group, stack, reports, newestVersion }: GroupSummaryProps) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing="lg">
      <Stack gap="md" miw={0}>
        <WhatBroke group={group} stack={stack} />
        <TrendChart group={group} gameUid={game.game_uid} />
      </Stack>
      <Stack gap="md" miw={0}>
        <Facts facts={factsOf(game, group, newestVersion)} />
        <PlayersWords slug={game.slug} reports={reports} />
      </Stack>
    </SimpleGrid>
  );
}

function WhatBroke({ group, stack }: Pick<GroupSummaryProps, 'group' | 'stack'>) {
  const words = sayReason(group.reason, stack?.address ?? null);
  const frame = stack === undefined ? undefined : firstOwnFrame(stack);
  return (
    <>
      <div>
        {words !== null && <Text size="md">{words}</Text>}
        <Text size="sm" c="dimmed" className={classes.code}>
          {group.reason ?? 'Its reports came without a stack, and are grouped by what they say.'}
          {group.reason !== null && stack?.address != null && ` at ${stack.address}`}
        </Text>
        {stack?.assertion != null && <Text size="sm">{stack.assertion}</Text>}
      </div>
      {frame !== undefined && (
        <div className={classes.first}>
          <Text span size="xs" c="dimmed" ff="text">
            First frame of the game’s own code
          </Text>
          <strong>{frame.function === null ? 'a function without a name' : sayFunction(frame.function)}</strong>
          <span className={classes.place}>{sayPlace(frame)}</span>
        </div>
      )}
    </>
  );
}

/** Builds that are named; the table of reports has the others. */
const NAMED = 6;

function factsOf(game: OpenGame, group: GroupDetail, newestVersion: string | undefined): Fact[] {
  const where = sayWhere(group.builds, group.build_count, newestVersion);
  return [
    [
      'Reports',
      <b key="count" title={sayExactNumber(group.count)}>
        {sayCount(group.count)}
      </b>,
    ],
    ['First seen', <Time key="first" at={group.first_seen} />],
    ['Last seen', <Time key="last" at={group.last_seen} />],
    ['Builds', <Builds key="builds" slug={game.slug} group={group} />],
    ...(where === null ? [] : [['Seen', where] as const]),
    ['Systems', group.oses.map(({ os, count }) => `${sayOs(os) || 'unknown'} (${sayExactNumber(count)})`).join(', ')],
    ...(group.regressed_at === null ? [] : [['Came back', <Time key="back" at={group.regressed_at} />] as const]),
  ];
}

function Builds({ slug, group }: { slug: string; group: GroupDetail }) {
  const shown = group.builds.slice(0, NAMED);
  const more = group.build_count - shown.length;
  return (
    <>
      {shown.map(({ build_id: buildId, version, count }, index) => (
        <span key={buildId}>
          {index > 0 && ', '}
          {version === '' ? (
            'a build that is gone'
          ) : (
            <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId }}>
              {version}
            </SiteLink>
          )}{' '}
          ({sayExactNumber(count)})
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}
