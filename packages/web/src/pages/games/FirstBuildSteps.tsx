// What stands in each step of a first build.
import { Button, Group, List, Loader, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import type { ListedBuild } from '../builds/BuildRow.tsx';
import { IssuedKey } from '../deploy-keys/IssuedKey.tsx';
import classes from './FirstBuild.module.css';
import type { FreshKey, Step, StepState } from './first-build.ts';
import type { OpenGame } from './use-game.ts';

const MARKS: Readonly<Record<StepState, { mark: string; says: string }>> = {
  done: { mark: '✓', says: 'Done' },
  now: { mark: '', says: 'Next' },
  later: { mark: '', says: 'Later' },
  failed: { mark: '!', says: 'Failed' },
};

export function StepItem({ step, title, children }: { step: Step; title: string; children: ReactNode }) {
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

export function KeyStep({ state, keyRef, issued, busy, error, onIssue }: KeyStepProps) {
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

export function Registered({ game, build }: { game: OpenGame; build: ListedBuild }) {
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

function BuildLink({ game, build }: { game: OpenGame; build: ListedBuild }) {
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

export function Scanned({ game, build, state }: { game: OpenGame; build: ListedBuild; state: StepState }) {
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

export function Live({ game, build, onDone }: { game: OpenGame; build: ListedBuild | null; onDone: () => void }) {
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

function BuildLinkText({ game, build }: { game: OpenGame; build: ListedBuild | null }) {
  return build === null ? 'the build' : <BuildLink game={game} build={build} />;
}
