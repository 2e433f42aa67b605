// Groups that may have the same cause, since their stacks begin in the same functions.
import { listSimilarGroups } from '@chauffeur/contract/operations/crash-stacks';
import { Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayCount, sayExactNumber } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import type { OpenGame } from '../games/use-game.ts';
import classes from './crashes.module.css';

export function SimilarGroups({ game, groupId }: { game: OpenGame; groupId: string }) {
  const { data, error, isPending, refetch } = useQuery(
    ask(listSimilarGroups, { uid: game.game_uid, group_id: groupId }),
  );
  return (
    <Section title="Similar groups">
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Skeleton h={72} />}
      {data?.groups.length === 0 && <Text size="sm">No other group goes through the same functions of the game.</Text>}
      {data !== undefined && data.groups.length > 0 && (
        <Table className={`${table.table} ${classes.table}`} aria-label="Similar groups">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Crash</Table.Th>
              <Table.Th visibleFrom="sm">In both</Table.Th>
              <Table.Th ta="right" w={72}>
                Reports
              </Table.Th>
              <Table.Th w={112}>Last seen</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.groups.map((group) => (
              <Table.Tr key={group.group_id}>
                <Table.Td>
                  <SiteLink
                    to="/dev/$slug/crashes/groups/$groupId"
                    params={{ slug: game.slug, groupId: group.group_id }}
                    className={classes.title}
                    title={group.title}
                  >
                    {group.title}
                  </SiteLink>
                </Table.Td>
                <Table.Td visibleFrom="sm" className={`${classes.cut} ${classes.code}`} title={group.shared.join('\n')}>
                  {group.shared.join(', ')}
                </Table.Td>
                <Table.Td ta="right" title={sayExactNumber(group.count)}>
                  {sayCount(group.count)}
                </Table.Td>
                <Table.Td className={table.small}>
                  <Time at={group.last_seen} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}
