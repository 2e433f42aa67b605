// Leads to a game's first build: the next step with the lines to copy, and a tick for each thing that really happened.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { Button, Group, List, Loader, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { IssuedKey } from '../deploy-keys/IssuedKey.tsx';
import { useIssueKey } from '../deploy-keys/use-issue-key.ts';
import classes from './FirstBuild.module.css';
import { type FreshKey, type Step, type StepState, stepsOf } from './first-build.ts';
import { ShipLines } from './ShipLines.tsx';
import type { OpenGame } from './use-game.ts';

const POLL_MS = 1500;

type Build = OutputOf<typeof listGameBuilds>['builds'][number];

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
  registered: 'Register and upload the build',
  uploaded: 'The file has arrived',
  scanned: 'Its scan has ended',
  live: 'Live on its channel',
};

function sayNext(steps: readonly Step[], build: Build | null): string {
  const next = steps.find(({ state }) => state !== 'done')?.name;
  if (next === 'key') return 'Five steps; each is ticked when the service sees it happen.';
  if (next === 'registered') return 'Waiting for the build. Run the lines below; this page follows by itself.';
  if (next === undefined) return `Version ${build?.version} is what players get on ${build?.channel}.`;
  if (build?.state === 'rejected') return 'The file was rejected. Mend the build and run the last two lines again.';
  return `Version ${build?.version} is on its way.`;
}

const MARKS: Readonly<Record<StepState, { mark: string; says: string }>> = {
  done: { mark: '✓', says: 'Done' },
  now: { mark: '', says: 'Next' },
  later: { mark: '', says: 'Later' },
  failed: { mark: '!', says: 'Failed' },
};

function StepItem({ step, title, children }: { step: Step; title: string; children: ReactNode }) {
  const { mark, says } = MARKS[step.state];
  const waits = step.state === 'now' && step.name !== 'key';
  return (
    <li className={classes.step} data-state={step.state} aria-current={step.state === 'now' ? 'step' : undefined}>
      <span className={classes.mark} aria-hidden>
        {waits ? <Loader size={14} /> : mark}
      </span>
      <div className={classes.body}>
        <Text fw={600}>
          {title}
          <VisuallyHidden>: {says}</VisuallyHidden>
        </Text>
        {children}
      </div>
    </li>
  );
}

type KeyStepProps = {
  state: StepState;
  keyRef: string | undefined;
  issued: FreshKey | null;
  busy: boolean;
  error: Error | null;
  onIssue: () => void;
};

function KeyStep({ state, keyRef, issued, busy, error, onIssue }: KeyStepProps) {
  return (
    <Stack gap="sm">
      {error !== null && <Problem error={error} again={onIssue} />}
      {issued !== null && <IssuedKey issued={issued} />}
      {state === 'now' && (
        <>
          <Text size="sm">With it a machine ships builds of this game, and nothing else.</Text>
          <Group>
            <Button loading={busy} onClick={onIssue}>
              Issue the deploy key
            </Button>
          </Group>
        </>
      )}
      {state === 'done' && issued === null && keyRef !== undefined && (
        <Group gap="sm">
          <Text size="sm">
            The key that begins with <code>{keyRef}</code>. Its secret was shown once.
          </Text>
          <Button size="compact-xs" variant="default" loading={busy} onClick={onIssue}>
            Lost it? Issue another, which ends this one
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function Registered({ game, build }: { game: OpenGame; build: Build }) {
  return (
    <Facts
      facts={[
        ['Version', <BuildLink key="version" game={game} build={build} />],
        ['App id', <CopyText key="app" text={game.game_uid} what="app id" />],
        ['Build id', <CopyText key="build" text={build.build_id} what="build id" />],
      ]}
    />
  );
}

function BuildLink({ game, build }: { game: OpenGame; build: Build }) {
  return (
    <SiteLink
      to="/dev/$slug/builds/$buildId"
      params={{ slug: game.slug, buildId: build.build_id }}
      size="sm"
      underline="always"
    >
      {build.version}
    </SiteLink>
  );
}

function Scanned({ game, build, state }: { game: OpenGame; build: Build; state: StepState }) {
  return (
    <Text size="sm">
      {build.file?.message}.{' '}
      {state === 'failed' && (
        <SiteLink
          to="/dev/$slug/builds/$buildId"
          params={{ slug: game.slug, buildId: build.build_id }}
          size="sm"
          underline="always"
        >
          What the scan found
        </SiteLink>
      )}
    </Text>
  );
}

function Live({ game, build, onDone }: { game: OpenGame; build: Build | null; onDone: () => void }) {
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        {build?.channel} points at {build?.version} now
        {game.visibility === 'draft' ? '. The game is a draft: only its owner and admins see it' : ''}.
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>Every later build goes the same way: its channel moves on when its scan has passed.</List.Item>
        <List.Item>
          Symbols make crash reports readable; the page of <BuildLinkText game={game} build={build} /> has the command.
        </List.Item>
      </List>
      <Button onClick={onDone}>Go to the overview</Button>
    </Stack>
  );
}

function BuildLinkText({ game, build }: { game: OpenGame; build: Build | null }) {
  return build === null ? 'the build' : <BuildLink game={game} build={build} />;
}
