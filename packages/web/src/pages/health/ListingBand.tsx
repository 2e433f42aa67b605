// The band that players see on the game's page and the build it comes from, or what is missing for a rating.
import { formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listHealth } from '@chauffeur/contract/operations/health';
import { Group, Text } from '@mantine/core';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { formatMissingDevices } from '../../ui/bands.ts';
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
    <Notice tone="none" title="Shown to players">
      <Group gap="sm">
        <BandBadge band={listing.band} />
        {listing.build_id === null ? (
          <Text size="sm">{formatUnrated(builds)}</Text>
        ) : (
          <Text size="sm">
            Based on the newest rated build on stable:{' '}
            <SiteLink
              to="/dev/$slug/builds/$buildId"
              params={{ slug, buildId: listing.build_id }}
              size="sm"
              underline="always"
            >
              {build === undefined ? 'View build' : `${build.version} for ${formatPlatform(build)}`}
            </SiteLink>
          </Text>
        )}
      </Group>
    </Notice>
  );
}

function formatUnrated(builds: readonly BuildHealth[]): string {
  const next = nextToBeRated(builds);
  if (next === null) return 'No rating: no build on stable was used in the last 30 days.';
  return `No rating yet. Closest to one is ${next.version} for ${formatPlatform(next)}: ${formatMissingDevices(next)}.`;
}
