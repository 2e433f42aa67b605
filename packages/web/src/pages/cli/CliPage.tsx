// How to install the `chauffeur` command, with the way that fits the visitor's OS first.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getCli } from '@chauffeur/contract/operations/cli';
import { Anchor, Code, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { PageHead, Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { guessOs } from '../../ui/platforms.ts';
import { signInCommand } from '../../ui/ShellCommand.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';

type Cli = OutputOf<typeof getCli>;
type CliFile = Cli['files'][number];

const PLATFORM_NAMES: Readonly<Record<CliFile['platform'], string>> = {
  npm: 'Node 22 and newer',
  'linux-x64': 'Linux, x86-64',
  'linux-arm64': 'Linux, ARM64',
  'macos-arm64': 'macOS, Apple silicon',
  'macos-x64': 'macOS, Intel',
  'windows-x64': 'Windows, x86-64',
};

const COLUMNS: readonly Column<CliFile>[] = [
  { header: 'For', cell: ({ platform }) => PLATFORM_NAMES[platform] },
  { header: 'File', cell: ({ name, url }) => <Anchor href={url}>{name}</Anchor>, overflow: 'anywhere' },
  { header: 'Size', cell: ({ size }) => <Bytes count={size} />, align: 'right', overflow: 'nowrap' },
  { header: 'SHA-256', cell: ({ sha256 }) => <CopyText text={sha256} label="SHA-256" />, hiddenBelow: 'sm' },
];

export function CliPage() {
  const { data, error, refetch, isPending } = useQuery(ask(getCli, {}));
  return (
    <Stack gap="xl" maw={800}>
      <PageHead title="Install chauffeur" />
      <Text>
        The command ships builds, symbols and store images, from your own machine or from CI. Paste one of these lines
        into a terminal. <DocLink page="cli">The guide</DocLink> explains the rest.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={405} />}
      {data !== undefined && <InstallLines cli={data} />}
      {error === null && (
        <Section title="Files">
          <DataTable
            label="Files"
            keepsColumns
            columns={COLUMNS}
            rows={data?.files}
            rowKey={({ name }) => name}
            isLoading={isPending}
          />
          <Text size="sm" c="dimmed">
            The programs are compressed with gzip. <Anchor href="/cli/SHA256SUMS">SHA256SUMS</Anchor> has the checksums
            for <Code>sha256sum --check</Code>. The two install scripts check them too.
          </Text>
        </Section>
      )}
    </Stack>
  );
}

function InstallLines({ cli: { version, install, files } }: { cli: Cli }) {
  const hasPrograms = files.some(({ platform }) => platform !== 'npm');
  const unix = {
    title: 'Linux and macOS',
    line: install.sh,
    note: hasPrograms ? 'Installs the program in ~/.local/bin.' : 'Needs Node 22 or newer.',
  };
  const windows = {
    title: 'Windows (PowerShell)',
    line: install.powershell,
    note: hasPrograms ? 'Installs the program for your user and adds it to PATH.' : 'Needs Node 22 or newer.',
  };
  const npm = { title: 'With npm', line: install.npm, note: 'Needs Node 22 or newer.' };
  const ways = guessOs(navigator.userAgent) === 'windows' ? [windows, unix, npm] : [unix, windows, npm];
  return (
    <>
      {ways.map(({ title, line, note }) => (
        <Section key={title} title={title}>
          <CopyText text={line} label={`the line for ${title}`} block />
          <Text size="sm" c="dimmed">
            {note}
          </Text>
        </Section>
      ))}
      <Section title="Sign in">
        <CopyText text={signInCommand()} label="the line that signs in" block />
        <Text size="sm" c="dimmed">
          On your own machine. CI uses a <DocLink page="ci">deploy key</DocLink> instead.
        </Text>
      </Section>
      <Text size="sm">Version {version}. It works with this server and with others of the same major version.</Text>
    </>
  );
}
