// The parts of the installation for operators: whether each is ready for production, what to set, and a test of each.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getInstallation } from '@chauffeur/contract/operations/setup';
import { Code, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { ask } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { DocLink } from '../../ui/DocLink.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { ServerCommand } from '../operator/ServerCommand.tsx';
import classes from './Installation.module.css';
import { PartTest } from './PartTest.tsx';
import { isTested } from './run-test.ts';

type Part = OutputOf<typeof getInstallation>['parts'][number];

const TITLES: Readonly<Record<Part['part'], string>> = {
  address: 'Address',
  mail: 'Email',
  scanner: 'Virus scanner',
  storage: 'Storage',
  database: 'Database',
  backups: 'Backups',
};

const LEVELS: Readonly<Record<Part['level'], { readonly tone: Tone; readonly label: string }>> = {
  good: { tone: 'good', label: 'Ready' },
  unsure: { tone: 'unsure', label: 'Check' },
  bad: { tone: 'bad', label: 'Fix before production' },
  info: { tone: 'none', label: 'Run it yourself' },
};

export function InstallationPage() {
  const { data, error, isPending, refetch } = useQuery(ask(getInstallation, {}));
  return (
    <Stack gap="xl" maw={820}>
      <Stack gap="xs">
        <PageHead title="Set-up" badges={data !== undefined && <Readiness parts={data.parts} />} />
        <Text size="sm">
          Settings are environment variables. Change them where you start the server, restart it, and test again.{' '}
          <DocLink page="first-run">How to set up each part</DocLink>
        </Text>
        <Text size="sm">
          To try the server first, <SiteLink to="/dev">create a game</SiteLink>. You can come back at any time.
        </Text>
      </Stack>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={600} />}
      {data?.parts.map((part) => (
        <PartSection key={part.part} part={part} />
      ))}
    </Stack>
  );
}

function Readiness({ parts }: { parts: readonly Part[] }) {
  const judged = parts.filter(({ level }) => level !== 'info');
  const ready = judged.filter(({ level }) => level === 'good').length;
  return (
    <StateBadge tone={ready === judged.length ? 'good' : 'unsure'}>{`${ready} of ${judged.length} ready`}</StateBadge>
  );
}

function PartSection({ part: { part, level, says, remedy, advice, settings } }: { part: Part }) {
  const { tone, label } = LEVELS[level];
  return (
    <Section title={TITLES[part]} actions={<StateBadge tone={tone}>{label}</StateBadge>}>
      <Text size="sm">{says}</Text>
      {remedy !== null && <Text size="sm">{remedy}</Text>}
      {advice.length > 0 && (
        <CopyText
          text={advice.map(({ variable, value }) => `${variable}=${value}`).join('\n')}
          label={`settings for ${TITLES[part].toLowerCase()}`}
          block
        />
      )}
      {part === 'backups' && (
        <ServerCommand words={['backup', '/mnt/backups/chauffeur', '--keep', '14']} label="backup command" />
      )}
      {settings.length > 0 && (
        <dl className={classes.settings} aria-label={`Active settings: ${TITLES[part].toLowerCase()}`}>
          {settings.map((setting) => (
            <Fragment key={setting.variable}>
              <dt>{setting.variable}</dt>
              <dd>
                <Value setting={setting} />
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      {isTested(part) && <PartTest part={part} name={TITLES[part]} />}
    </Section>
  );
}

function Value({ setting: { value, secret } }: { setting: Part['settings'][number] }) {
  if (value === null)
    return (
      <Text span size="sm" c="dimmed">
        Not set
      </Text>
    );
  return secret ? 'Set, but hidden' : <Code>{value}</Code>;
}
