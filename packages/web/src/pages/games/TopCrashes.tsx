// The crash groups that hit the most devices now, on the overview of a game.
import { formatCompactNumber, formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listCrashGroups } from '@chauffeur/contract/operations/crash-groups';
import type { getGameOverview } from '@chauffeur/contract/operations/game-overview';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { formatItems } from '../../ui/format.ts';
import { Section } from '../../ui/PageLayout.tsx';
import { RowLink, SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { CrashTitle } from '../crashes/CrashTitle.tsx';
import classes from '../crashes/crashes.module.css';
import type { OpenGame } from './use-game.ts';

type TopCrashes = OutputOf<typeof getGameOverview>['top_crashes'];
type TopCrash = TopCrashes['groups'][number];

export function TopCrashes({ game, crashes }: { game: OpenGame; crashes: TopCrashes }) {
  const { slug } = game;
  return (
    <Section
      title="Crashes that hit the most devices"
      actions={
        <SiteLink to="/dev/$slug/crashes" params={{ slug }} search={{ q: 'is:open', sort: 'devices' }} size="sm">
          All crashes
        </SiteLink>
      }
    >
      <DataTable
        label="Crashes that hit the most devices"
        keepsColumns
        isFixed
        columns={columnsOf(slug)}
        rows={crashes.groups}
        rowKey={({ group_id }) => group_id}
        empty={<NoCrashes game={game} days={crashes.days} />}
      />
      {crashes.groups.length > 0 && (
        <Text size="xs" c="dimmed">
          {crashes.counted === 'all'
            ? `Open crash groups, by the devices that sent reports in the last ${crashes.days} days and 24 hours.`
            : `Open crash groups in the newest reports of the last ${crashes.days} days, which are too many to count all.`}
        </Text>
      )}
    </Section>
  );
}

/** Without any report so far, the page of crashes shows how to set them up. */
function NoCrashes({ game, days }: { game: OpenGame; days: number }) {
  const { data } = useQuery(ask(listCrashGroups, { uid: game.game_uid, limit: 1 }));
  return (
    <Text size="sm">
      No open crash group has reports from the last {days} days.
      {data?.groups.length === 0 && (
        <>
          {' '}
          <SiteLink to="/dev/$slug/crashes" params={{ slug: game.slug }} size="sm" underline="always">
            Set up crash reports
          </SiteLink>
        </>
      )}
    </Text>
  );
}

function columnsOf(slug: string): Column<TopCrash>[] {
  const countOf = (header: string, width: number, pick: (crash: TopCrash) => number): Column<TopCrash> => ({
    header,
    align: 'right',
    width,
    title: (crash) => formatNumber(pick(crash)),
    cell: (crash) => (pick(crash) === 0 ? '–' : formatCompactNumber(pick(crash))),
  });
  return [
    {
      header: 'Crash',
      cell: ({ group_id: groupId, title, reports, first_seen }) => (
        <div className={classes.group}>
          <RowLink
            to="/dev/$slug/crashes/groups/$groupId"
            params={{ slug, groupId }}
            className={classes.title}
            title={title}
            aria-label={title}
          >
            <CrashTitle title={title} />
          </RowLink>
          <Text size="sm" c="dimmed">
            {formatItems(reports, 'report')}, first seen <Time at={first_seen} />
          </Text>
        </div>
      ),
    },
    countOf('Devices', 72, ({ devices }) => devices),
    countOf('24 h', 56, ({ devices_last_day }) => devices_last_day),
  ];
}
