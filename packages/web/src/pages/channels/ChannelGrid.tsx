// A grid with a row for each channel, a column for each platform, and the current build in each cell.
import { formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';
import { ownValue } from '@chauffeur/contract/own-value';
import { Text, VisuallyHidden } from '@mantine/core';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SCANS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import classes from './ChannelGrid.module.css';
import { Expiry, useIsExpired } from './Expiry.tsx';
import type { Emptied, Grid, Place } from './grid.ts';

type ChannelGridProps = {
  grid: Grid<Place>;
  emptied: readonly Emptied[];
  onOpen: (channel: string, platform: Platform) => void;
};

const AUDIENCES: Readonly<Record<string, string>> = { stable: 'All players', beta: 'Beta members', dev: 'Developers' };

export function ChannelGrid({ grid, emptied, onOpen }: ChannelGridProps) {
  return (
    <table className={classes.grid} aria-label="Channels by platform">
      <thead>
        <tr>
          <th scope="col">Channel</th>
          {grid.platforms.map((platform) => (
            <th key={formatPlatform(platform)} scope="col">
              {formatPlatform(platform)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {grid.rows.map(({ channel, cells }) => (
          <tr key={channel}>
            <th scope="row">
              <Text fw={600} size="sm">
                {channel}
              </Text>
              <Text size="xs" c="dimmed">
                {ownValue(AUDIENCES, channel) ?? 'Anyone with the link'}
              </Text>
            </th>
            {cells.map((place, index) => {
              const platform = grid.platforms[index]!;
              return (
                <td key={formatPlatform(platform)} data-platform={formatPlatform(platform)}>
                  <button type="button" className={classes.cell} onClick={() => onOpen(channel, platform)} data-row>
                    <VisuallyHidden>
                      {channel} on {formatPlatform(platform)}: {place === null && 'no build'}
                    </VisuallyHidden>
                    {place === null ? (
                      <EmptyCell deleted={emptied.find((each) => isAt(each, channel, platform))} />
                    ) : (
                      <Offer place={place} />
                    )}
                  </button>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function isAt(place: Emptied, channel: string, { os, arch }: Platform): boolean {
  return place.channel === channel && place.os === os && place.arch === arch;
}

function EmptyCell({ deleted }: { deleted: Emptied | undefined }) {
  if (deleted === undefined) {
    return (
      <Text c="dimmed" aria-hidden>
        –
      </Text>
    );
  }
  return (
    <>
      <Text span td="line-through" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {deleted.version}
      </Text>
      <Text span size="xs" c="dimmed">
        Build deleted <Time at={deleted.emptied_at} />
      </Text>
    </>
  );
}

function Offer({ place }: { place: Place }) {
  const isExpired = useIsExpired(place.expires_at);
  return (
    <>
      <span className={classes.line}>
        <Text span fw={600} td={isExpired ? 'line-through' : undefined} style={{ overflowWrap: 'anywhere' }}>
          {place.version}
        </Text>
        {place.scan !== null && <StateBadge tone={SCANS[place.scan].tone}>{SCANS[place.scan].label}</StateBadge>}
      </span>
      <Text span size="xs" c="dimmed">
        <Time at={place.moved_at} />
        {place.expires_at !== null && (
          <>
            {' · '}
            <Expiry at={place.expires_at} />
          </>
        )}
      </Text>
    </>
  );
}
