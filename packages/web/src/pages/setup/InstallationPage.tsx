// The parts of the installation for operators: whether each is ready for production, what to set, and a test of each.
import { isError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  ADDRESS_TEST_BYTES,
  getInstallation,
  TESTED_PARTS,
  testAddress,
  testPart,
} from '@chauffeur/contract/operations/setup';
import { Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { ask, call, send } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { PageHead, Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink, SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { ServerCommand } from '../operator/OperatorFrame.tsx';
import classes from './Installation.module.css';

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

const LABELS: Readonly<Record<TestedPart, string>> = {
  address: 'Test address',
  mail: 'Send a test email',
  scanner: 'Test scanner',
  storage: 'Test storage',
};

const TEST_LEVELS = { good: 'OK', unsure: 'Check', bad: 'Failed' } as const;

/** The button that tests a part of the installation, and the result of the test. */
function PartTest({ part, name }: { part: TestedPart; name: string }) {
  const test = useMutation({ mutationFn: () => runTest(part) });
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
          {LABELS[part]}
        </Button>
      </Group>
      <div role="status" aria-label={`Test of ${name.toLowerCase()}`}>
        {test.data !== undefined && !test.isPending && <Checks checks={test.data} />}
      </div>
      {test.error !== null && (
        <>
          <Problem error={test.error} onRetry={() => test.mutate()} />
          {part === 'address' && isError(test.error, 'tooLarge') && (
            <Text size="sm">For nginx, set client_max_body_size 0.</Text>
          )}
        </>
      )}
    </Stack>
  );
}

function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <ul className={classes.checks}>
      {checks.map(({ level, says, remedy }) => (
        <li key={says} className={classes.check}>
          <StateBadge tone={level}>{TEST_LEVELS[level]}</StateBadge>
          <div>
            <Text size="sm">{says}</Text>
            {remedy !== null && (
              <Text size="sm" c="dimmed">
                {remedy}
              </Text>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

type Check = OutputOf<typeof testAddress>['checks'][number];
type TestedPart = 'address' | (typeof TESTED_PARTS)[number];

/**
 * Runs the test of a part. The address is tested from here, because only a browser knows how people reach the server.
 */
function isTested(part: string): part is TestedPart {
  return ['address', ...TESTED_PARTS].includes(part);
}

/** Rejects with ApiError or NetworkError if the test itself could not run. */
async function runTest(part: TestedPart): Promise<readonly Check[]> {
  return part === 'address' ? runAddressTest() : (await call(testPart, { part })).checks;
}

async function runAddressTest(): Promise<readonly Check[]> {
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const response = await send(testAddress, { nonce }, new Uint8Array(ADDRESS_TEST_BYTES));
  if (response.nonce === nonce) return response.checks;
  return [
    {
      level: 'bad',
      says: 'The response belongs to an earlier request: a proxy or a CDN caches responses of the API.',
      remedy: 'Let it follow Cache-Control, or exclude /api from its cache.',
    },
  ];
}
