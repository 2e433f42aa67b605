// What a dump tells beside the crashed thread: the other threads, the modules, the registers, the machine.
import { Stack as Column, Table, Text } from '@mantine/core';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import classes from './crashes.module.css';
import { More } from './More.tsx';
import { Stack } from './Stack.tsx';
import type { CrashStack } from './stack-lines.ts';

type Part = { stack: CrashStack };

export function OtherThreads({ stack: { threads, more_threads: more } }: Part) {
  if (threads.length === 0) return null;
  return (
    <More title="Other threads" count={threads.length + more}>
      <Column gap="md">
        {threads.map((thread) => {
          const name = `Thread ${thread.thread_id}${thread.name === null ? '' : ` · ${thread.name}`}`;
          return (
            <div key={thread.thread_id}>
              <Text size="sm" fw={600} mb={4}>
                {name}
              </Text>
              {thread.frames.length === 0 ? (
                <Text size="sm">It has no frames.</Text>
              ) : (
                <Stack thread={thread} label={name} />
              )}
            </div>
          );
        })}
        {more > 0 && (
          <Text size="sm" c="dimmed">
            … and {more} more; the stack as text has them all.
          </Text>
        )}
      </Column>
    </More>
  );
}

type ModuleSymbols = CrashStack['modules'][number]['symbols'];

const SYMBOLS: Readonly<Record<ModuleSymbols, { tone: Tone; word: string }>> = {
  loaded: { tone: 'good', word: 'Used' },
  not_needed: { tone: 'none', word: 'Not needed' },
  missing: { tone: 'unsure', word: 'Missing' },
  corrupt: { tone: 'bad', word: 'Unreadable' },
};

export function Modules({ stack: { modules, more_modules: more } }: Part) {
  return (
    <More title="Modules" count={modules.length + more}>
      <Table className={table.table} aria-label="Modules">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Module</Table.Th>
            <Table.Th>Symbols</Table.Th>
            <Table.Th visibleFrom="sm">Debug id</Table.Th>
            <Table.Th visibleFrom="md">Addresses</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {modules.map((module) => (
            <Table.Tr key={`${module.base} ${module.name}`}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {module.name}{' '}
                <Text span size="sm" c="dimmed">
                  {module.version}
                </Text>
                {module.problem !== null && <Text size="sm">{module.problem}</Text>}
              </Table.Td>
              <Table.Td>
                <StateBadge tone={SYMBOLS[module.symbols].tone}>{SYMBOLS[module.symbols].word}</StateBadge>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                {module.debug_id === '' ? '–' : <CopyText text={module.debug_id} what={`debug id of ${module.name}`} />}
              </Table.Td>
              <Table.Td visibleFrom="md" className={classes.code}>
                {module.base}–{module.end}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {more > 0 && (
        <Text size="sm" c="dimmed">
          … and {more} more; the stack as text has them all.
        </Text>
      )}
    </More>
  );
}

export function Registers({ stack: { registers } }: Part) {
  const entries = Object.entries(registers);
  if (entries.length === 0) return null;
  return (
    <More title="Registers" says="of the first frame">
      <dl className={classes.registers}>
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </More>
  );
}

export function SystemFacts({ stack }: Part) {
  const { system, uptime_seconds: uptime, warnings } = stack;
  const facts: Fact[] = [
    ['System', `${system.os} ${system.os_version}`],
    ['Processor', [system.cpu, system.cpu_info].filter((text) => text !== null).join(', ')],
    ['Cores', String(system.cpu_count)],
    ['Dump written', <Time key="at" at={stack.written_at} />],
    ...(uptime === null ? [] : [['Ran for', sayDuration(uptime)] as const]),
  ];
  return (
    <More title="Machine" says={`${system.os} ${system.cpu}`}>
      <Facts facts={facts} />
      {warnings.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="sm">
            What is damaged in the dump
          </Text>
          <ul className={classes.notes}>
            {[...new Set(warnings)].map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
    </More>
  );
}

/** `40 s`, `12 min`, `3 h 20 min`. */
function sayDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
