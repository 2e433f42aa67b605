// The lines that ship a build, for what the developer says of it: to be run by hand, or as a recipe for CI.
import { ARCHES, OSES } from '@chauffeur/contract/identity';
import { sayOs } from '@chauffeur/contract/platform-words';
import { NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { guessOs } from '../../ui/platforms.ts';
import classes from './FirstBuild.module.css';
import { type Choice, ciRecipe, type FreshKey, keyLines, registerLines, uploadLines } from './first-build.ts';

const OS_CHOICES = OSES.map((os) => ({ value: os, label: sayOs(os) }));

type ShipLinesProps = {
  issued: FreshKey | null;
  /** The one that was begun with; null before. */
  build: Pick<Choice, 'version' | 'os' | 'arch'> | null;
};

export function ShipLines({ issued, build }: ShipLinesProps) {
  const [choice, setChoice] = useState<Choice>({
    version: build?.version ?? '1.0.0',
    os: build?.os ?? guessOs(navigator.userAgent),
    arch: build?.arch ?? 'x86_64',
    folder: 'dist',
  });
  const [where, setWhere] = useState('terminal');
  const change = (name: keyof Choice) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    setChoice((before) => ({ ...before, [name]: value }));
  };
  const api = `${location.origin}/api/v1`;
  return (
    <Stack gap="sm">
      <div className={classes.choices}>
        <TextInput size="xs" label="Version" maxLength={32} value={choice.version} onChange={change('version')} />
        <NativeSelect size="xs" label="System" data={OS_CHOICES} value={choice.os} onChange={change('os')} />
        <NativeSelect size="xs" label="Processor" data={[...ARCHES]} value={choice.arch} onChange={change('arch')} />
        <TextInput size="xs" label="Folder of the game" value={choice.folder} onChange={change('folder')} />
      </div>
      <SegmentedControl
        size="xs"
        aria-label="Where it runs"
        value={where}
        onChange={setWhere}
        data={[
          { value: 'terminal', label: 'Terminal' },
          { value: 'ci', label: 'GitHub Actions' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {where === 'ci' ? (
        <>
          <Text size="sm">
            Keep the access token and the secret as the repository’s secrets <code>SERVICE_ACCESS_TOKEN</code> and{' '}
            <code>SERVICE_SECRET_KEY</code>.
          </Text>
          <CopyText text={ciRecipe(api, choice)} what="CI recipe" whole />
        </>
      ) : (
        <>
          <Text size="sm">
            1. Tell the command which game{issued === null ? '; fill in the two halves of the key' : ''}.
          </Text>
          <CopyText text={keyLines(api, issued)} what="settings" whole />
          <Text size="sm">2. Register the build.</Text>
          <CopyText text={registerLines(choice)} what="lines that register the build" whole />
          <Text size="sm">3. Zip the folder, upload it, and wait for its scan.</Text>
          <CopyText text={uploadLines(choice)} what="lines that upload the build" whole />
        </>
      )}
    </Stack>
  );
}
