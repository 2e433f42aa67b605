// The builds that a device used, and its events.
import { formatDuration, formatMilliseconds } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getDevice } from '@chauffeur/contract/operations/events';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { useGame } from '../games/use-game.ts';
import classes from './EventsPage.module.css';
import { useBuildNames } from './use-build-names.ts';

type Device = OutputOf<typeof getDevice>;
type DeviceBuild = Device['builds'][number];
type DeviceEvent = Device['events'][number];

export function DeviceBuilds({ builds }: { builds: readonly DeviceBuild[] }) {
  return (
    <DataTable label="Builds of the device" columns={BUILD_COLUMNS} rows={builds} rowKey={({ build_id }) => build_id} />
  );
}

const BUILD_COLUMNS: readonly Column<DeviceBuild>[] = [
  { header: 'Build', cell: ({ build_id }) => <BuildLink buildId={build_id} /> },
  { header: 'First seen', cell: ({ first_seen }) => <Time at={first_seen} /> },
  {
    header: 'First boot',
    cell: ({ first_boot_at }) => (first_boot_at === null ? 'Never' : <Time at={first_boot_at} />),
  },
  { header: 'Last boot', cell: ({ boot_day }) => boot_day ?? '–' },
  { header: 'Crashed on boot', cell: ({ crash_day }) => crash_day ?? 'No' },
];

export function DeviceEvents({ events }: { events: readonly DeviceEvent[] }) {
  return (
    <DataTable
      label="Events of the device"
      columns={EVENT_COLUMNS}
      rows={events}
      // An event may have no ID, and two may arrive at the same time.
      rowKey={({ received_at }, index) => `${received_at} ${index}`}
    />
  );
}

const EVENT_COLUMNS: readonly Column<DeviceEvent>[] = [
  { header: 'Received', overflow: 'nowrap', cell: ({ received_at }) => <Time at={received_at} /> },
  { header: 'Event', cell: ({ event }) => event },
  { header: 'Build', cell: ({ build_id }) => <BuildLink buildId={build_id} /> },
  { header: 'Values', className: classes.properties, cell: formatValues },
];

function BuildLink({ buildId }: { buildId: string }) {
  const { game_uid: gameUid, slug } = useGame();
  const nameOf = useBuildNames(gameUid);
  return (
    <SiteLink
      to="/dev/$slug/builds/$buildId"
      params={{ slug, buildId }}
      title={buildId}
      style={{ whiteSpace: 'nowrap' }}
    >
      {nameOf(buildId)}
    </SiteLink>
  );
}

/** `4.2 s level=3`: the duration, then the event's own properties. */
function formatValues({ ms, seconds, properties }: DeviceEvent): string {
  const own = Object.entries(properties).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [
    ...(ms === null ? [] : [formatMilliseconds(ms)]),
    ...(seconds === null ? [] : [formatDuration(seconds)]),
    ...own,
  ].join(' ');
}
