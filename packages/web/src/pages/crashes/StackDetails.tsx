// The details of a stack, which the page of a report loads when they are shown: modules, registers, the player's machine,
// and further exceptions from the text of a report.
import { formatDuration } from '@chauffeur/contract/format';
import type { CrashStack, RelatedException } from '@chauffeur/contract/operations/crash-stacks';
import { Text } from '@mantine/core';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './crashes.module.css';
import { Stack } from './Stack.tsx';
import type { LinkOf } from './use-crash.ts';

/** What only a stack from the text of a report has: further exceptions, and the format of the text. */
export function TextOrigin({ stack, linkOf }: { stack: CrashStack; linkOf: LinkOf }) {
  return (
    <>
      {stack.related.map((exception, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: exceptions have no ID, and their order never changes
        <RelatedStack key={index} exception={exception} linkOf={linkOf} />
      ))}
      <Text size="sm" c="dimmed" mt="xs">
        {`Read from the text of the report (${stack.format}).`}
      </Text>
    </>
  );
}

const RELATIONS: Readonly<Record<RelatedException['relation'], string>> = {
  consequence: 'Led to',
  suppressed: 'Suppressed',
  handled: 'Thrown while handling',
  sibling: 'At the same time',
};

/** Another exception of the text, with its frames. */
function RelatedStack({ exception, linkOf }: { exception: RelatedException; linkOf: LinkOf }) {
  const { relation, type, message, frames } = exception;
  const thread = { thread_id: 0, name: null, frames, more_frames: 0, cut: false };
  return (
    <>
      <Text size="sm" mt="md" style={{ overflowWrap: 'anywhere' }}>
        <Text span c="dimmed" size="sm">
          {`${RELATIONS[relation]}: `}
        </Text>
        <b>{type || 'Error'}</b>
        {message === '' ? '' : `: ${message}`}
      </Text>
      {frames.length > 0 && <Stack thread={thread} label={`Stack of ${type || 'another error'}`} linkOf={linkOf} />}
    </>
  );
}

type StackProps = { stack: CrashStack };

type Module = CrashStack['modules'][number];

const SYMBOLS: Readonly<Record<Module['symbols'], { tone: Tone; label: string }>> = {
  loaded: { tone: 'good', label: 'Used' },
  not_needed: { tone: 'none', label: 'Not needed' },
  missing: { tone: 'unsure', label: 'Missing' },
  corrupt: { tone: 'bad', label: 'Unreadable' },
};

const MODULE_COLUMNS: readonly Column<Module>[] = [
  {
    header: 'Module',
    overflow: 'anywhere',
    cell: ({ name, version, problem }) => (
      <>
        {name}{' '}
        <Text span size="sm" c="dimmed">
          {version}
        </Text>
        {problem !== null && <Text size="sm">{problem}</Text>}
      </>
    ),
  },
  {
    header: 'Symbols',
    cell: ({ symbols }) => <StateBadge tone={SYMBOLS[symbols].tone}>{SYMBOLS[symbols].label}</StateBadge>,
  },
  {
    header: 'Debug ID',
    hiddenBelow: 'sm',
    cell: ({ name, debug_id: id }) => (id === '' ? '–' : <CopyText text={id} label={`debug ID of ${name}`} />),
  },
  {
    header: 'Addresses',
    hiddenBelow: 'md',
    className: classes.code,
    cell: ({ base, end }) => `${base}–${end}`,
  },
];

export function ModuleTable({ stack: { modules, more_modules: more } }: StackProps) {
  return (
    <>
      <DataTable
        label="Modules"
        keepsColumns
        columns={MODULE_COLUMNS}
        rows={modules}
        rowKey={(module) => `${module.base} ${module.name}`}
      />
      {more > 0 && (
        <Text size="sm" c="dimmed">
          {`More modules: ${more}. Download the stack to see all of them.`}
        </Text>
      )}
    </>
  );
}

export function SystemFacts({ stack }: StackProps) {
  const { system, uptime_seconds: uptime, warnings } = stack;
  const facts: Fact[] = [
    ['OS', `${system.os} ${system.os_version}`],
    ['CPU', [system.cpu, system.cpu_info].filter((text) => text !== null).join(', ')],
    ['CPU cores', String(system.cpu_count)],
    ['Dump created', <Time key="at" at={stack.written_at} />],
    ...(uptime === null ? [] : [['Uptime', formatDuration(Math.round(uptime))] as const]),
  ];
  return (
    <>
      <Facts facts={facts} />
      {warnings.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="sm">
            Problems in the dump
          </Text>
          <ul className={classes.notes}>
            {[...new Set(warnings)].map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** The registers of a thread. The server sends them in the usual order for the CPU. */
export function RegisterList({ registers }: { registers: Readonly<Record<string, string>> }) {
  const entries = Object.entries(registers);
  if (entries.length === 0) return <Text size="sm">The dump has no registers of this thread.</Text>;
  return (
    <dl className={classes.registers} aria-label="Registers">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
