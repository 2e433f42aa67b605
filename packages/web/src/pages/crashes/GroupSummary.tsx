// The summary of a crash group: what broke, and where, how often and since when.

import { formatCompactNumber, formatNumber, formatOs } from '@chauffeur/contract/format';
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { Skeleton, Text } from '@mantine/core';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { formatAffectedVersions } from './affected-versions.ts';
import classes from './crashes.module.css';
import { firstOwnFrame, formatFunction, formatLocation } from './format-stack.ts';
import { nameBuilds } from './name-builds.ts';
import { formatReason } from './reasons.ts';
import type { GroupDetail } from './TrendChart.tsx';

type WhatBrokeProps = {
  group: GroupDetail;
  /** The stack of the latest report; undefined while it is loading, or if there is none. */
  stack: CrashStack | undefined;
  isLoading: boolean;
};

export function WhatBroke({ group, stack, isLoading }: WhatBrokeProps) {
  const explanation = formatReason(group.reason, stack?.address ?? null);
  const frame = stack === undefined ? undefined : firstOwnFrame(stack);
  return (
    <>
      <div>
        {explanation !== null && <Text size="md">{explanation}</Text>}
        <Text size="sm" c="dimmed" className={classes.code}>
          {formatCode(group, stack?.address ?? null)}
        </Text>
        {stack?.assertion != null && <Text size="sm">{stack.assertion}</Text>}
      </div>
      {frame !== undefined && (
        <FirstFrame
          name={frame.function === null ? 'Unnamed function' : formatFunction(frame.function)}
          place={formatLocation(frame)}
        />
      )}
      {isLoading && group.kind === 'stack' && (
        <Skeleton aria-hidden>
          <FirstFrame name="…" place="…" />
        </Skeleton>
      )}
    </>
  );
}

type FirstFrameProps = { name: string; place: string };

function FirstFrame({ name, place }: FirstFrameProps) {
  return (
    <div className={classes.first}>
      <Text span size="xs" c="dimmed" ff="text">
        First frame in your game's code
      </Text>
      <strong title={name}>{name}</strong>
      <span className={classes.place}>{place}</span>
    </div>
  );
}

/** The reason and address as debuggers print them. */
function formatCode({ kind, reason }: GroupDetail, address: string | null): string {
  if (reason === null)
    return kind === 'message' ? 'These reports have no stack and are grouped by their message.' : 'Unknown reason.';
  return address === null ? reason : `${reason} at ${address}`;
}

/** The table of reports has the others. */
const MAX_BUILDS = 6;

type GroupFactsProps = { game: OpenGame; group: GroupDetail; newestVersion: string | undefined };

export function GroupFacts({ game, group, newestVersion }: GroupFactsProps) {
  return <Facts facts={factsOf(game, group, newestVersion)} />;
}

function factsOf(game: OpenGame, group: GroupDetail, newestVersion: string | undefined): Fact[] {
  const affected = formatAffectedVersions(group.builds, group.build_count, newestVersion);
  return [
    [
      'Reports',
      <b key="count" title={formatNumber(group.count)}>
        {formatCompactNumber(group.count)}
      </b>,
    ],
    ['First seen', <Time key="first" at={group.first_seen} />],
    ['Last seen', <Time key="last" at={group.last_seen} />],
    ['Builds', <Builds key="builds" slug={game.slug} group={group} />],
    ...(affected === null ? [] : [['Occurs', affected] as const]),
    ['OS', group.oses.map(({ os, count }) => `${formatOs(os) || 'unknown'} (${formatNumber(count)})`).join(', ')],
    ...(group.regressed_at === null ? [] : [['Regressed', <Time key="back" at={group.regressed_at} />] as const]),
  ];
}

function Builds({ slug, group }: { slug: string; group: GroupDetail }) {
  const shown = group.builds.slice(0, MAX_BUILDS);
  const names = nameBuilds(shown);
  const more = group.build_count - shown.length;
  return (
    <>
      {shown.map(({ build_id: buildId, version, count }, index) => (
        <span key={buildId}>
          {index > 0 && ', '}
          {version === '' ? (
            names[index]
          ) : (
            <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId }}>
              {names[index]}
            </SiteLink>
          )}{' '}
          ({formatNumber(count)})
        </span>
      ))}
      {more > 0 && `, ${more} more`}
    </>
  );
}
