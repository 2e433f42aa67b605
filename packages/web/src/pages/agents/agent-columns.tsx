// Columns that several pages about agents have: of a list of their calls, and of what has access.
import { CODES, isErrorCode } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listAgentCalls } from '@chauffeur/contract/operations/agents';
import { Anchor, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import type { Column } from '../../ui/DataTable.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import classes from './agent-columns.module.css';
import { formatGames, formatRights, type Key } from './reach.ts';

type Call = OutputOf<typeof listAgentCalls>['calls'][number];

/**
 * The columns of a list of calls. Only the last one differs between the owner's audit page and the person's own list.
 */
export function callColumns<ListedCall extends Call>(lastColumn: {
  readonly header: string;
  readonly cell: (call: ListedCall) => ReactNode;
}): Column<ListedCall>[] {
  return [
    { header: 'Date', className: table.small, cell: ({ at }) => <Time at={at} /> },
    {
      header: 'Tool',
      overflow: 'anywhere',
      cell: ({ tool }) => <ToolName name={tool} />,
    },
    { header: 'Outcome', overflow: 'anywhere', cell: ({ outcome }) => <Outcome code={outcome} /> },
    {
      header: 'Agent',
      overflow: 'anywhere',
      cell: ({ agent }) => (
        <>
          {agent.name}{' '}
          <Text span size="sm" c="dimmed">
            {agent.kind === 'key' ? '(key)' : '(connected)'}
          </Text>
        </>
      ),
    },
    { ...lastColumn, overflow: 'anywhere' },
  ];
}

function Outcome({ code }: { code: number }) {
  if (code === 0) return <StateBadge tone="good">Done</StateBadge>;
  // The call sent a request to the game's owner.
  if (code === CODES.approvalNeeded) return <StateBadge tone="none">Pending</StateBadge>;
  return (
    <>
      <StateBadge tone="bad">{`Error ${code}`}</StateBadge>
      {isErrorCode(code) && (
        <Anchor size="xs" href={`/docs/errors#${code}`} display="block">
          What it means
        </Anchor>
      )}
    </>
  );
}

/** Lets the line break only after an underscore. */
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

/**
 * The columns that connected programs and personal keys share: what they have access to, and when it was last used.
 */
export const ACCESS_COLUMNS: readonly Column<Pick<Key, 'may_write' | 'game' | 'last_used_at'>>[] = [
  { header: 'Permissions', cell: formatRights },
  { header: 'Games', cell: formatGames },
  {
    header: 'Last used',
    cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time at={last_used_at} />),
  },
];
