// A line for each running or paused rollout of the game, on pages about what players get.
import { listRollouts } from '@chauffeur/contract/operations/rollouts';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { Notice } from '../../ui/PageLayout.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Countdown } from '../../ui/Time.tsx';
import { formatPlatforms } from '../channels/use-moves.tsx';
import type { OpenGame } from '../games/use-game.ts';
import type { Rollout } from './use-rollouts.ts';

/** Shows nothing without a rollout. With a version, only rollouts of it. */
export function RolloutLines({ game, version }: { game: OpenGame; version?: string }) {
  const { data } = useQuery({ ...ask(listRollouts, { uid: game.game_uid, state: 'active' }), meta: follow('builds') });
  const shown = (data?.rollouts ?? []).filter((rollout) => version === undefined || rollout.version === version);
  return shown.map((rollout) => <RolloutLine key={rollout.rollout_id} slug={game.slug} rollout={rollout} />);
}

function RolloutLine({ slug, rollout }: { slug: string; rollout: Rollout }) {
  const { rollout_id: rolloutId, version, channel, share, state, steps, step, builds, next_step_at: next } = rollout;
  const following = steps[step + 1];
  return (
    <Notice
      tone={state === 'paused' ? 'unsure' : 'busy'}
      title={
        state === 'paused'
          ? `The rollout of ${version} on ${channel} is paused at ${share}% of devices`
          : `${version} is being rolled out on ${channel}, at ${share}% of devices`
      }
    >
      <Text size="sm" component="div">
        {formatPlatforms(builds)}.{' '}
        {next !== null && following !== undefined && (
          <>
            {following.share === 100 ? 'It goes to all devices' : `It goes on to ${Math.max(share, following.share)}%`}{' '}
            in <Countdown until={next} />.{' '}
          </>
        )}
        <SiteLink to="/dev/$slug/rollouts/$rolloutId" params={{ slug, rolloutId }} size="sm" underline="always">
          See how it does
        </SiteLink>
      </Text>
    </Notice>
  );
}
