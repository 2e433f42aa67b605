// What agents asked for in the games that the person owns, until it is decided: for whom the mail did not reach.
import { listWaitingApprovals } from '@chauffeur/contract/operations/approvals';
import { Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { Countdown } from '../../ui/Countdown.tsx';
import { NextPage } from '../../ui/NextPage.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import table from '../../ui/table.module.css';

const AT_ONCE = 10;
/** An agent may ask while the page is open. */
const REFRESH_MS = 30_000;

/** Nothing where nothing waits. */
export function WaitingApprovals() {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [listWaitingApprovals.id],
    queryFn: ({ pageParam: cursor, signal }) =>
      call(listWaitingApprovals, { limit: AT_ONCE, ...(cursor !== '' && { cursor }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: REFRESH_MS,
  });
  const approvals = data?.pages.flatMap((page) => page.approvals) ?? [];
  const problem = error === null ? null : <Problem error={error} again={() => void refetch()} />;
  if (approvals.length === 0) return problem;
  return (
    <Section title="Waits for your approval">
      {problem}
      <Table className={table.table} aria-label="Waits for your approval">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What an agent asks for</Table.Th>
            <Table.Th>Game</Table.Th>
            <Table.Th visibleFrom="sm">Through</Table.Th>
            <Table.Th ta="right">Time left</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {approvals.map(({ uid, summary, game, via, asked_by, expires_at }) => (
            <Table.Tr key={uid}>
              <Table.Td>
                <SiteLink to="/approve/$uid" params={{ uid }} className={table.main}>
                  {summary}
                </SiteLink>
              </Table.Td>
              <Table.Td>{game.name}</Table.Td>
              <Table.Td visibleFrom="sm">
                “{via}”{' '}
                <Text span size="xs" c="dimmed">
                  of {asked_by}
                </Text>
              </Table.Td>
              <Table.Td ta="right">
                <Countdown until={expires_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
        Show earlier ones
      </NextPage>
    </Section>
  );
}
