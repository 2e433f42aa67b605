// The modules of a report and the player's machine.
import { formatDuration } from '@chauffeur/contract/format';
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { Text } from '@mantine/core';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './crashes.module.css';

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
