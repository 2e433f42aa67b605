// The grid itself: a row for each channel, a column for each platform, and in each cell what is offered there.
import { Text, VisuallyHidden } from '@mantine/core';
import { type PlatformWords, sayPlatform } from '../../ui/platforms.ts';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SCANS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import classes from './ChannelGrid.module.css';
import type { Grid, Place } from './grid.ts';

type ChannelGridProps = { grid: Grid<Place>; onOpen: (channel: string, platform: PlatformWords) => void };

const AUDIENCES: Readonly<Record<string, string>> = { stable: 'Every player', beta: 'Who joined', dev: 'Members' };

export function ChannelGrid({ grid, onOpen }: ChannelGridProps) {
  return (
    <table className={classes.grid} aria-label="Channels by platform">
      <thead>
        <tr>
          <th scope="col">Channel</th>
          {grid.platforms.map((platform) => (
            <th key={sayPlatform(platform)} scope="col">
              {sayPlatform(platform)}
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
                {AUDIENCES[channel] ?? 'Who has the link'}
              </Text>
            </th>
            {cells.map((place, index) => {
              const platform = grid.platforms[index]!;
              return (
                <td key={sayPlatform(platform)} data-platform={sayPlatform(platform)}>
                  <button type="button" className={classes.cell} onClick={() => onOpen(channel, platform)} data-row>
                    <VisuallyHidden>
                      {channel} on {sayPlatform(platform)}: {place === null && 'nothing'}
                    </VisuallyHidden>
                    {place === null ? (
                      <Text c="dimmed" aria-hidden>
                        –
                      </Text>
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

function Offer({ place }: { place: Place }) {
  return (
    <>
      <span className={classes.line}>
        <Text span fw={600} td={place.expired ? 'line-through' : undefined} style={{ overflowWrap: 'anywhere' }}>
          {place.version}
        </Text>
        {place.scan !== null && <StateBadge tone={SCANS[place.scan].tone}>{SCANS[place.scan].word}</StateBadge>}
      </span>
      <Text span size="xs" c="dimmed">
        <Time at={place.moved_at} />
        {place.expires_at !== null && (
          <>
            {place.expired ? ' · expired ' : ' · expires '}
            <Time at={place.expires_at} />
          </>
        )}
      </Text>
    </>
  );
}
