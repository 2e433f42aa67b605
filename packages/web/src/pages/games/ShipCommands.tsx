// The commands that ship a build, for a shell or as a CI workflow. The developer picks version, platform and folder.
import { ARCHES } from '@chauffeur/contract/identity';
import { PAGES } from '@chauffeur/contract/pages';
import type { Shell } from '@chauffeur/contract/shell';
import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { guessOs, OS_CHOICES } from '../../ui/platforms.ts';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { SHELLS } from '../../ui/shells.ts';
import classes from './FirstBuild.module.css';
import { type BuildChoice, ciWorkflow, credentialCommands, type FreshKey, pushCommand } from './first-build.ts';

type Environment = Shell | 'ci';

const ENVIRONMENTS: { value: Environment; label: string }[] = [...SHELLS, { value: 'ci', label: 'GitHub Actions' }];

type ShipCommandsProps = {
  /** Null if the key was created earlier: its secret is no longer known. */
  issued: FreshKey | null;
  /** A build that is already registered; null before. */
  build: Pick<BuildChoice, 'version' | 'os' | 'arch'> | null;
};

export function ShipCommands({ issued, build }: ShipCommandsProps) {
  const [choice, setChoice] = useState<BuildChoice>({
    version: build?.version ?? '1.0.0',
    os: build?.os ?? guessOs(navigator.userAgent),
    arch: build?.arch ?? 'x86_64',
    folder: 'dist',
  });
  const [environment, setEnvironment] = useState<Environment>(
    guessOs(navigator.userAgent) === 'windows' ? 'powershell' : 'sh',
  );
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
        <NativeSelect
          size="xs"
          label="Environment"
          data={ENVIRONMENTS}
          value={environment}
          onChange={(event) => setEnvironment(event.currentTarget.value as Environment)}
        />
      </div>
      {environment === 'ci' ? (
        <>
          <Text size="sm">
            Store the access token and the secret key as the repository secrets <code>SERVICE_ACCESS_TOKEN</code> and{' '}
            <code>SERVICE_SECRET_KEY</code>.
          </Text>
          <CopyText text={ciWorkflow(location.origin, choice)} label="CI workflow" block />
        </>
      ) : (
        <>
          <Text size="sm">
            1.{' '}
            <SiteLink to={PAGES.cli} target="_blank">
              Install the command
            </SiteLink>
            .
          </Text>
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
