// The channels that offer a build, and since when.
import { Skeleton, Text } from '@mantine/core';
import { formatExactTime, formatSince } from '../../ui/format.ts';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { useNow } from '../../ui/use-now.ts';
import type { Place } from '../channels/grid.ts';
import classes from './builds.module.css';

type LiveSinceProps = {
  slug: string;
  /** Undefined while they are loading, null if that failed. */
  places: readonly Pick<Place, 'channel' | 'moved_at'>[] | null | undefined;
};

export function LiveSince({ slug, places }: LiveSinceProps) {
  const now = useNow();
  if (places === undefined) return <Skeleton w={120} h={14} />;
  if (places === null) return null;
  if (places.length === 0) return '–';
  return places.map(({ channel, moved_at }) => {
    const time = new Date(moved_at);
    return (
      <span key={channel} className={classes.live}>
        <SiteLink to="/dev/$slug/channels" params={{ slug }} size="sm">
          {channel}
        </SiteLink>{' '}
        <Text span size="sm" c="dimmed">
          since{' '}
          <time dateTime={moved_at} title={formatExactTime(time)}>
            {formatSince(time, now)}
          </time>
        </Text>
      </span>
    );
  });
}
