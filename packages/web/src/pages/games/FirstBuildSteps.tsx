// The contents of each step in the guide to the first build.
import { issueDeployKey } from '@chauffeur/contract/operations/deploy-keys';
import { Button, Group, List, Loader, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import type { ListedBuild } from '../builds/build-columns.tsx';
import { IssuedKey } from '../deploy-keys/IssuedKey.tsx';
import classes from './FirstBuild.module.css';
import type { FreshKey, Step, StepState } from './first-build.ts';
import type { OpenGame } from './use-game.ts';

const MARKS: Readonly<Record<StepState, { mark: string; label: string }>> = {
  done: { mark: '✓', label: 'Done' },
  now: { mark: '', label: 'Next' },
  later: { mark: '', label: 'Later' },
  failed: { mark: '!', label: 'Failed' },
};

export function StepItem({ step, title, children }: { step: Step; title: string; children: ReactNode }) {
  const { mark, label } = MARKS[step.state];
  const isWaiting = step.state === 'now' && step.name !== 'key';
  return (
    <li className={classes.step} data-state={step.state} aria-current={step.state === 'now' ? 'step' : undefined}>
      <span className={classes.mark} aria-hidden>
        {isWaiting ? <Loader size={14} /> : mark}
      </span>
      <div className={classes.body}>
        <Text fw={600}>
          {title}
          <VisuallyHidden>: {label}</VisuallyHidden>
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
      {error !== null && <Problem error={error} onRetry={onIssue} />}
      {issued !== null && <IssuedKey issued={issued} />}
      {state === 'now' && (
        <>
          <Text size="sm">
            With this key, a machine such as a CI runner can ship builds of this game and nothing else.
          </Text>
          <Permitted operation={issueDeployKey} to="create it">
            <Group>
              <Button loading={busy} onClick={onIssue}>
                Create deploy key
              </Button>
            </Group>
          </Permitted>
        </>
      )}
      {state === 'done' && issued === null && keyRef !== undefined && (
        <Group gap="sm">
          <Text size="sm">
            Your key begins with <code>{keyRef}</code>. Its secret was only shown once.
          </Text>
          <Permitted operation={issueDeployKey}>
            <Button size="compact-xs" variant="default" loading={busy} onClick={onIssue}>
              Revoke and create a new key
            </Button>
          </Permitted>
        </Group>
      )}
    </Stack>
  );
}

export function Registered({ game, build }: { game: OpenGame; build: ListedBuild }) {
  return (
    <Facts
      facts={[
        [
          'Version',
          <BuildLink key="version" game={game} build={build}>
            {build.version}
          </BuildLink>,
        ],
        ['App ID', <CopyText key="app" text={game.game_uid} label="app ID" />],
        ['Build ID', <CopyText key="build" text={build.build_id} label="build ID" />],
      ]}
    />
  );
}

type BuildLinkProps = { game: OpenGame; build: ListedBuild; children: string };

function BuildLink({ game, build, children }: BuildLinkProps) {
  return (
    <SiteLink
      to="/dev/$slug/builds/$buildId"
      params={{ slug: game.slug, buildId: build.build_id }}
      size="sm"
      underline="always"
    >
      {children}
    </SiteLink>
  );
}

export function Scanned({ game, build, state }: { game: OpenGame; build: ListedBuild; state: StepState }) {
  return (
    <Text size="sm">
      {build.file?.message}.{' '}
      {state === 'failed' && (
        <BuildLink game={game} build={build}>
          View scan result
        </BuildLink>
      )}
    </Text>
  );
}

export function Live({ game, build, onDone }: { game: OpenGame; build: ListedBuild | null; onDone: () => void }) {
  return (
    <Stack gap="sm" align="flex-start">
      {build !== null && <Text size="sm">{`${build.channel} now offers ${build.version}.`}</Text>}
      {game.visibility === 'draft' && <Text size="sm">The game is a draft. Only its members can see it.</Text>}
      <List size="sm" spacing={4}>
        <List.Item>Later builds go live the same way, as soon as they pass their scan.</List.Item>
        <List.Item>
          Upload symbols to make crash reports readable.{' '}
          {build !== null && (
            <BuildLink game={game} build={build}>
              Show the command
            </BuildLink>
          )}
        </List.Item>
      </List>
      <Button onClick={onDone}>Go to overview</Button>
    </Stack>
  );
}
