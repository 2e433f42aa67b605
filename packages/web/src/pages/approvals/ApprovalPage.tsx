// What an agent asked the owner of a game for: who, through what, what it would change; and the two buttons.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import { decideApproval, getApproval, listWaitingApprovals } from '@chauffeur/contract/operations/approvals';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask, call } from '../../api.ts';
import { session } from '../../session.ts';
import { Facts } from '../../ui/Facts.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { Consequences } from '../channels/Consequences.tsx';
import { ApprovalOutcome, type KeyCollection } from './ApprovalOutcome.tsx';
import { APPROVAL_BADGES } from './approval-states.ts';

export type Approval = OutputOf<typeof getApproval>;

const route = getRouteApi('/signed-in/approve/$uid');

/** The agent may confirm it by the code of the mail, or collect its key, while the page is open. */
const REFRESH_MS = 3000;

export function ApprovalPage() {
  const { uid } = route.useParams();
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getApproval, { uid }),
    refetchInterval: ({ state }) => (state.data !== undefined && mayChange(state.data) ? REFRESH_MS : false),
  });
  const isUnknown = error instanceof ApiError && error.status === 404;
  return (
    <Stack gap="lg" maw={640}>
      {data === undefined && <PageHead title="Approval" />}
      {isUnknown && <NotYours />}
      {error !== null && !isUnknown && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Skeleton h={280} />}
      {data !== undefined && <Asked approval={data} />}
    </Stack>
  );
}

function mayChange({ status, result }: Approval): boolean {
  return (
    status === 'pending' || (status === 'approved' && (result as Partial<KeyCollection> | null)?.collected_at === null)
  );
}

function NotYours() {
  const { data: person } = useQuery(session);
  return (
    <Stack gap="xs">
      <Text>There is no such approval, or it is not yours to decide.</Text>
      <Text size="sm" c="dimmed">
        You are signed in as {person?.email}. The mail went to the owner of the game; sign in with that account.
      </Text>
    </Stack>
  );
}

function Asked({ approval }: { approval: Approval }) {
  const { game, status } = approval;
  const { tone, word } = APPROVAL_BADGES[status];
  return (
    <>
      <PageHead
        title={approval.summary}
        tab={`Approve · ${game.name}`}
        marks={<StateBadge tone={tone}>{word}</StateBadge>}
      />
      <Facts
        facts={[
          [
            'Game',
            <SiteLink key="game" to="/dev/$slug" params={{ slug: game.slug }} size="sm">
              {game.name}
            </SiteLink>,
          ],
          ['Asked by', approval.asked_by],
          ['Through', <Agent key="via" name={approval.via} />],
          ['Asked', <Time key="asked" at={approval.asked_at} />],
          ...(status === 'pending' ? [['Valid until', <Time key="until" at={approval.expires_at} />] as const] : []),
        ]}
      />
      {status === 'pending' ? <Decide approval={approval} /> : <ApprovalOutcome approval={approval} />}
    </>
  );
}

function Agent({ name }: { name: string }) {
  return (
    <>
      “{name}”{' '}
      <Text span size="xs" c="dimmed">
        as it calls itself
      </Text>
    </>
  );
}

function Decide({ approval }: { approval: Approval }) {
  const { uid, problem, may_decide: mayDecide, consequences } = approval;
  const queries = useQueryClient();
  const deciding = useMutation({
    mutationFn: (approve: boolean) => call(decideApproval, { uid, approve }),
    onSuccess: async (decided) => {
      queries.setQueryData(ask(getApproval, { uid }).queryKey, decided);
      // Not even for a moment is it to be seen among those that wait.
      queries.removeQueries({ queryKey: [listWaitingApprovals.id] });
      // It may have moved a channel or taken a build away: nothing that was read before is to be trusted.
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== getApproval.id });
    },
  });
  const chosen = deciding.variables;
  return (
    <Stack gap="md">
      {problem === null ? <Consequences lines={consequences} /> : <ApprovalOutcome approval={approval} />}
      {deciding.error !== null && <Problem error={deciding.error} again={() => deciding.mutate(chosen === true)} />}
      {mayDecide ? (
        <Group gap="sm">
          <Button
            {...(approval.action === 'delete_build' && { color: 'red' })}
            disabled={problem !== null}
            loading={deciding.isPending && chosen === true}
            onClick={() => deciding.mutate(true)}
          >
            Approve
          </Button>
          <Button
            variant="default"
            loading={deciding.isPending && chosen === false}
            onClick={() => deciding.mutate(false)}
          >
            Deny
          </Button>
          {problem === null && (
            <Text size="sm" c="dimmed">
              Nothing happens until you approve.
            </Text>
          )}
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          It waits for the game’s owner, who has a mail with the link to this page and a code.
        </Text>
      )}
    </Stack>
  );
}
