// Calls of programs, one a row: when, what, and how it ended; the same for a game’s owner and for the person they were made for.
import { ERRORS, isErrorCode } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listAgentCalls } from '@chauffeur/contract/operations/agents';
import { Table, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import classes from './CallTable.module.css';

type Call = OutputOf<typeof listAgentCalls>['calls'][number];

type CallTableProps<One extends Call> = {
  label: string;
  calls: readonly One[];
  isPending: boolean;
  /** The last column: what is known of a call besides. */
  last: { readonly name: string; readonly of: (call: One) => ReactNode };
};

export function CallTable<One extends Call>({ label, calls, isPending, last }: CallTableProps<One>) {
  return (
    <Table className={`${table.table} ${classes.calls}`} aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>When</Table.Th>
          <Table.Th>What</Table.Th>
          <Table.Th>Outcome</Table.Th>
          <Table.Th visibleFrom="sm">Program</Table.Th>
          <Table.Th visibleFrom="sm">{last.name}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {isPending && <LoadingRows rows={5} columns={5} />}
        {calls.map((call) => (
          <CallRow key={call.call_id} value={call} last={last.of(call)} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function CallRow({ value, last }: { value: Call; last: ReactNode }) {
  const { outcome, agent } = value;
  return (
    <Table.Tr>
      <Table.Td className={table.small}>
        <Time at={value.at} />
      </Table.Td>
      <Table.Td>
        <ToolName name={value.tool} />
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {agent.name} · {last}
        </Text>
      </Table.Td>
      <Table.Td>
        <Outcome code={outcome} />
        {outcome !== WAITS && isErrorCode(outcome) && (
          <Text size="xs" c="dimmed" visibleFrom="sm">
            {ERRORS[outcome].meaning}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {agent.name}{' '}
        <Text span size="sm" c="dimmed">
          {agent.kind === 'key' ? 'by key' : 'connected'}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{last}</Table.Td>
    </Table.Tr>
  );
}

/** No error: the call has asked the game’s owner. */
const WAITS = 4214;

function Outcome({ code }: { code: number }) {
  if (code === 0) return <StateBadge tone="good">Done</StateBadge>;
  return code === WAITS ? (
    <StateBadge tone="none">Waits for approval</StateBadge>
  ) : (
    <StateBadge tone="bad">{`Error ${code}`}</StateBadge>
  );
}

/** May break behind each of its words, and nowhere else. */
function ToolName({ name }: { name: string }) {
  const [first, ...words] = name.split('_');
  return (
    <code className={classes.tool}>
      {first}
      {words.map((word) => (
        <Fragment key={word}>
          _<wbr />
          {word}
        </Fragment>
      ))}
    </code>
  );
}
