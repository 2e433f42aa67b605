// An agent's request for approval: who requested it, what it would change, and buttons to approve or deny it.

import { ApiError } from '@chauffeur/contract/errors';
import {
  decideApproval,
  getApproval,
  type KeyCollection,
  listWaitingApprovals,
} from '@chauffeur/contract/operations/approvals';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask, call } from '../../api.ts';
import { follow, useLiveChanges, useLiveInterval } from '../../frame/live-changes.ts';
import { session } from '../../session.ts';
import { Facts } from '../../ui/Facts.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { Consequences } from '../channels/Consequences.tsx';
import { type Approval, ApprovalOutcome } from './ApprovalOutcome.tsx';
import { APPROVAL_BADGES } from './approval-states.ts';

const route = getRouteApi('/signed-in/approve/$uid');

/** While the page is open, the agent may confirm the request with the emailed code, or collect its key. */
const REFRESH_MS = 3000;

export function ApprovalPage() {
  const { uid } = route.useParams();
  const pollMs = useLiveInterval(REFRESH_MS);
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getApproval, { uid }),
    refetchInterval: ({ state }) => (state.data !== undefined && mayChange(state.data) ? pollMs : false),
    meta: follow('approvals'),
  });
  useLiveChanges(data !== undefined && mayChange(data) ? data.game.game_uid : null);
  const isUnknown = error instanceof ApiError && error.status === 404;
  return (
    <Panel gap="lg">
      {data === undefined && <PageHead title="Approval" />}
      {isUnknown && <UnknownApproval />}
      {error !== null && !isUnknown && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={280} />}
      {data !== undefined && <Request approval={data} />}
    </Panel>
  );
}

function mayChange({ status, result }: Approval): boolean {
  return (
    status === 'pending' || (status === 'approved' && (result as Partial<KeyCollection> | null)?.collected_at === null)
  );
}

function UnknownApproval() {
  const { data: person } = useQuery(session);
  return (
    <Stack gap="xs">
      <Text>This request doesn't exist, or only someone else can approve it.</Text>
      <Text size="sm" c="dimmed">
        You're signed in as {person?.email}. The email went to the game's owner. Sign in with that account.
      </Text>
    </Stack>
  );
}

function Request({ approval }: { approval: Approval }) {
  const { game, status } = approval;
  const { tone, label } = APPROVAL_BADGES[status];
  return (
    <>
      <PageHead
        title={approval.summary}
        tabTitle={`Approve · ${game.name}`}
        badges={<StateBadge tone={tone}>{label}</StateBadge>}
      />
      <Facts
        facts={[
          [
            'Game',
            <SiteLink key="game" to="/dev/$slug" params={{ slug: game.slug }} size="sm">
              {game.name}
            </SiteLink>,
          ],
          ['Requested by', approval.asked_by],
          ['Agent', <Agent key="via" name={approval.via} />],
          ['Requested', <Time key="asked" at={approval.asked_at} />],
          ...(status === 'pending' ? [['Expires', <Time key="until" at={approval.expires_at} />] as const] : []),
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
        unverified
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
      // Otherwise the list of pending approvals would briefly still show it.
      queries.removeQueries({ queryKey: [listWaitingApprovals.id] });
      // The change may affect channels and builds, so everything else is loaded again.
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== getApproval.id });
    },
  });
  const chosen = deciding.variables;
  return (
    <Stack gap="md">
      {problem === null ? <Consequences lines={consequences} /> : <ApprovalOutcome approval={approval} />}
      {deciding.error !== null && <Problem error={deciding.error} onRetry={() => deciding.mutate(chosen === true)} />}
      {mayDecide ? (
        <Group gap="sm">
          <Button
            {...(approval.action === 'delete_build' && { color: 'red.9' })}
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
              Nothing changes unless you approve.
            </Text>
          )}
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          Waiting for the game's owner, who received an email with a link to this page.
        </Text>
      )}
    </Stack>
  );
}
