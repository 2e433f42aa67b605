// The commands that ship a build, for a shell or as a CI workflow. The developer picks version, platform and folder.
import { ARCHES } from '@chauffeur/contract/identity';
import { PAGES } from '@chauffeur/contract/pages';
import type { Shell } from '@chauffeur/contract/shell';
import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Choice } from '../../ui/Choice.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { guessOs, OS_CHOICES } from '../../ui/platforms.ts';
import { SHELLS } from '../../ui/ShellCommand.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { cliQuery } from '../cli/cli-query.ts';
import classes from './FirstBuild.module.css';
import {
  type BuildChoice,
  ciWorkflow,
  credentialCommands,
  type FreshKey,
  gitlabJob,
  pushCommand,
} from './first-build.ts';

type Environment = Shell | 'github' | 'gitlab';

const ENVIRONMENTS: { value: Environment; label: string }[] = [
  ...SHELLS,
  { value: 'github', label: 'GitHub Actions' },
  { value: 'gitlab', label: 'GitLab CI' },
];

/** Builds for a desktop are mostly shipped from there; others from the visitor's own machine. */
function shellFor(os: string): Shell {
  const system = os === 'windows' || os === 'macos' || os === 'linux' ? os : guessOs(navigator.userAgent);
  return system === 'windows' ? 'powershell' : 'sh';
}

type ShipCommandsProps = {
  /** Null if the key was created earlier: its secret is no longer known. */
  issued: FreshKey | null;
  /** The build that is already registered; null if there isn't one yet. */
  build: Pick<BuildChoice, 'version' | 'os' | 'arch'> | null;
};

export function ShipCommands({ issued, build }: ShipCommandsProps) {
  const [choice, setChoice] = useState<BuildChoice>({
    version: build?.version ?? '1.0.0',
    os: build?.os ?? guessOs(navigator.userAgent),
    arch: build?.arch ?? 'x86_64',
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
          <Text size="sm">3. Register the build, upload the folder and wait for the scan.</Text>
          <CopyText text={pushCommand(choice, environment)} label="push command" block />
        </>
      )}
    </Stack>
  );
}

/** The Command Prompt has nothing that downloads and runs a script in one line; npm works there. */
const INSTALL = { sh: 'sh', powershell: 'powershell', cmd: 'npm' } as const;

function InstallLine({ shell }: { shell: Shell }) {
  const { data } = useQuery(cliQuery);
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
