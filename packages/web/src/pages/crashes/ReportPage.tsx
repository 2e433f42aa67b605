// One crash report: what becomes of it, what was said with it, its stack, and its end.

import { sayPlatform } from '@chauffeur/contract/platform-words';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { CRASHES } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { CrashDetails } from './CrashDetails.tsx';
import classes from './crashes.module.css';
import { DeleteReport } from './DeleteReport.tsx';
import { sayReason } from './reasons.ts';
import { type Crash, useCrash } from './use-crash.ts';

const route = getRouteApi('/signed-in/dev/$slug/crashes/reports/$crashId');

export function ReportPage() {
  const game = useGame();
  const { crashId } = route.useParams();
  const [isDeleted, setDeleted] = useState(false);
  const { data, error, isPending, refetch } = useCrash(game.game_uid, isDeleted ? null : crashId);
  return (
    <Stack gap="lg">
      <SiteLink
        to="/dev/$slug/crashes"
        params={{ slug: game.slug }}
        search={{ view: 'reports' }}
        size="sm"
        style={{ alignSelf: 'flex-start' }}
      >
        ← All reports
      </SiteLink>
      {(data === undefined || isDeleted) && <PageHead title="Crash report" tab={`Crash report · ${game.name}`} />}
      {isDeleted && (
        <div role="status">
          <Notice tone="good" title="The report is deleted, with its dump, log and stack." />
        </div>
      )}
      {error !== null && !isDeleted && <Problem error={error} again={() => void refetch()} />}
      {isPending && !isDeleted && <Skeleton h={420} />}
      {data !== undefined && !isDeleted && (
        <Report key={data.crash_id} game={game} crash={data} onDeleted={() => setDeleted(true)} />
      )}
    </Stack>
  );
}

function Report({ game, crash, onDeleted }: { game: OpenGame; crash: Crash; onDeleted: () => void }) {
  const [asks, setAsks] = useState(false);
  const { tone, word } = CRASHES[crash.state];
  const words = sayReason(crash.reason, crash.crash_address);
  return (
    <>
      <PageHead
        title={crash.title}
        tab={`${crash.title} · ${game.name}`}
        marks={
          <span role="status">
            <StateBadge tone={tone}>{word}</StateBadge>
          </span>
        }
      >
        <Button variant="default" onClick={() => setAsks(true)}>
          Delete
        </Button>
      </PageHead>
      {crash.failure !== null && (
        <Notice tone="bad" title="The dump could not be read">
          <Text size="sm">{crash.failure}</Text>
        </Notice>
      )}
      {(words !== null || crash.reason !== null) && (
        <div>
          {words !== null && <Text>{words}</Text>}
          <Text size="sm" c="dimmed" className={classes.code}>
            {crash.reason}
            {crash.crash_address !== null && ` at ${crash.crash_address}`}
          </Text>
        </div>
      )}
      {crash.user_message !== '' && (
        <section aria-label="What the player said">
          <Text size="sm" c="dimmed" mb={4}>
            What the player said
          </Text>
          <div className={classes.words}>
            <blockquote>{crash.user_message}</blockquote>
          </div>
        </section>
      )}
      <Facts facts={factsOf(game, crash)} />
      <CrashDetails game={game} crash={crash} />
      {asks && <DeleteReport game={game} crash={crash} onClose={() => setAsks(false)} onDeleted={onDeleted} />}
    </>
  );
}

const SOURCES: Readonly<Record<Crash['source'], string>> = {
  api: 'The game, over HTTP',
  engine: 'An engine’s reporter',
  breakpad: 'Breakpad',
  crashpad: 'Crashpad',
  unreal: 'Unreal’s CrashReportClient',
};

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
          {crash.version || 'unknown version'}
        </SiteLink>
        {crash.app_version !== '' && crash.app_version !== crash.version && `it says ${crash.app_version}`}
      </Group>,
    ],
    ...(crash.os === '' ? [] : [['Platform', sayPlatform(crash)] as const]),
    ...(crash.engine_version === '' ? [] : [['Engine', crash.engine_version] as const]),
    ...(crash.message === '' ? [] : [['Message', crash.message] as const]),
    ['Received', <Time key="received" at={crash.received_at} />],
    ...(crash.processed_at === null ? [] : [['Read', <Time key="read" at={crash.processed_at} />] as const]),
    ['Sent by', SOURCES[crash.source]],
    ['Report id', <CopyText key="id" text={crash.crash_id} what="report id" />],
  ];
}
