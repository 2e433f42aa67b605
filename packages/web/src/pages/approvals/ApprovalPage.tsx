// An agent's request for approval: who requested it, what it would change, and buttons to approve or deny it.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  type ApprovalState,
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
import { formatExactTime } from '../../ui/format.ts';
import { Consequences, Notice, PageHead, Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';

import { CompareReleases } from './CompareReleases.tsx';

const route = getRouteApi('/signed-in/approve/$uid');

/**
 * How often the request is loaded: while the page is open, the agent may confirm it with the emailed code, or collect
 * its key.
 */
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
  const { uid, problem, may_decide: mayDecide, consequences, release, game } = approval;
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
      {release !== null && <CompareReleases game={game} {...release} />}
      {deciding.error !== null && <Problem error={deciding.error} onRetry={() => deciding.mutate(chosen === true)} />}
      {mayDecide ? (
        <Group gap="sm">
          <Button
            {...(DELETED[approval.action] !== undefined && { color: 'red.9' })}
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

type Approval = OutputOf<typeof getApproval>;

/** What an approved deletion did. */
const DELETED: Partial<Record<Approval['action'], string>> = {
  delete_build: 'The build was deleted.',
  delete_version: 'The version was deleted.',
};

/** The outcome of an approval, or why it can't be given, with a link to continue. */
function ApprovalOutcome({ approval }: { approval: Approval }) {
  return <div role="status">{outcomeOf(approval)}</div>;
}

function outcomeOf(approval: Approval) {
  const { status, problem, game, action } = approval;
  if (status === 'approved' && action === 'request_deploy_key') return <KeyOutcome approval={approval} />;
  if (status === 'approved') {
    return (
      <Notice tone="good" title={`Approved. ${DELETED[action] ?? 'The change was made.'}`}>
        <Decided approval={approval} />
        <SiteLink to="/dev/$slug/channels" params={{ slug: game.slug }} size="sm">
          View channels
        </SiteLink>
      </Notice>
    );
  }
  if (status === 'denied') {
    return (
      <Notice tone="none" title="Denied. Nothing was changed.">
        <Decided approval={approval} />
      </Notice>
    );
  }
  if (status === 'expired') {
    return (
      <Notice tone="none" title="Expired. Nothing was changed.">
        <Text size="sm">Requests expire after 24 hours. To make this change, ask the agent to request it again.</Text>
      </Notice>
    );
  }
  return (
    <Notice tone="unsure" title="This request can no longer be approved">
      <Text size="sm">{problem}</Text>
    </Notice>
  );
}

function KeyOutcome({ approval }: { approval: Approval }) {
  const { key_ref: keyRef, collected_at: collectedAt, collect_until: until } = approval.result as KeyCollection;
  return (
    <Notice tone="good" title={collectedAt === null ? 'Approved' : 'Approved. The agent has the key.'}>
      <Decided approval={approval} />
      {collectedAt === null ? (
        <Text size="sm">
          The agent can collect its key until {formatExactTime(new Date(until))}. Until then, your current deploy key
          keeps working. To cancel, create a deploy key yourself.
        </Text>
      ) : (
        <Text size="sm">
          The agent collected key <code>{keyRef}…</code> <Time at={collectedAt} />. Earlier deploy keys no longer work.
        </Text>
      )}
      <SiteLink to="/dev/$slug/settings/keys" params={{ slug: approval.game.slug }} size="sm">
        View deploy keys
      </SiteLink>
    </Notice>
  );
}

function Decided({ approval: { decided_by: by, decided_at: at } }: { approval: Approval }) {
  if (by === null || at === null) return null;
  return (
    <Text size="sm">
      Decided by {by} <Time at={at} />
    </Text>
  );
}

/** The labels and tones of approval states. */
const APPROVAL_BADGES: Readonly<Record<ApprovalState, { tone: Tone; label: string }>> = {
  pending: { tone: 'busy', label: 'Pending' },
  approved: { tone: 'good', label: 'Approved' },
  denied: { tone: 'bad', label: 'Denied' },
  expired: { tone: 'none', label: 'Expired' },
};
