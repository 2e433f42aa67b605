// The commands that ship a build, for a terminal or as a CI workflow. The developer picks version, platform and folder.
import { ARCHES } from '@chauffeur/contract/identity';
import { NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { guessOs, OS_CHOICES } from '../../ui/platforms.ts';
import classes from './FirstBuild.module.css';
import {
  type BuildChoice,
  ciWorkflow,
  credentialCommands,
  type FreshKey,
  registerCommands,
  uploadCommands,
} from './first-build.ts';

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
  const [environment, setEnvironment] = useState('terminal');
  const change = (name: keyof BuildChoice) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    setChoice((before) => ({ ...before, [name]: value }));
  };
  const api = `${location.origin}/api/v1`;
  return (
    <Stack gap="sm">
      <div className={classes.choices}>
        <TextInput size="xs" label="Version" maxLength={32} value={choice.version} onChange={change('version')} />
        <NativeSelect size="xs" label="OS" data={OS_CHOICES} value={choice.os} onChange={change('os')} />
        <NativeSelect size="xs" label="Architecture" data={[...ARCHES]} value={choice.arch} onChange={change('arch')} />
        <TextInput size="xs" label="Game folder" value={choice.folder} onChange={change('folder')} />
      </div>
      <SegmentedControl
        size="xs"
        aria-label="Environment"
        value={environment}
        onChange={setEnvironment}
        data={[
          { value: 'terminal', label: 'Terminal' },
          { value: 'ci', label: 'GitHub Actions' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {environment === 'ci' ? (
        <>
          <Text size="sm">
            Store the access token and the secret key as the repository secrets <code>SERVICE_ACCESS_TOKEN</code> and{' '}
            <code>SERVICE_SECRET_KEY</code>.
          </Text>
          <CopyText text={ciWorkflow(api, choice)} label="CI workflow" block />
        </>
      ) : (
        <>
          <Text size="sm">
            {issued === null
              ? '1. Set your credentials. Replace each … with the access token and the secret key.'
              : '1. Set your credentials.'}
          </Text>
          <CopyText text={credentialCommands(api, issued)} label="credentials" block />
          <Text size="sm">2. Register the build.</Text>
          <CopyText text={registerCommands(choice)} label="register commands" block />
          <Text size="sm">3. Zip and upload the folder, then wait for the scan.</Text>
          <CopyText text={uploadCommands(choice)} label="upload commands" block />
        </>
      )}
    </Stack>
  );
}
