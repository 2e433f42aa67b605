// Commands to copy, for the shell that the visitor chooses.
import { quote, type Shell } from '@chauffeur/contract/shell';
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { ChauffeurCommand, gameOption } from './ChauffeurCommand.tsx';
import { Choice } from './Choice.tsx';
import { CopyText } from './CopyText.tsx';
import { guessOs } from './platforms.ts';
import { SHELLS } from './shells.ts';

type ShellCommandProps = {
  write: (shell: Shell) => string;
  label?: string;
};

/** Without a choice if the command is the same in all shells. */
export function ShellCommand({ write, label = 'command' }: ShellCommandProps) {
  const [shell, setShell] = useState<Shell>(guessOs(navigator.userAgent) === 'windows' ? 'powershell' : 'sh');
  const isSame = new Set(SHELLS.map(({ value }) => write(value))).size === 1;
  return (
    <Stack gap="xs">
      {!isSame && <Choice label="Shell" value={shell} choices={SHELLS} onChange={setShell} />}
      <CopyText text={write(shell)} label={label} block />
    </Stack>
  );
}

type PushCommandProps = {
  slug: string;
  /** By default a first build for the visitor's own OS. */
  build?: {
    readonly version: string;
    readonly os: string;
    readonly arch: string;
    readonly channel: string;
    readonly build_type: string;
  };
  /** `Title: description` */
  changelog?: string;
};

/** Ships the folder `dist`. A build that is registered already keeps what the command doesn't mention. */
export function PushCommand({ slug, build, changelog }: PushCommandProps) {
  const { version, os, arch } = build ?? { version: '1.0.0', os: guessOs(navigator.userAgent), arch: 'x86_64' };
  const { channel, build_type: type } = build ?? { channel: 'stable', build_type: 'game' };
  const words = [
    ...['chauffeur', 'push', 'dist', '--version', version, '--os', os, '--arch', arch],
    ...(channel === 'stable' ? [] : ['--channel', channel]),
    ...(type === 'game' ? [] : ['--type', type]),
    ...(changelog === undefined ? [] : ['--changelog', changelog]),
    ...gameOption(slug),
  ];
  return (
    <ChauffeurCommand>
      <ShellCommand write={(shell) => words.map((word) => quote(word, shell)).join(' ')} />
    </ChauffeurCommand>
  );
}
