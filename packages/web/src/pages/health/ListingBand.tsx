// The band that players see on the game's page, and which build makes it; or what is missing until there is one.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listHealth } from '@chauffeur/contract/operations/health';
import { sayPlatform } from '@chauffeur/contract/platform-words';
import { Group, Text } from '@mantine/core';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { sayMissing } from '../../ui/bands.ts';
import { Notice } from '../../ui/Notice.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { type BuildHealth, nextToBeRated } from './health-days.ts';

type ListingBandProps = {
  slug: string;
  listing: OutputOf<typeof listHealth>['listing'];
  builds: readonly BuildHealth[];
};

export function ListingBand({ slug, listing, builds }: ListingBandProps) {
  const build = builds.find(({ build_id }) => build_id === listing.build_id);
  return (
    <Notice tone="none" title="What players see">
      <Group gap="sm">
        <BandBadge band={listing.band} />
        {listing.build_id === null ? (
          <Text size="sm">{sayWaiting(builds)}</Text>
        ) : (
          <Text size="sm">
            From{' '}
            <SiteLink
              to="/dev/$slug/builds/$buildId"
              params={{ slug, buildId: listing.build_id }}
              size="sm"
              underline="always"
            >
              {build === undefined ? 'a build further down' : `${build.version} for ${sayPlatform(build)}`}
            </SiteLink>
            , the newest build on stable that is rated.
          </Text>
        )}
      </Group>
    </Notice>
  );
}

function sayWaiting(builds: readonly BuildHealth[]): string {
  const next = nextToBeRated(builds);
  if (next === null) return 'Nothing: no build on stable had a device in the last 30 days.';
  return `Nothing yet. ${next.version} for ${sayPlatform(next)} is nearest to a rating: ${sayMissing(next)}.`;
}
