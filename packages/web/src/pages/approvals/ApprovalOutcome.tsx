// How an approval ended, or why it cannot be given: in words, with the way on.
import { Text } from '@mantine/core';
import { Notice } from '../../ui/Notice.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Approval } from './ApprovalPage.tsx';

export function ApprovalOutcome({ approval }: { approval: Approval }) {
  return <div role="status">{outcomeOf(approval)}</div>;
}

function outcomeOf(approval: Approval) {
  const { status, problem, game, action } = approval;
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

function Decided({ approval: { decided_by: by, decided_at: at } }: { approval: Approval }) {
  if (by === null || at === null) return null;
  return (
    <Text size="sm">
      By {by}, <Time at={at} />.
    </Text>
  );
}
