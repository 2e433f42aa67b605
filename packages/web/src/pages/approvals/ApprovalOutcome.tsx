// How an approval ended, or why it cannot be given: in words, with the way on.
import { Text } from '@mantine/core';
import { Notice } from '../../ui/Notice.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayExactTime } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import type { Approval } from './ApprovalPage.tsx';

export function ApprovalOutcome({ approval }: { approval: Approval }) {
  return <div role="status">{outcomeOf(approval)}</div>;
}

function outcomeOf(approval: Approval) {
  const { status, problem, game, action } = approval;
  if (status === 'approved' && action === 'request_deploy_key') return <KeyOutcome approval={approval} />;
  if (status === 'approved') {
    return (
      <Notice tone="good" title={action === 'delete_build' ? 'Approved: the build is deleted' : 'Approved and done'}>
        <Decided approval={approval} />
        <SiteLink to="/dev/$slug/channels" params={{ slug: game.slug }} size="sm">
          See what the channels offer
        </SiteLink>
      </Notice>
    );
  }
  if (status === 'denied') {
    return (
      <Notice tone="none" title="Denied: nothing was changed">
        <Decided approval={approval} />
      </Notice>
    );
  }
  if (status === 'expired') {
    return (
      <Notice tone="none" title="Its time is over: nothing was changed">
        <Text size="sm">
          An approval waits for 24 hours; this one ended <Time at={approval.expires_at} />. It has to be asked for
          again.
        </Text>
      </Notice>
    );
  }
  return (
    <Notice tone="unsure" title="It cannot be done any more, as things are now">
      <Text size="sm">{problem}</Text>
    </Notice>
  );
}

/** As the server writes it: the key exists once the agent has collected it. */
export type KeyCollection = { key_ref: string | null; collected_at: string | null; collect_until: string };

function KeyOutcome({ approval }: { approval: Approval }) {
  const { key_ref: keyRef, collected_at: collectedAt, collect_until: until } = approval.result as KeyCollection;
  return (
    <Notice tone="good" title={collectedAt === null ? 'Approved' : 'Approved: the agent has the key'}>
      <Decided approval={approval} />
      {collectedAt === null ? (
        <Text size="sm">
          The agent can collect its key until {sayExactTime(new Date(until))}. Until it does, your current deploy key
          keeps working. To withdraw the approval, create a deploy key yourself.
        </Text>
      ) : (
        <Text size="sm">
          The agent collected the key <code>{keyRef}…</code> <Time at={collectedAt} />. Earlier deploy keys no longer
          work.
        </Text>
      )}
      <SiteLink to="/dev/$slug/edit/keys" params={{ slug: approval.game.slug }} size="sm">
        See the deploy keys
      </SiteLink>
    </Notice>
  );
}

function Decided({ approval: { decided_by: by, decided_at: at } }: { approval: Approval }) {
  if (by === null || at === null) return null;
  return (
    <Text size="sm">
      By {by}, <Time at={at} />.
    </Text>
  );
}
