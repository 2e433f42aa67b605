// Leads to a game's first build: the next step with the lines to copy, and a tick for each thing that really happened.
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import type { ListedBuild } from '../builds/BuildRow.tsx';
import { useIssueKey } from '../deploy-keys/use-issue-key.ts';
import classes from './FirstBuild.module.css';
import { KeyStep, Live, Registered, Scanned, StepItem } from './FirstBuildSteps.tsx';
import { type Step, stepsOf } from './first-build.ts';
import { ShipLines } from './ShipLines.tsx';
import type { OpenGame } from './use-game.ts';

const POLL_MS = 1500;

export function FirstBuild({ game, onDone }: { game: OpenGame; onDone: () => void }) {
  const uid = game.game_uid;
  const keys = useQuery({ ...ask(listDeployKeys, { uid }), refetchInterval: POLL_MS });
  const builds = useQuery({ ...ask(listGameBuilds, { uid, page_size: 1 }), refetchInterval: POLL_MS });
  const channels = useQuery({ ...ask(listChannels, { uid }), refetchInterval: POLL_MS });
  const issuing = useIssueKey(uid);
  const error = keys.error ?? builds.error ?? channels.error;
  const active = keys.data?.deploy_keys.find(({ revoked_at }) => revoked_at === null);
  const build = builds.data?.builds[0] ?? null;
  const steps = stepsOf({ hasKey: active !== undefined, build, pointers: channels.data?.channels ?? [] });
  // The lines stay until the last of them has done its work.
  const ships = steps.some(
    ({ name, state }) => (state === 'now' && (name === 'registered' || name === 'uploaded')) || state === 'failed',
  );
  const isLive = steps.every(({ state }) => state === 'done');
  const issued = issuing.data ?? null;
  const key = issuing.isPending ? null : issued;
  return (
    <Stack gap="lg">
      <PageHead title={isLive ? 'The first build is live' : 'Ship the first build'} tab={game.name} />
      {error !== null && (
        <Problem
          error={error}
          again={() => void Promise.all([keys, builds, channels].map((query) => query.refetch()))}
        />
      )}
      <p role="status" className={classes.status}>
        {sayNext(steps, build)}
      </p>
      <ol className={classes.steps}>
        {steps.map((step) => (
          <StepItem key={step.name} step={step} title={TITLES[step.name]}>
            {step.name === 'key' && (
              <KeyStep
                state={step.state}
                keyRef={active?.key_ref}
                issued={key}
                busy={issuing.isPending}
                error={issuing.error}
                onIssue={() => issuing.mutate()}
              />
            )}
            {step.name === 'registered' && ships && <ShipLines issued={key} build={build} />}
            {step.name === 'registered' && build !== null && <Registered game={game} build={build} />}
            {step.name === 'uploaded' && step.state === 'now' && <Text size="sm">The third block above sends it.</Text>}
            {step.name === 'uploaded' && build?.file != null && <Text size="sm">{build.file.filename}</Text>}
            {step.name === 'scanned' && build?.file != null && <Scanned game={game} build={build} state={step.state} />}
            {step.name === 'live' && step.state === 'done' && <Live game={game} build={build} onDone={onDone} />}
          </StepItem>
        ))}
      </ol>
    </Stack>
  );
}

const TITLES: Readonly<Record<Step['name'], string>> = {
  key: 'Issue the deploy key',
  registered: 'The build is registered',
  uploaded: 'The file has arrived',
  scanned: 'Its scan has ended',
  live: 'Live on its channel',
};

function sayNext(steps: readonly Step[], build: ListedBuild | null): string {
  const next = steps.find(({ state }) => state !== 'done')?.name;
  if (next === 'key') return 'Five steps; each is ticked when the service sees it happen.';
  if (next === 'registered') return 'Waiting for the build. Run the lines below; this page follows by itself.';
  if (next === 'uploaded') return `Version ${build?.version} is registered. Run the last two lines to send its file.`;
  if (next === undefined) return `Version ${build?.version} is live on ${build?.channel}.`;
  if (build?.state === 'rejected') return 'The file was rejected. Mend the build and run the last two lines again.';
  return `Version ${build?.version} is on its way.`;
}
