// The columns of a table of builds. Builds of one version are below each other and share its cell.
import { formatBytes, formatNumber, formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { BuildOrder, listGameBuilds } from '@chauffeur/contract/operations/builds';
import { Skeleton, Text } from '@mantine/core';
import type { Column } from '../../ui/DataTable.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { formatExactTime, formatSince } from '../../ui/format.ts';
import { RowLink, SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { BUILD_STATES } from '../../ui/states.ts';
import { Time, useNow } from '../../ui/Time.tsx';
import type { Pointer } from '../channels/channel-grid.ts';
import { type WithdrawnBuild, WithdrawnLines } from '../channels/WithdrawnBuilds.tsx';
import classes from './builds.module.css';

export type ListedBuild = OutputOf<typeof listGameBuilds>['builds'][number];

type Options = {
  slug: string;
  /** What the channels offer; undefined while it is loading, null if that failed. */
  pointers: readonly Pointer[] | null | undefined;
  withdrawn?: readonly WithdrawnBuild[] | undefined;
  /** The order of the list. Without it, its headers do not sort. */
  order?: { readonly sort: BuildOrder; readonly onSort: (sort: BuildOrder) => void };
};

export function buildColumns({ slug, pointers, withdrawn = [], order }: Options): Column<ListedBuild>[] {
  const sortedBy = (sort: BuildOrder) =>
    order === undefined ? {} : { order: { isSorted: order.sort === sort, onSort: () => order.onSort(sort) } };
  return [
    {
      header: 'Version',
      hiddenBelow: 'sm',
      className: classes.version,
      mergedBy: ({ version }) => version,
      cell: (build) => <Version slug={slug} build={build} />,
    },
    {
      header: 'Platform',
      phoneHeader: 'Build',
      className: classes.platform,
      cell: (build) => (
        <Platform
          slug={slug}
          build={build}
          pointers={pointersOf(build, pointers)}
          withdrawn={withdrawnOf(build, withdrawn)}
        />
      ),
    },
    {
      header: 'Live on',
      hiddenBelow: 'sm',
      overflow: 'nowrap',
      cell: (build) => (
        <>
          <LiveSince slug={slug} pointers={pointersOf(build, pointers)} />
          <UpdateSize pointers={pointersOf(build, pointers)} />
          <WithdrawnLines withdrawn={withdrawnOf(build, withdrawn)} />
        </>
      ),
    },
    {
      header: 'State',
      hiddenBelow: 'sm',
      cell: (build) => <State build={build} />,
    },
    {
      header: 'Uploaded by',
      hiddenBelow: 'md',
      title: ({ file }) => (file === null ? undefined : formatUploader(file)),
      cell: ({ file }) => (file === null ? '–' : nameUploader(file)),
    },
    {
      header: 'Size',
      align: 'right',
      hiddenBelow: 'md',
      overflow: 'nowrap',
      ...sortedBy('size'),
      cell: ({ file }) => (file === null ? '–' : <Bytes count={file.size} />),
    },
    {
      header: 'Downloads',
      align: 'right',
      hiddenBelow: 'md',
      ...sortedBy('downloads'),
      cell: ({ downloads }) => formatNumber(downloads),
    },
    {
      header: 'Registered',
      hiddenBelow: 'sm',
      overflow: 'nowrap',
      ...sortedBy('registered'),
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ];
}

function Version({ slug, build: { version, title } }: { slug: string; build: ListedBuild }) {
  return (
    <>
      <SiteLink to="/dev/$slug/version" params={{ slug }} search={{ version }} fw={700}>
        {version}
      </SiteLink>
      {title !== version && (
        <Text size="sm" c="dimmed">
          {title}
        </Text>
      )}
    </>
  );
}

type Pointers = Options['pointers'];

/** Where the build is live. */
function pointersOf({ build_id: id }: ListedBuild, pointers: Pointers): Pointers {
  return pointers?.filter((pointer) => pointer.build_id === id && !pointer.expired) ?? pointers;
}

function withdrawnOf({ build_id: id }: ListedBuild, withdrawn: readonly WithdrawnBuild[]): WithdrawnBuild[] {
  return withdrawn.filter(({ build_id }) => build_id === id);
}

function State({ build: { state } }: { build: ListedBuild }) {
  return <StateBadge tone={BUILD_STATES[state].tone}>{BUILD_STATES[state].label}</StateBadge>;
}

type PlatformProps = { slug: string; build: ListedBuild; pointers: Pointers; withdrawn: readonly WithdrawnBuild[] };

/** The platform of a build. On a phone, its cell also has what is in the columns next to it on a wider screen. */
function Platform({ slug, build, pointers, withdrawn }: PlatformProps) {
  const { build_id: buildId, version, title } = build;
  const platform = formatPlatform(build);
  return (
    <>
      <RowLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId }} aria-label={`${version} for ${platform}`}>
        <span className={classes.phoneOnly}>{version} · </span>
        {platform}
      </RowLink>
      <div className={`${classes.phoneOnly} ${classes.details}`}>
        {title !== version && <span>{title}</span>}
        <State build={build} />
        {pointers?.length !== 0 && <LiveSince slug={slug} pointers={pointers} />}
        <UpdateSize pointers={pointers} />
        <WithdrawnLines withdrawn={withdrawn} />
      </div>
    </>
  );
}

type LiveSinceProps = {
  slug: string;
  /** Undefined while the channels are loading, null if that failed. */
  pointers: readonly Pick<Pointer, 'channel' | 'moved_at'>[] | null | undefined;
};

/** The channels that offer a build, and since when. */
function LiveSince({ slug, pointers }: LiveSinceProps) {
  const now = useNow();
  if (pointers === undefined) return <Skeleton w={120} h={14} />;
  if (pointers === null) return null;
  if (pointers.length === 0) return '–';
  return pointers.map(({ channel, moved_at }) => {
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

/** How much players download who have the version before. The page of the version also has earlier ones. */
function UpdateSize({ pointers }: { pointers: Pointers }) {
  const update = pointers?.flatMap(({ updates }) => updates)[0];
  if (update === undefined) return null;
  return (
    <Text size="sm" c="dimmed">
      From {update.from_version}: {formatBytes(update.bytes)} for players
    </Text>
  );
}

type Uploaded = Pick<NonNullable<OutputOf<typeof listGameBuilds>['builds'][number]['file']>, 'origin'> & {
  /** Only members of the game see it. */
  readonly upload_token?: string | null;
};

/** The uploader in a list: the person, or the name of the key or token. */
function nameUploader({ origin, upload_token: token }: Uploaded): string {
  return origin.type === 'deploy_key' ? (token ?? `deploy key ${origin.key_ref}`) : origin.user;
}

export function formatUploader(file: Uploaded): string {
  const { origin, upload_token: token } = file;
  if (origin.type === 'website') return origin.user;
  if (origin.type === 'cli_login') return `chauffeur command, by ${origin.user} (login ${origin.key_ref})`;
  if (origin.type === 'api_token') return `API token of ${origin.user} (${origin.key_ref})`;
  return token == null ? `deploy key ${origin.key_ref}` : `upload token ${token} (${origin.key_ref})`;
}
