// The guide to a game's first build: each step with its commands, checked off when the server sees it happen.
import { ARCHES } from '@chauffeur/contract/identity';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { getCli } from '@chauffeur/contract/operations/cli';
import { issueDeployKey, listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { PAGES } from '@chauffeur/contract/pages';
import type { Shell } from '@chauffeur/contract/shell';
import { Button, Group, List, Loader, NativeSelect, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { Choice } from '../../ui/Choice.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { guessOs, OS_CHOICES } from '../../ui/platforms.ts';
import { SHELLS } from '../../ui/ShellCommand.tsx';
import { DocLink, SiteLink } from '../../ui/SiteLink.tsx';
import type { ListedBuild } from '../builds/build-columns.tsx';
import { IssuedKey, useIssueKey } from '../deploy-keys/IssuedKey.tsx';
import { ENGINE_CHOICES } from './engine-choices.ts';
import classes from './FirstBuild.module.css';
import {
  type BuildChoice,
  buildCommand,
  ciWorkflow,
  credentialCommands,
  type Engine,
  type FirstBuildStep,
  type FreshKey,
  gitlabJob,
  idFileOf,
  pushCommand,
  type StepState,
  stepsOf,
} from './first-build-steps.ts';
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
            {step.name === 'uploaded' && step.state === 'now' && (
              <Text size="sm">Compile the game, then run the push command above.</Text>
            )}
            {step.name === 'uploaded' && build?.file != null && <Text size="sm">{build.file.filename}</Text>}
            {step.name === 'scanned' && build?.file != null && <Scanned game={game} build={build} state={step.state} />}
            {step.name === 'live' && step.state === 'done' && <Live game={game} build={build} onDone={onDone} />}
          </StepItem>
        ))}
      </ol>
    </Stack>
  );
}

const TITLES: Readonly<Record<FirstBuildStep['name'], string>> = {
  key: 'Create a deploy key',
  registered: 'Register the build',
  uploaded: 'Upload the file',
  scanned: 'Pass the virus scan',
  live: 'Go live on the channel',
};

function formatNextStep(steps: readonly FirstBuildStep[], build: ListedBuild | null): string {
  const next = steps.find(({ state }) => state !== 'done')?.name;
  if (next === 'key') return 'Five steps to your first build. This page updates automatically.';
  if (next === 'registered') return 'Waiting for the build. Run the commands below. This page updates automatically.';
  if (next === 'uploaded')
    return `Version ${build?.version} is registered. Compile the game, then run the push command.`;
  if (next === undefined) return `Version ${build?.version} is live on ${build?.channel}.`;
  if (build?.state === 'rejected') return 'The file was rejected. Fix the build, then run the push command again.';
  return `Version ${build?.version} is being processed.`;
}

const MARKS: Readonly<Record<StepState, { mark: string; label: string }>> = {
  done: { mark: '✓', label: 'Done' },
  now: { mark: '', label: 'Next' },
  later: { mark: '', label: 'Later' },
  failed: { mark: '!', label: 'Failed' },
};

