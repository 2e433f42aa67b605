// Commands to copy, for the shell that the visitor chooses, and the commands of `chauffeur` that pages show.
import { PAGES } from '@chauffeur/contract/pages';
import { quote, type Shell } from '@chauffeur/contract/shell';
import { Code, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Choice } from './Choice.tsx';
import { CopyText } from './CopyText.tsx';
import { guessOs } from './platforms.ts';
import { SiteLink } from './SiteLink.tsx';

type ShellCommandProps = {
  write: (shell: Shell) => string;
  label?: string;
};

/** Offers no choice if the command is the same in all shells. */
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
  /** The build to push; by default, a first build for the visitor's own OS. */
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

/**
 * A command that ships the folder `dist`. A build that is registered already keeps what the command doesn't mention.
 */
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

/** Explains below a command how to install `chauffeur` and sign it in. */
function ChauffeurCommand({ children }: { children: ReactNode }) {
  return (
    <Stack gap="xs">
      {children}
      <Text size="sm" c="dimmed">
        <SiteLink to={PAGES.cli} size="sm" underline="always">
          Install chauffeur
        </SiteLink>{' '}
        first, and sign in with <Code>{signInCommand()}</Code>.
      </Text>
    </Stack>
  );
}

export function signInCommand(): string {
  return `chauffeur login ${location.origin.replace('https://', '')}`;
}

/** People with several games need this option. */
function gameOption(slug: string): readonly [string, string] {
  return ['--game', slug];
}

/** The command that uploads the folder `symbols`, which is the same in all shells. */
export function SymbolsCommand({ slug, buildId }: { slug: string; buildId: string }) {
  const words = ['chauffeur symbols --build-id', buildId, 'symbols', ...gameOption(slug)];
  return (
    <ChauffeurCommand>
      <CopyText text={words.join(' ')} label="command that uploads symbols" block />
    </ChauffeurCommand>
  );
}

/** The shells that visitors choose from. */
export const SHELLS: readonly { readonly value: Shell; readonly label: string }[] = [
  { value: 'sh', label: 'bash' },
  { value: 'powershell', label: 'PowerShell' },
  { value: 'cmd', label: 'Command Prompt' },
];
