// The outcome of an approval, or why it can't be given, with a link to continue.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getApproval, KeyCollection } from '@chauffeur/contract/operations/approvals';
import { Text } from '@mantine/core';
import { formatExactTime } from '../../ui/format.ts';
import { Notice } from '../../ui/Notice.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';

export type Approval = OutputOf<typeof getApproval>;

export function ApprovalOutcome({ approval }: { approval: Approval }) {
  return <div role="status">{outcomeOf(approval)}</div>;
}

function outcomeOf(approval: Approval) {
  const { status, problem, game, action } = approval;
  if (status === 'approved' && action === 'request_deploy_key') return <KeyOutcome approval={approval} />;
  if (status === 'approved') {
    return (
      <Notice
        tone="good"
        title={action === 'delete_build' ? 'Approved. The build was deleted.' : 'Approved. The change was made.'}
      >
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