/** The contents of each step in the guide to the first build. */
function StepItem({ step, title, children }: { step: FirstBuildStep; title: string; children: ReactNode }) {
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

function KeyStep({ state, keyRef, issued, busy, error, onIssue }: KeyStepProps) {
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

function Registered({ game, build }: { game: OpenGame; build: ListedBuild }) {
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

function Scanned({ game, build, state }: { game: OpenGame; build: ListedBuild; state: StepState }) {
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

function Live({ game, build, onDone }: { game: OpenGame; build: ListedBuild | null; onDone: () => void }) {
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

type Environment = Shell | 'github' | 'gitlab';

const ENVIRONMENTS: { value: Environment; label: string }[] = [
  ...SHELLS,
  { value: 'github', label: 'GitHub Actions' },
  { value: 'gitlab', label: 'GitLab CI' },
];

/**
 * The shell of the commands. Builds for a desktop are mostly shipped from its OS, and others from the visitor's
 * machine.
 */
function shellFor(os: string): Shell {
  const system = os === 'windows' || os === 'macos' || os === 'linux' ? os : guessOs(navigator.userAgent);
  return system === 'windows' ? 'powershell' : 'sh';
}

/** The page of the documentation about each engine. */
const GUIDES: Readonly<Record<Engine, string>> = {
  unity: 'unity',
  unreal: 'unreal',
  godot: 'godot',
  c: 'cpp',
  electron: 'electron',
  web: 'javascript',
  other: 'engines',
};

type ShipCommandsProps = {
  /** Null if the key was created earlier: its secret is no longer known. */
  issued: FreshKey | null;
  /** The build that is already registered; null if there isn't one yet. */
  build: Pick<BuildChoice, 'version' | 'os' | 'arch'> | null;
};

/**
 * The commands that ship a build, for a shell or as a CI workflow. The developer picks version, platform and folder.
 */
function ShipCommands({ issued, build }: ShipCommandsProps) {
  const [choice, setChoice] = useState<BuildChoice>({
    version: build?.version ?? '1.0.0',
    os: build?.os ?? guessOs(navigator.userAgent),
    arch: build?.arch ?? 'x86_64',
    engine: 'other',
    folder: 'dist',
  });
  /** Null while the OS decides. */
  const [chosen, setChosen] = useState<Environment | null>(null);
  const environment = chosen ?? shellFor(choice.os);
  const change = (name: keyof BuildChoice) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    setChoice((before) => ({ ...before, [name]: value }));
  };
  return (
    <Stack gap="sm">
      <div className={classes.choices}>
        <NativeSelect
          size="xs"
          label="Engine"
          data={ENGINE_CHOICES}
          value={choice.engine}
          onChange={({ currentTarget: { value } }) => setChoice((before) => ({ ...before, engine: value as Engine }))}
        />
        <TextInput size="xs" label="Version" maxLength={32} value={choice.version} onChange={change('version')} />
        <NativeSelect size="xs" label="OS" data={OS_CHOICES} value={choice.os} onChange={change('os')} />
        <NativeSelect size="xs" label="Architecture" data={[...ARCHES]} value={choice.arch} onChange={change('arch')} />
        <TextInput size="xs" label="Game folder" value={choice.folder} onChange={change('folder')} />
      </div>
      <Choice label="Environment" value={environment} choices={ENVIRONMENTS} onChange={setChosen} />
      {environment === 'github' || environment === 'gitlab' ? (
        <>
          <Text size="sm">
            Store the access token and the secret key as the{' '}
            {environment === 'github' ? 'repository secrets' : 'masked variables'} <code>SERVICE_ACCESS_TOKEN</code> and{' '}
            <code>SERVICE_SECRET_KEY</code>.
          </Text>
          <CopyText
            text={(environment === 'github' ? ciWorkflow : gitlabJob)(location.origin, choice)}
            label="CI workflow"
            block
          />
        </>
      ) : (
        <>
          <InstallLine shell={environment} />
          <Text size="sm">
            {issued === null
              ? '2. Set your credentials. Replace each … with the access token and the secret key.'
              : '2. Set your credentials.'}
          </Text>
          <CopyText
            text={credentialCommands(`${location.origin}/api/v1`, issued, environment)}
            label="credentials"
            block
          />
          <Text size="sm">
            3. Register the build. This writes its ID into <code>{idFileOf(choice)}</code>, from which the game{' '}
            <DocLink page={GUIDES[choice.engine]}>reads it</DocLink> for crash reports and events.
          </Text>
          <CopyText text={buildCommand(choice, environment)} label="build command" block />
          <Text size="sm">
            4. Compile or export the game into <code>{choice.folder}</code>.
          </Text>
          <Text size="sm">5. Upload the folder and wait for the scan.</Text>
          <CopyText text={pushCommand(choice, environment)} label="push command" block />
        </>
      )}
    </Stack>
  );
}

/**
 * How `chauffeur` is installed in each shell. The Command Prompt can't download and run a script in one line, but npm
 * works there.
 */
const INSTALL = { sh: 'sh', powershell: 'powershell', cmd: 'npm' } as const;

function InstallLine({ shell }: { shell: Shell }) {
  const { data } = useQuery(ask(getCli, {}));
  return (
    <>
      <Text size="sm">
        1. Install the command, or choose{' '}
        <SiteLink to={PAGES.cli} target="_blank">
          another way
        </SiteLink>
        .
      </Text>
      {data !== undefined && <CopyText text={data.install[INSTALL[shell]]} label="install command" block />}
    </>
  );
}
