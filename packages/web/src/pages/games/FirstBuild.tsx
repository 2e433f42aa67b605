// The guide to a game's first build: each step with its commands, checked off when the server sees it happen.
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import type { ListedBuild } from '../builds/build-columns.tsx';
import { useIssueKey } from '../deploy-keys/use-issue-key.ts';
import classes from './FirstBuild.module.css';
import { KeyStep, Live, Registered, Scanned, StepItem } from './FirstBuildSteps.tsx';
import { type Step, stepsOf } from './first-build.ts';
import { ShipCommands } from './ShipCommands.tsx';
import type { OpenGame } from './use-game.ts';

const POLL_MS = 3000;

export function FirstBuild({ game, onDone }: { game: OpenGame; onDone: () => void }) {
  const uid = game.game_uid;
  const live = { refetchInterval: useLiveInterval(POLL_MS), meta: follow('builds') };
  const keys = useQuery({ ...ask(listDeployKeys, { uid }), ...live });
  const builds = useQuery({ ...ask(listGameBuilds, { uid, page_size: 1 }), ...live });
  const channels = useQuery({ ...ask(listChannels, { uid }), ...live });
  const issuing = useIssueKey(uid);
  const error = keys.error ?? builds.error ?? channels.error;
  const active = keys.data?.deploy_keys.find(({ revoked_at }) => revoked_at === null);
  const build = builds.data?.builds[0] ?? null;
  const steps = stepsOf({ hasKey: active !== undefined, build, pointers: channels.data?.channels ?? [] });
  // The commands stay until the last of them has been run.
  const showsCommands = steps.some(
    ({ name, state }) => (state === 'now' && (name === 'registered' || name === 'uploaded')) || state === 'failed',
  );
  const isLive = steps.every(({ state }) => state === 'done');
  const issued = issuing.data ?? null;
  const key = issuing.isPending ? null : issued;
  return (
    <Stack gap="lg">
      <PageHead
        title={isLive ? 'Your first build is live' : 'Ship your first build'}
        tabTitle={`First build · ${game.name}`}
      />
      {error !== null && (
        <Problem
          error={error}
          onRetry={() => void Promise.all([keys, builds, channels].map((query) => query.refetch()))}
        />
      )}
      <p role="status" className={classes.status}>
        {formatNextStep(steps, build)}
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
                onIssue={() => issuing.mutate(false)}
              />
            )}
            {step.name === 'registered' && showsCommands && <ShipCommands issued={key} build={build} />}
            {step.name === 'registered' && build !== null && <Registered game={game} build={build} />}
            {step.name === 'uploaded' && step.state === 'now' && <Text size="sm">Run the push command above.</Text>}
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
  key: 'Create a deploy key',
  registered: 'Register the build',
  uploaded: 'Upload the file',
  scanned: 'Pass the virus scan',
  live: 'Go live on the channel',
};

function formatNextStep(steps: readonly Step[], build: ListedBuild | null): string {
  const next = steps.find(({ state }) => state !== 'done')?.name;
  if (next === 'key') return 'Five steps to your first build. This page updates automatically.';
  if (next === 'registered') return 'Waiting for the build. Run the commands below. This page updates automatically.';
  if (next === 'uploaded') return `Version ${build?.version} is registered. Run the push command to upload its files.`;
  if (next === undefined) return `Version ${build?.version} is live on ${build?.channel}.`;
  if (build?.state === 'rejected') return 'The file was rejected. Fix the build, then run the push command again.';
  return `Version ${build?.version} is being processed.`;
}
